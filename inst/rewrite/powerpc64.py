"""Probes for 64-bit PowerPC: the effective address in r0, r12 or r11, then `bl` of glue.

No register is free everywhere: r13 is the thread pointer and r2 the TOC pointer, which glue
never trusts.  The address goes into the first of r0, r12 and r11 that is dead; if another
register is dead, that one keeps r12 (or r11, r0) around the probe; if none is, the stack does,
below the red zone.  Where lr is live, one more dead register, or the stack, keeps it.

An address is computed by the access's own base and relocation: the linker turns
`addis 9,2,x@toc@ha` into a nop and every `x@toc@l(9)` into the same distance from r2, that of
`addi 0,9,x@toc@l` too.  Loads from the TOC itself are different: the linker makes additions of
those whose symbol is near. Their probe hands over the base only, and the glue looks at what the
instruction has become.
"""

from __future__ import annotations

from dataclasses import dataclass

from inst.asm.operands import split_operands
from inst.flow.code import statement_error
from inst.flow.liveness import dead_registers
from inst.isa.model import Access, Form, RegisterSet, Transfer
from inst.rewrite.context import Rewriting, event_of, is_reported, is_simple
from inst.rewrite.powerpc import conditional_store, marked, number, thread_operand

_CARRIERS = ("r0", "r12", "r11")
"""Registers that entries of the glue take an address in."""
_FRAME = 640
"""Bytes of the frame around a probe that finds no dead register: it steps over the red zone
(512 bytes, as Linux counts) and leaves room for a header of either ABI."""
_SLOT, _LINK_SLOT = 112, 120
"""Where in that frame the register and lr lie."""
_PRESERVED = ("cr1", "cr2", "cr3", "cr4")
"""As in `inst.rewrite.powerpc`."""
_MARKER = "R_PPC64_PCREL_OPT"
"""A relocation that lets the linker move a later access to where its address is loaded."""


def place_probes(work: Rewriting) -> None:
    """Put a probe at every access of the file."""
    facts = work.code.facts
    kept = _entry_loads(work)
    index, count = 0, len(facts)
    while index < count:
        access = facts[index].access
        if facts[index].system_call:
            _system_call(work, index)
        if access is not None and index not in kept and _is_wanted(work, index, access):
            if access.form == Form.RESERVE:
                index = _reservation(work, index)
                continue
            _probe(work, index)
        index += 1
    if work.sites:
        _drop_markers(work)


def call_sequence(work: Rewriting, index: int, entry: str) -> list[str]:
    """Return a call of glue in front of an instruction that is no access."""
    live = work.liveness.before[index]
    registers = work.isa.registers
    flags = _flags(work, live)
    if not live & registers.link:
        return [f"bl {entry}{flags}"]
    fact = work.code.facts[index]
    dead = dead_registers(work.isa, live | work.liveness.after[index], fact.uses | fact.defs)
    if dead:
        return [f"mflr {dead[-1][1:]}", f"bl {entry}{flags}", f"mtlr {dead[-1][1:]}"]
    plan = _on_stack("r12", flags)
    return [*plan.save, f"bl {entry}{flags}", *plan.restore]


def _system_call(work: Rewriting, index: int) -> None:
    """Put a probe in front of a system call and one behind it: both find it in the code."""
    plan = _on_stack("r12", ".x")
    edit = work.edits.at(work.code.statement[index])
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
    """Tell whether an access gets a probe: not if it belongs to what the linker takes away."""
    if thread_operand(work, index):
        return True
    return is_reported(access) or _is_table_load(work, access)


def _is_table_load(work: Rewriting, access: Access) -> bool:
    """Tell whether an access loads an address from the TOC.

    The linker turns `addis 9,2,.LC0@toc@ha; ld 9,.LC0@toc@l(9)` into an addition when the
    address is near the TOC.
    """
    if not access.load or access.size != 8 or access.index is not None:
        return False
    name, _, suffix = access.offset.partition("@")
    if suffix.startswith("got"):
        return True
    return suffix in ("toc", "toc@l") and name in work.code.table


def _drop_markers(work: Rewriting) -> None:
    """Take the relocations away that let the linker move accesses from under their probes."""
    for position, statement in enumerate(work.code.statements):
        if statement.name == ".reloc" and _MARKER in statement.operands:
            work.edits.at(position).instead = ""


def _reservation(work: Rewriting, start: int) -> int:
    """Probe a reservation and its conditional store; return the index behind them."""
    end = conditional_store(work, start)
    for index in range(start + 1, end):
        if is_reported(work.code.facts[index].access):
            raise statement_error(
                work.code,
                index,
                "an ordinary access inside a reservation cannot be instrumented",
                "a probe here could make the conditional store fail for ever",
            )
    _before(work, start, "rare")
    _wholly_behind(work, end, "rare.after")
    return end + 1


