"""Probes for 64-bit PowerPC: the effective address in r0, r12 or r11, then `bl` of glue.

Loads from the TOC itself are different: the linker turns those whose symbol is near into
additions.  Their probe passes the base only, and the glue checks what the instruction has
become.

32-bit code that uses small data has these probes too, with r12 or r11 for the address.
"""

from __future__ import annotations

from inst.flow.liveness import dead_registers
from inst.isa.model import Access, Form, RegisterSet, Transfer
from inst.rewrite import powerpc_leaving
from inst.rewrite.context import Rewriting, event_of, is_reported, is_simple
from inst.rewrite.link_home import UNWOUND, UNWOUND_BEFORE
from inst.rewrite.powerpc import is_reportable, is_table_load, marked, number, thread_operand
from inst.rewrite.powerpc64_site import (
    address_into,
    flags_of,
    on_stack,
    overwrites_address,
    plan_of,
    uses_stack,
    wait_in_frame,
)

_MARKER = "R_PPC64_PCREL_OPT"
"""A relocation that lets the linker move a later access to where its address is loaded."""


def place_probes(work: Rewriting) -> None:
    """Put a probe at every access of the file."""
    facts = work.code.facts
    kept = _entry_loads(work)
    for index, fact in enumerate(facts):
        access = fact.access
        if fact.system_call:
            _system_call(work, index)
        if index in work.leaving and _begin_leaving(work, index):
            continue
        if access is None or index in kept or not _is_wanted(work, index, access):
            continue
        if is_reportable(work, index, _is_table_load(work, access)):
            _probe(work, index)
    if work.rows:
        _drop_markers(work)


def _begin_leaving(work: Rewriting, index: int) -> bool:
    """Keep the hooks on the old stack while it is still read; return whether that can be done."""
    if index in work.reserved or not powerpc_leaving.is_whole(work, index):
        del work.leaving[index]  # nothing may be stored while a reservation is open
        return False
    if work.code.facts[index].access is None:
        powerpc_leaving.begin_move(work, index)
        return True
    powerpc_leaving.begin_load(work, index, [])
    return True


def call_sequence(work: Rewriting, index: int, entry: str) -> list[str]:
    """Return a call of glue before an instruction that is no access."""
    live = work.liveness.before[index]
    registers = work.isa.registers
    flags = flags_of(work, live)
    if work.isa.bits == 32:
        entry += ".a12"
    if not live & registers.link:
        return [f"bl {entry}{flags}"]
    fact = work.code.facts[index]
    dead = dead_registers(work.isa, live | work.liveness.after[index], fact.uses | fact.defs)
    if dead:
        return [f"mflr {dead[-1][1:]}", f"bl {entry}{flags}", f"mtlr {dead[-1][1:]}"]
    plan = on_stack(work, "r12", flags)
    return [*plan.save, f"bl {entry}{flags}", *plan.restore]


def number_sequence(
    work: Rewriting, index: int, live: RegisterSet, entry: str, number: int
) -> list[str]:
    """Return a call of glue that passes a number, before or after an instruction."""
    plan = plan_of(work, index, live)
    if plan.framed:  # whatever the instruction reads is restored before it runs
        plan = on_stack(work, "r12", plan.flags)
    name = plan.entry(entry, entry)
    passed = f"li {plan.carrier[1:]},{number}"
    return [*plan.save, passed, f"bl {name}", *plan.restore, *plan.late]


def _system_call(work: Rewriting, index: int) -> None:
    """Insert a probe before a system call and one after it: both find the call in the code."""
    plan = on_stack(work, "r12", ".x")
    edit = work.edit(index)
    edit.before += [*plan.save, f"bl {plan.entry('', 'rare')}", *plan.restore]
    edit.after += [*plan.save, f"bl {plan.entry('', 'rare.after')}", *plan.restore]


def _entry_loads(work: Rewriting) -> frozenset[int]:
    """Return loads between a function's two entry points (-mcmodel=large has one).

    They make the TOC pointer, as `addis` and `addi` do elsewhere; the assembler insists on the
    distance between the two points.
    """
    toc = work.isa.registers.mask("r2")
    statements = work.code.statements
    return frozenset(
        index
        for index, (position, fact) in enumerate(
            zip(work.code.statement, work.code.facts, strict=True)
        )
        if fact.access is not None
        and fact.defs & toc
        and any(s.name == ".localentry" for s in statements[position + 1 : position + 12])
    )


def _is_wanted(work: Rewriting, index: int, access: Access) -> bool:
    """Return whether an access gets a probe: not if it belongs to what the linker removes."""
    if thread_operand(work, index):
        return True
    return is_reported(access) or _is_table_load(work, access)


