"""Probes for SPARC: a call of glue at every access, in delay slots too.

The effective address goes into %g5, by an `add` that usually fills the delay slot of the
call.  Where %o7 is live it waits in %g6 and the glue (flag `k`) puts it back; where
condition codes or %y are live the glue (flag `x`) keeps them.  With values, a load runs in
the delay slot of its own call, so that the glue sees what it loaded.

GCC never uses %g5 and %g6 on 32-bit SPARC and a call may change both, so they are free
inside one inserted sequence.
"""

from __future__ import annotations

import re

from inst.asm.operands import split_operands
from inst.flow.code import statement_error
from inst.flow.liveness import dead_registers
from inst.isa.model import Access, Form, RegisterSet
from inst.rewrite.context import Rewriting, event_of, is_reported, is_simple

_RARE, _RARE_AFTER = "inst.rare", "inst.rare.after"
_LOCATION = re.compile(r"(?<![\w.$])\.(?![\w.$])")
"""The location counter as an operand: an address that holds it moves with its instruction."""


def place_probes(work: Rewriting) -> None:
    """Put a probe at every access of the file."""
    code = work.code
    facts = code.facts
    ends = set(code.section_end)
    index, count = 0, len(facts)
    while index < count:
        fact = facts[index]
        if fact.delay_slot and not (fact.annul and not fact.conditional):
            if index + 1 in ends:
                raise statement_error(code, index, "the file ends where a delay slot should be")
            if is_reported(facts[index + 1].access):
                _in_slot(work, index)
            index += 2
            continue
        if is_reported(fact.access):
            _straight(work, index)
        index += 1


def _straight(work: Rewriting, index: int) -> None:
    """Probe an access that is not in a delay slot."""
    access = _access(work, index)
    edit = work.edits.at(work.code.statement[index])
    label = _marked(work, index, access)
    if _runs_first(work, access):
        edit.before += _load_sequence(work, index, label)
        edit.instead = ""
    else:
        edit.before += [*_store_sequence(work, index, work.liveness.before[index]), f"{label}:"]


def _in_slot(work: Rewriting, branch: int) -> None:
    """Probe the access in the delay slot of instruction `branch`."""
    fact = work.code.facts[branch]
    if fact.annul:
        _in_annulled_slot(work, branch)
        return
    slot = branch + 1
    access = _access(work, slot)
    _refuse_dependence(work, branch)
    label = _marked(work, slot, access)
    at_branch = work.edits.at(work.code.statement[branch])
    at_slot = work.edits.at(work.code.statement[slot])
    if _runs_first(work, access):
        at_branch.before += _hoisted_load(work, branch, label)
        at_slot.instead = "nop"
    else:
        live = work.liveness.before[branch]
        at_branch.before += _store_sequence(work, slot, live)
        at_slot.before.append(f"{label}:")


def _in_annulled_slot(work: Rewriting, branch: int) -> None:
    """Probe the slot of a conditional annulled branch: it runs only when the branch is taken.

    The branch is inverted around probe, access and an unconditional branch.
    """
    code, slot = work.code, branch + 1
    fact = code.facts[branch]
    if not fact.inverse:
        raise statement_error(code, branch, "no opposite of this annulled branch is known")
    access = _access(work, slot)
    label = _marked(work, slot, access)
    skip = work.edits.new_label()
    at_branch = work.edits.at(code.statement[branch])
    at_slot = work.edits.at(code.statement[slot])
    inverted = _retargeted(work, branch, fact.inverse.replace(",a", ""), skip)
    if _runs_first(work, access):
        first, *rest = _load_sequence(work, slot, label)
        rest += [f"ba {fact.target}", "nop"]
        keep = [first] if first == _KEEP_LINK else []
        ahead = rest.pop(0) if keep else first
    else:
        sequence = _store_sequence(work, slot, work.liveness.before[slot], fill=False)
        keep = sequence[:1] if sequence[0] == _KEEP_LINK else []
        ahead, *rest = sequence[len(keep) :]
        rest += [f"ba {fact.target}", f"{label}: {work.text(slot)}"]
    at_branch.instead = "; ".join([*keep, inverted, ahead])
    at_slot.instead = "; ".join([*rest, f"{skip}:"])