def _probe(work: Rewriting, index: int) -> None:
    access = work.code.facts[index].access
    assert access is not None
    if _is_table_load(work, access):
        _behind(work, index, "table")
    elif access.form == Form.CONDITIONAL or _restores_toc(work, index):
        _wholly_behind(work, index, "rare.after")
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
    """Tell whether this is `ld 2,24(1)` behind a call: unwinders look for it right there."""
    facts = work.code.facts
    access = facts[index].access
    assert access is not None
    return access.value == "r2" and index > 0 and facts[index - 1].transfer == Transfer.CALL


@dataclass(frozen=True, slots=True)
class _Plan:
    """Which register carries the address, and what stands around the call."""

    carrier: str
    save: tuple[str, ...]
    restore: tuple[str, ...]
    late: tuple[str, ...]
    """What may wait until access and call are both done."""
    flags: str
    framed: bool

    def entry(self, ordinary: str, rare: str) -> str:
        """Return the symbol of an entry; only the rare ones know how to look past a frame."""
        carrier = "" if self.carrier == "r0" else f".a{self.carrier[1:]}"
        return f"inst.{rare if self.framed else ordinary}{carrier}{self.flags}"


def _plan(work: Rewriting, index: int, live: RegisterSet) -> _Plan:
    registers = work.isa.registers
    fact = work.code.facts[index]
    flags = _flags(work, live)
    involved = fact.uses | fact.defs
    everywhere = live | work.liveness.before[index] | work.liveness.after[index]
    dead = dead_registers(work.isa, everywhere, involved)
    carriers = [one for one in _CARRIERS if not involved & registers.bit[one]]
    carrier = next((one for one in carriers if one in dead), carriers[0] if carriers else "r10")
    others = [one for one in dead if one != carrier]
    wanted = (carrier not in dead) + bool(live & registers.link)
    if not carriers or len(others) < wanted:
        return _framed(work, index, flags)
    save: list[str] = []
    restore: list[str] = []
    late: list[str] = []
    if live & registers.link:
        keeper = others.pop()[1:]
        save, restore = [f"mflr {keeper}"], [f"mtlr {keeper}"]
    if carrier not in dead:
        keeper = others.pop()[1:]
        save.append(f"mr {keeper},{carrier[1:]}")
        late = [f"mr {carrier[1:]},{keeper}"]
    return _Plan(carrier, tuple(save), tuple(restore), tuple(late), flags, framed=False)


def _flags(work: Rewriting, live: RegisterSet) -> str:
    """Return what an entry's name ends with where `live` is live."""
    registers = work.isa.registers
    return ".x" if live & registers.special & ~registers.mask(*_PRESERVED) else ""


def _framed(work: Rewriting, index: int, flags: str) -> _Plan:
    """Return the plan that finds room on the stack."""
    fact = work.code.facts[index]
    bit = work.isa.registers.bit
    candidates = ["r12", "r11"]
    if not _uses_stack(work, index):  # as a base r0 would mean the number 0
        candidates.append("r0")
    free = [one for one in candidates if not (fact.uses | fact.defs) & bit[one]]
    if not free and fact.access is not None:
        # All are operands.  One of the address's own serves: `_address` reads it back first.
        free = [one for one in (fact.access.index, fact.access.base) if one in ("r12", "r11")]
    if not free:
        raise statement_error(work.code, index, "no register is free for this access's probe")
    return _on_stack(free[0], flags)


def _on_stack(register: str, flags: str) -> _Plan:
    """Return the plan that keeps a register and lr in a frame."""
    one = register[1:]
    save = (
        f"stdu 1,-{_FRAME}(1)",
        f"std {one},{_SLOT}(1)",
        f"mflr {one}",
        f"std {one},{_LINK_SLOT}(1)",
    )
    restore = (
        f"ld {one},{_LINK_SLOT}(1)",
        f"mtlr {one}",
        f"ld {one},{_SLOT}(1)",
        f"addi 1,1,{_FRAME}",
    )
    return _Plan(register, save, restore, (), flags, framed=True)


def _uses_stack(work: Rewriting, index: int) -> bool:
    access = work.code.facts[index].access
    return access is not None and "r1" in (access.base, access.index)


