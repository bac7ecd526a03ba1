"""Probes for 32-bit PowerPC: the effective address in r13, then `bl` of glue.

r13 is free in every program that does not use the small-data model (-msdata), also across
the C library.  Files that do use it, or r13 in another way, get the probes of
`inst.rewrite.powerpc64`, which leave r13 alone.

Where lr is live, it is saved in a dead register around the call, or on the stack if none is dead.
Nothing is ever inserted between a load that makes a reservation and its conditional store:
a store in between could make the pair fail for ever on hardware, which no emulator shows. Accesses
there are counted outside (`inst.rewrite.unreported`).
"""

from __future__ import annotations

from inst.arch.powerpc.sites import SITES
from inst.asm.operands import split_operands
from inst.flow.liveness import dead_registers
from inst.isa.model import Access, Form, RegisterSet
from inst.rewrite import powerpc_leaving
from inst.rewrite.context import Rewriting, event_of, is_reported, is_simple

_SITE = SITES["svr4"]
_PRESERVED = ("cr1", "cr2", "cr3", "cr4")
"""Special registers that every entry of the glue preserves: cr2-cr4 because hooks do, and
cr1, which is an argument of every call that may be variadic and hardly ever touched."""


def place_probes(work: Rewriting) -> None:
    """Put a probe at every access of the file."""
    facts = work.code.facts
    for index, fact in enumerate(facts):
        if fact.system_call:
            _system_call(work, index)
        if index in work.leaving and _begin_leaving(work, index):
            continue
        access = fact.access
        if access is None or not _is_wanted(work, index, access):
            continue
        if is_reportable(work, index, is_table_load(access)):
            _probe(work, index)


def _begin_leaving(work: Rewriting, index: int) -> bool:
    """Keep the hooks on the old stack while it is still read; return whether that can be done."""
    if index in work.reserved or not powerpc_leaving.is_whole(work, index):
        del work.leaving[index]  # nothing may be stored while a reservation is open
        return False
    if work.code.facts[index].access is None:
        powerpc_leaving.begin_move(work, index)
        return True
    powerpc_leaving.begin_load(work, index, [_address(work, index)])
    return True


def _is_wanted(work: Rewriting, index: int, access: Access) -> bool:
    """Return whether an access gets a probe: not if it belongs to what the linker removes."""
    return is_reported(access) or bool(thread_operand(work, index)) or is_table_load(access)


def is_table_load(access: Access) -> bool:
    """Return whether an access is a load from the GOT that the linker may turn into an addition."""
    return access.linker_rewrites and access.load and "@got" in access.offset


def call_sequence(work: Rewriting, index: int, entry: str) -> list[str]:
    """Return a call of glue before an instruction that is no access."""
    around = _Link(work, index, work.liveness.before[index])
    return [*around.save, f"bl {entry}{around.flags}", *around.restore]


def thread_operand(work: Rewriting, index: int) -> str:
    """Return the `x@tls` operand of an access to a thread-local variable; "" without one.

    The linker may turn it into an access relative to the thread pointer, and an `add` with
    the same operand into an `addi` by the same distance: the access itself stays.
    """
    statement = work.code.at(index)
    if "@tls" not in statement.operands:
        return ""
    operand = split_operands(statement.operands)[-1]
    return operand if operand.endswith(("@tls", "@tls@pcrel")) else ""


def is_reportable(work: Rewriting, index: int, from_table: bool) -> bool:
    """Return whether an access gets a probe; one where a reservation is open is only counted.

    What is loaded from a table of addresses may be no access in the end.
    """
    access = work.code.facts[index].access
    assert access is not None
    if index in work.reserved and access.form != Form.CONDITIONAL:
        work.leave_unreported(index, access.size, certain=not from_table)
        return False
    return True


def number_sequence(
    work: Rewriting, index: int, live: RegisterSet, entry: str, number: int
) -> list[str]:
    """Return a call of glue that passes a number, before or after an instruction."""
    around = _Link(work, index, live)
    return [*around.save, f"li 13,{number}", f"bl inst.{entry}{around.flags}", *around.restore]


def _probe(work: Rewriting, index: int) -> None:
    access = work.code.facts[index].access
    assert access is not None
    if is_table_load(access):
        _behind(work, index, "inst.table")
    elif access.form == Form.CONDITIONAL:
        _behind(work, index, f"inst.{work.ordering_entry(index, 'rare.after')}")
    elif access.form == Form.RESERVE:  # reported before it runs: nothing may be inserted after it
        _before(work, index, f"inst.{work.ordering_entry(index, 'rare')}")
    elif index in work.orders and access.form == Form.SIMPLE:
        entry = f"inst.{work.ordering_entry(index, '')}"
        (_behind if access.load else _before)(work, index, entry)
    elif not is_simple(access):
        after = access.load and work.values
        (_behind if after else _before)(work, index, "inst.rare.after" if after else "inst.rare")
    elif access.load and work.values:
        _behind(work, index, f"inst.{event_of(access)}.{access.value}")
    else:
        value = f".{access.value}" if work.values else ""
        _before(work, index, f"inst.{event_of(access)}{value}")