_KEEP_LINK = "mov %o7,%g6"


def _access(work: Rewriting, index: int) -> Access:
    access = work.code.facts[index].access
    assert access is not None
    scratch = work.isa.registers.mask("g5", "g6")
    state = work.liveness.before[index] | work.liveness.after[index]
    if state & scratch & work.mentioned:
        raise statement_error(
            work.code,
            index,
            "%g5 or %g6 is in use here, and the instrumentation needs both",
            "instrument this file's callers only: compile it with INST_DISABLE=1",
        )
    return access


def _marked(work: Rewriting, index: int, access: Access) -> str:
    event = event_of(access) if is_simple(access) else "rare"
    return work.mark_site(index, event, access.size)


def _runs_first(work: Rewriting, access: Access) -> bool:
    """Tell whether the access must have run before its hook is called."""
    if access.form == Form.ATOMIC:
        return True
    return access.load and work.values


def _flags(work: Rewriting, live: RegisterSet) -> str:
    registers = work.isa.registers
    flags = ("x" if live & registers.special else "") + ("k" if live & registers.link else "")
    return f".{flags}" if flags else ""


def _store_sequence(work: Rewriting, index: int, live: RegisterSet, fill: bool = True) -> list[str]:
    """Return a probe that stands before its access; `live` is the state where it stands.

    With `fill` the address is computed in the call's delay slot; without, before the call.
    """
    fact = work.code.facts[index]
    access = fact.access
    assert access is not None
    entry = _RARE
    if is_simple(access):
        value = "g6" if access.value == "o7" else access.value
        entry = f"inst.{event_of(access)}" + (f".{value}" if work.values else "")
    address = _address(work, index)
    call = f"call {entry}{_flags(work, live)}"
    keep = [_KEEP_LINK] if live & work.isa.registers.link else []
    if fill and not fact.uses & work.isa.registers.link:
        return [*keep, call, address]
    return [*keep, address, call, "nop"]


def _load_sequence(work: Rewriting, index: int, label: str) -> list[str]:
    """Return an access with its probe, for accesses whose hook needs what they loaded."""
    fact = work.code.facts[index]
    access = fact.access
    assert access is not None
    registers = work.isa.registers
    live = work.liveness.after[index]
    address = _address(work, index)
    itself = f"{label}: {work.text(index)}"
    flags = _flags(work, live)
    keep = [_KEEP_LINK] if live & registers.link else []
    if access.value == "g0":
        return _discarding_load(work, index, label, flags)
    if access.form == Form.ATOMIC:
        return _atomic_sequence(access, itself, keep, flags)
    if not is_simple(access):
        return [address, itself, *keep, f"call {_RARE_AFTER}{flags}", "nop"]
    if not (fact.uses | fact.defs) & registers.link:
        return [*keep, address, f"call inst.{event_of(access)}.{access.value}{flags}", itself]
    return _link_load(work, index, label, flags)


def _discarding_load(work: Rewriting, index: int, label: str, flags: str) -> list[str]:
    """Return a load into %g0, which keeps nothing, with its probe.

    It loads into %g5 instead, which tells the decoder both what was loaded and that the
    instruction's register held zero.  GCC's barrier for V8 is such an ldstub.
    """
    fact = work.code.facts[index]
    statement = work.code.statements[work.code.statement[index]]
    if "k" not in flags and fact.uses & work.isa.registers.link:
        flags = f"{flags or '.'}k"
    keep = [_KEEP_LINK] if "k" in flags else []
    operands = "%g5".join(statement.operands.rsplit("%g0", 1))
    itself = f"{label}: {statement.name} {operands}"
    return ["mov %g0,%g5", itself, *keep, f"call {_RARE_AFTER}{flags}", "nop"]