def _before(work: Rewriting, index: int, entry: str) -> None:
    """Insert a probe in front of an access."""
    plan = _plan(work, index, work.liveness.before[index])
    call = f"bl {plan.entry(entry, 'rare')}"
    sequence = [*plan.save, *_address(work, index, plan), call, *plan.restore]
    edit = work.edits.at(work.code.statement[index])
    access = work.code.facts[index].access
    if access is not None and access.form == Form.RESERVE:  # nothing behind it
        edit.before += [*sequence, *plan.late, f"{marked(work, index)}:"]
        return
    edit.before += [*sequence, f"{marked(work, index)}:"]
    edit.after += plan.late


def _behind(work: Rewriting, index: int, entry: str) -> None:
    """Insert a probe behind an access; its address is computed in front of it."""
    fact = work.code.facts[index]
    access = fact.access
    assert access is not None
    plan = _plan(work, index, work.liveness.after[index])
    if entry == "table":
        edit = work.edits.at(work.code.statement[index])
        base = f"mr {plan.carrier[1:]},{number(access.base)}" if access.base else "nop"
        edit.before += [*plan.save, base, f"{marked(work, index)}:"]
        edit.after += [f"bl {plan.entry(entry, entry)}", *plan.restore, *plan.late]
    elif not plan.framed:
        edit = work.edits.at(work.code.statement[index])
        edit.before += [*plan.save, *_address(work, index, plan), f"{marked(work, index)}:"]
        edit.after += [f"bl {plan.entry(entry, 'rare.after')}", *plan.restore, *plan.late]
    elif not _overwrites_address(work, index):
        _wholly_behind(work, index, "rare.after")
    elif _uses_stack(work, index):
        # The stack pointer's own reload: nothing but the probe in front of it can know where
        # it comes from.  The decoder reads the value, which lies on the thread's own stack.
        _before(work, index, "rare")
    else:
        edit = work.edits.at(work.code.statement[index])
        edit.before += [*plan.save, *_address(work, index, plan), f"{marked(work, index)}:"]
        edit.after += [f"bl {plan.entry(entry, 'rare.after')}", *plan.restore]


def _overwrites_address(work: Rewriting, index: int) -> bool:
    """Tell whether the address cannot be computed any more once the access has run."""
    fact = work.code.facts[index]
    access = fact.access
    assert access is not None
    parts = [part for part in (access.base, access.index) if part]
    if access.update:
        return False
    return bool(fact.defs & work.isa.registers.mask(*parts))


def _wholly_behind(work: Rewriting, index: int, entry: str) -> None:
    """Insert a probe behind an access, with everything it needs.

    A conditional store is followed by its whole probe: nothing may stand in front of it, and it
    changes none of the registers of its own address.
    """
    plan = _plan(work, index, work.liveness.after[index])
    edit = work.edits.at(work.code.statement[index])
    edit.before.append(f"{marked(work, index)}:")
    address = _address(work, index, plan, updated=True)
    edit.after += [
        *plan.save,
        *address,
        f"bl {plan.entry(entry, 'rare.after')}",
        *plan.restore,
        *plan.late,
    ]


def _address(work: Rewriting, index: int, plan: _Plan, updated: bool = False) -> list[str]:
    """Return the instructions that put the effective address into the carrier.

    `updated` says that the access has run and that its base, if it is one that is updated,
    holds the address.
    """
    fact = work.code.facts[index]
    access = fact.access
    assert access is not None
    to = plan.carrier[1:]
    base, second = number(access.base), number(access.index)
    first: list[str] = []
    if plan.framed and (fact.uses | fact.defs) & work.isa.registers.bit[plan.carrier]:
        first = [f"ld {to},{_SLOT}(1)"]
    if updated and access.update:
        return [f"ld {to},0(1)"] if plan.framed and base == "1" else [*first, f"mr {to},{base}"]
    operand = thread_operand(work, index)
    if operand:
        return [*first, f"add {to},{base},{operand}"]
    if plan.framed and _uses_stack(work, index):  # the frame's own back chain is the old r1
        first = [f"ld {to},0(1)"]
        base, second = (to if one == "1" else one for one in (base, second))
    if fact.length == 8:
        return [*first, _prefixed_address(work, index, to, base)]
    if access.index is not None:
        if access.base is None:
            return [*first, f"mr {to},{second}"]
        return [*first, f"add {to},{base},{second}"]
    if access.base is None:
        return [f"li {to},{access.offset or 0}"]
    return [*first, f"addi {to},{base},{access.offset or 0}"]


def _prefixed_address(work: Rewriting, index: int, to: str, base: str) -> str:
    """Return `pla` with the operands of a prefixed access."""
    fact = work.code.facts[index]
    access = fact.access
    assert access is not None
    statement = work.code.statements[work.code.statement[index]]
    memory, *relative = split_operands(statement.operands)[1:]
    if access.base is not None:
        memory = f"{access.offset}({base})"
    return f"pla {','.join([to, memory, *relative])}"