def _before(work: Rewriting, index: int, entry: str) -> None:
    """Insert a probe before an access."""
    live = work.liveness.before[index]
    around = _Link(work, index, live)
    entry = around.entry(entry, entry if "rare" in entry else "inst.rare")
    sequence = [_address(work, index), *around.save, f"bl {entry}", *around.restore]
    edit = work.edit(index)
    edit.before += [*sequence, f"{marked(work, index)}:"]


def _behind(work: Rewriting, index: int, entry: str) -> None:
    """Insert a probe after an access; its address is computed before it.

    A conditional store is followed by the whole probe: nothing may be inserted before it,
    and it changes none of the registers of its own address.
    """
    access = work.code.facts[index].access
    assert access is not None
    live = work.liveness.after[index]
    around = _Link(work, index, live)
    decoded = is_table_load(access) or "rare" in entry
    entry = around.entry(entry, entry if decoded else "inst.rare.after")
    edit = work.edit(index)
    label = f"{marked(work, index)}:"
    if access.form == Form.CONDITIONAL:
        edit.before.append(label)
        edit.after += [_address(work, index), *around.save, f"bl {entry}", *around.restore]
    elif around.framed:  # the frame may only be made after the access
        edit.before += [_address(work, index), label]
        edit.after += [*around.save, f"bl {entry}", *around.restore]
    else:
        edit.before += [*around.save, _address(work, index), label]
        edit.after += [f"bl {entry}", *around.restore]


def _system_call(work: Rewriting, index: int) -> None:
    """Insert a probe before a system call and one after it: both find the call in the code.

    Everything is live at a call, so lr is saved on the stack wherever it is needed at all.
    """
    live = work.liveness.before[index] | work.liveness.after[index] | work.isa.registers.integer
    around = _Link(work, index, live | work.isa.registers.special)
    edit = work.edit(index)
    edit.before += [*around.save, f"bl {around.entry('inst.rare', 'inst.rare')}", *around.restore]
    entry = around.entry("inst.rare.after", "inst.rare.after")
    edit.after += [*around.save, f"bl {entry}", *around.restore]


class _Link:
    """How lr is saved around the probe's call: not at all, in a dead register, or on the stack."""

    def __init__(self, work: Rewriting, index: int, live: RegisterSet) -> None:
        registers = work.isa.registers
        fact = work.code.facts[index]
        volatile = registers.special & ~registers.mask(*_PRESERVED)
        self.flags = ".x" if live & volatile else ""
        self.save: list[str] = []
        self.restore: list[str] = []
        self.framed = False
        if not live & registers.link:
            return
        involved = fact.uses | fact.defs
        everywhere = live | work.liveness.before[index] | work.liveness.after[index]
        dead = dead_registers(work.isa, everywhere, involved)
        if dead:
            free = dead[0][1:]
            self.save, self.restore = [f"mflr {free}"], [f"mtlr {free}"]
            return
        keepers = (0, 12, 11, 10)
        keeper = next((n for n in keepers if not involved & registers.bit[f"r{n}"]), 0)
        self.framed = True
        frame, slot = _SITE.short_frame, _SITE.short_slot
        self.save = [f"stwu 1,-{frame}(1)", f"stw {keeper},{slot}(1)", f"mflr {keeper}"]
        self.restore = [f"mtlr {keeper}", f"lwz {keeper},{slot}(1)", f"addi 1,1,{frame}"]

    def entry(self, ordinary: str, rare: str) -> str:
        """Return the entry to call: the rare one if a frame stands around the call."""
        return (rare if self.framed else ordinary) + self.flags


def marked(work: Rewriting, index: int) -> str:
    access = work.code.facts[index].access
    assert access is not None
    event = event_of(access) if is_simple(access) else "rare"
    return work.mark_site(index, event, access.size)


def number(register: str | None) -> str:
    return register[1:] if register else "0"


def _address(work: Rewriting, index: int) -> str:
    """Return the one instruction that puts the effective address into r13.

    It stands before the frame of a site that makes one: r1 may be part of the address.
    """
    access = work.code.facts[index].access
    assert access is not None
    operand = thread_operand(work, index)
    if operand:
        return f"add 13,{number(access.base)},{operand}"
    if access.index is not None:
        if access.base is None:
            return f"mr 13,{number(access.index)}"
        return f"add 13,{number(access.base)},{number(access.index)}"
    if access.base is None:
        return f"li 13,{access.offset or 0}"
    if is_table_load(access):  # the glue reads what the linker has made of the offset
        return f"mr 13,{number(access.base)}"
    return f"addi 13,{number(access.base)},{access.offset or 0}"