def _link_load(work: Rewriting, index: int, label: str, flags: str) -> list[str]:
    """Return a load that has %o7 as its base or result, with its probe.

    GCC uses %o7 as an ordinary register where it is free.  In the slot of the probe's call
    the load finds its address in %g5 instead, and a result for %o7 goes to %g6, from where
    the glue puts it into %o7.
    """
    fact = work.code.facts[index]
    access = fact.access
    assert access is not None
    link = work.isa.registers.link
    mnemonic = work.code.statements[work.code.statement[index]].name
    into_link = bool(fact.defs & link)
    result = "g6" if into_link else access.value
    if into_link and "k" not in flags:
        flags = f"{flags or '.'}k"
    keep = [_KEEP_LINK] if "k" in flags and not into_link else []
    itself = f"{label}: {mnemonic} [%g5]{access.asi},%{result}"
    call = f"call inst.{event_of(access)}.{result}{flags}"
    return [*keep, _address(work, index), call, itself]


def _atomic_sequence(access: Access, itself: str, keep: list[str], flags: str) -> list[str]:
    """Return an atomic access with its probe behind it.

    %g5 carries what the instruction's register held before (what swap and casa store); the
    glue finds the address in the instruction and in the registers it saves.
    """
    return [f"mov %{access.value},%g5", itself, *keep, f"call {_RARE_AFTER}{flags}", "nop"]


def _hoisted_load(work: Rewriting, branch: int, label: str) -> list[str]:
    """Return a slot's load as code before its branch, which does not depend on it."""
    code, slot = work.code, branch + 1
    fact, load = code.facts[branch], code.facts[slot]
    liveness = work.liveness
    saved_after = liveness.after[slot]
    # Behind the hoisted load, what the branch reads is still to come.
    liveness.after[slot] = saved_after & ~fact.defs | fact.uses
    prefix: list[str] = []
    if load.defs & fact.uses:
        prefix = [_retarget_jump(work, branch)]
    sequence = _load_sequence(work, slot, label)
    liveness.after[slot] = saved_after
    return prefix + sequence


def _retarget_jump(work: Rewriting, branch: int) -> str:
    """Let a computed jump read its target from a free register; return the copying move."""
    code, slot = work.code, branch + 1
    fact, load = code.facts[branch], code.facts[slot]
    live = work.liveness.before[branch] | work.liveness.after[slot]
    avoid = fact.uses | load.uses | load.defs | work.isa.registers.link
    dead = dead_registers(work.isa, live, avoid)
    clash = work.isa.registers.listed(load.defs & fact.uses)
    statement = code.statements[code.statement[branch]]
    old = f"%{clash[0]}" if clash else ""
    if not dead or len(clash) != 1 or old not in statement.operands:
        raise statement_error(
            code, branch, "its delay slot overwrites what it reads, and no register is free"
        )
    edit = work.edits.at(code.statement[branch])
    edit.instead = f"{statement.name} {statement.operands.replace(old, f'%{dead[0]}')}"
    return f"mov {old},%{dead[0]}"


def _refuse_dependence(work: Rewriting, branch: int) -> None:
    """Refuse a slot that reads what its branch writes: its probe cannot stand before."""
    code = work.code
    if code.facts[branch].defs & code.facts[branch + 1].uses:
        raise statement_error(
            code, branch + 1, "this delay slot reads a register that its branch writes"
        )


def _retargeted(work: Rewriting, branch: int, mnemonic: str, target: str) -> str:
    code = work.code
    statement = code.statements[code.statement[branch]]
    operands = list(split_operands(statement.operands))
    operands[code.facts[branch].target_operand] = target
    return f"{mnemonic} {','.join(operands)}"


def _address(work: Rewriting, index: int) -> str:
    """Return the one instruction that puts the effective address into %g5."""
    access = work.code.facts[index].access
    assert access is not None
    offset = access.offset
    if _LOCATION.search(offset):
        raise statement_error(
            work.code, index, "this address depends on where its own instruction lies"
        )
    if access.base is None:
        return f"mov {offset or 0},%g5" if not access.index else f"mov %{access.index},%g5"
    if access.index is not None:
        return f"add %{access.base},%{access.index},%g5"
    return f"add %{access.base},{offset or 0},%g5"