def _is_table_load(work: Rewriting, access: Access) -> bool:
    """Return whether an access loads an address from the TOC.

    The linker turns `addis 9,2,.LC0@toc@ha; ld 9,.LC0@toc@l(9)` into an addition when the
    address is near the TOC.
    """
    if work.isa.bits == 32:
        return is_table_load(access)
    if not access.load or access.size != 8 or access.index is not None:
        return False
    name, _, suffix = access.offset.partition("@")
    if suffix.startswith("got"):
        return True
    return suffix in ("toc", "toc@l") and name in work.code.table


def _drop_markers(work: Rewriting) -> None:
    """Remove the relocations that let the linker move accesses away from their probes."""
    for position, statement in enumerate(work.code.statements):
        if statement.name == ".reloc" and _MARKER in statement.operands:
            work.edits.at(position).instead = ""


def _probe(work: Rewriting, index: int) -> None:
    access = work.code.facts[index].access
    assert access is not None
    if _is_table_load(work, access):
        _behind(work, index, "table")
    elif access.form == Form.CONDITIONAL or _restores_toc(work, index):
        _wholly_behind(work, index, work.ordering_entry(index, "rare.after"))
    elif access.form == Form.RESERVE:
        _before(work, index, work.ordering_entry(index, "rare"))
    elif index in work.orders and access.form == Form.SIMPLE:
        (_behind if access.load else _before)(work, index, work.ordering_entry(index, ""))
    elif not is_simple(access):
        if access.load and work.values:
            _behind(work, index, "rare.after")
        else:
            _before(work, index, "rare")
    elif access.load and work.values:
        _behind(work, index, f"{event_of(access)}.{access.value}")
    else:
        value = f".{access.value}" if work.values else ""
        _before(work, index, f"{event_of(access)}{value}")


def _restores_toc(work: Rewriting, index: int) -> bool:
    """Return whether this is `ld 2,24(1)` after a call: unwinders look for it right there."""
    facts = work.code.facts
    access = facts[index].access
    assert access is not None
    if work.isa.bits == 32 or access.value != "r2" or not index:
        return False
    return facts[index - 1].transfer == Transfer.CALL


def _before(work: Rewriting, index: int, entry: str) -> None:
    """Insert a probe before an access."""
    decoded = entry.startswith("rare")
    home = None if decoded else work.link_home
    plan = plan_of(work, index, work.liveness.before[index], home)
    call = f"bl {plan.entry(entry, entry if decoded else 'rare')}"
    sequence = [*plan.save, *address_into(work, index, plan), call, *plan.restore]
    edit = work.edit(index)
    access = work.code.facts[index].access
    if access is not None and access.form == Form.RESERVE:  # nothing may follow it
        edit.before += [*sequence, *plan.late, f"{marked(work, index)}:"]
        return
    unwound, unwound_before = (UNWOUND, UNWOUND_BEFORE) if plan.unwound else ((), ())
    edit.before += [*sequence, *unwound, f"{marked(work, index)}:"]
    edit.after += [*plan.late, *unwound_before]


def _behind(work: Rewriting, index: int, entry: str) -> None:
    """Insert a probe after an access; its address is computed before it."""
    fact = work.code.facts[index]
    access = fact.access
    assert access is not None
    rare = entry if entry.startswith("rare") else "rare.after"
    home = None if entry == rare else work.link_home
    plan = plan_of(work, index, work.liveness.after[index], home)
    if entry == "table":
        edit = work.edit(index)
        base = f"mr {plan.carrier[1:]},{number(access.base)}" if access.base else "nop"
        edit.before += [*plan.save, base, f"{marked(work, index)}:"]
        edit.after += [f"bl {plan.entry(entry, entry)}", *plan.restore, *plan.late]
    elif not plan.framed:
        edit = work.edit(index)
        edit.before += [*plan.save, *address_into(work, index, plan), f"{marked(work, index)}:"]
        edit.after += [f"bl {plan.entry(entry, rare)}", *plan.restore, *plan.late]
    elif not overwrites_address(work, index):
        _wholly_behind(work, index, rare)
    elif uses_stack(work, index):
        # The stack pointer's own reload: only a probe before it can know where
        # it comes from.  The decoder reads the value, which lies on the thread's own stack.
        _before(work, index, "rare")
    else:
        edit = work.edit(index)
        address, (waits, comes) = address_into(work, index, plan), wait_in_frame(work, index, plan)
        edit.before += [*plan.save, *address, *waits, f"{marked(work, index)}:"]
        edit.after += [*comes, f"bl {plan.entry(entry, rare)}", *plan.restore]


def _wholly_behind(work: Rewriting, index: int, entry: str) -> None:
    """Insert a probe after an access, with everything it needs.

    A conditional store is followed by its whole probe: nothing may be inserted before it, and it
    changes none of the registers of its own address.
    """
    plan = plan_of(work, index, work.liveness.after[index])
    edit = work.edit(index)
    edit.before.append(f"{marked(work, index)}:")
    address = address_into(work, index, plan, updated=True)
    edit.after += [
        *plan.save,
        *address,
        f"bl {plan.entry(entry, entry)}",
        *plan.restore,
        *plan.late,
    ]
