"""Probes for SPARC: a call of glue at every access, in delay slots too.

The effective address goes into a register that is free in such a sequence, by an `add` that
usually fills the delay slot of the call.  Where %o7 is live it is saved and the glue (flag `k`)
restores it; where condition codes or %y are live the glue (flag `x`) saves them.  With
values, a load runs in the delay slot of its own call, so that the glue sees what it loaded.
Which registers these are depends on the ABI: `inst.rewrite.sparc_site`.
"""

from __future__ import annotations

import re

from inst.asm.operands import split_operands
from inst.flow.code import statement_error
from inst.flow.liveness import dead_registers
from inst.isa.model import Access, Form, RegisterSet
from inst.rewrite import sparc_leaving
from inst.rewrite.context import Rewriting, event_of, is_simple
from inst.rewrite.edits import first_of_relocation
from inst.rewrite.ordering import is_exchange
from inst.rewrite.sparc_site import in_place_of, keeping, site_of

_IN_USE_HINT = "instrument this file's callers only: compile it with INST_DISABLE=1"
_RARE, _RARE_AFTER, _TABLE = "inst.rare", "inst.rare.after", "inst.table"
_AHEAD, _RELEASE, _ACQUIRE = "inst.rare.ahead", "inst.rare.release", "inst.rare.after.acquire"
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
        if fact.runs_slot:
            if index + 1 in ends:
                raise statement_error(code, index, "the file ends where a delay slot should be")
            if facts[index + 1].access is not None:
                _in_slot(work, index)
            index += 2
            continue
        if index in work.leaving and _begin_leaving(work, index):
            pass
        elif fact.access is not None:
            _straight(work, index)
        elif fact.system_call:
            _system_call(work, index)
        index += 1


def _begin_leaving(work: Rewriting, index: int) -> bool:
    """Keep the hooks on the old stack while it is still read; return whether that can be done."""
    is_access = work.code.facts[index].access is not None
    address = _address(work, index) if is_access else ""
    if sparc_leaving.begin(work, work.leaving[index], address):
        return True
    del work.leaving[index]
    return False


def _is_simple(work: Rewriting, access: Access) -> bool:
    """Return whether an ordinary entry can report the access."""
    if site_of(work).wide and (access.registers > 1 or access.asi):
        return False
    return is_simple(access)


def _straight(work: Rewriting, index: int) -> None:
    """Probe an access that is not in a delay slot."""
    access = _access(work, index)
    edit = work.edit(index)
    label = _marked(work, index, access)
    if index in work.originals:
        edit.before += _renamed(work, index, label)
        edit.instead = ""
    elif not _runs_first(work, access):
        live = work.liveness.before[index]
        edit.before += [*_store_sequence(work, index, live, straight=True), f"{label}:"]
    elif _is_relocated(work, index):
        first, itself, *behind = _load_sequence(work, index, label, straight=True)
        *unrun, edit.instead = itself.split("; ")  # the .reloc refers to what runs
        edit.before += [first, *unrun]
        edit.after += behind
    else:
        edit.before += [*_ahead(work, index), *_load_sequence(work, index, label, straight=True)]
        edit.instead = ""


def _renamed(work: Rewriting, index: int, label: str) -> list[str]:
    """Return an access whose registers are renamed for another window, with its probe."""
    ordered, access = index in work.orders, _access(work, index)
    itself = in_place_of(work, label, work.originals[index], work.code.text(index))
    if _runs_first(work, access):
        return _decoded_load(work, index, "", itself, _ACQUIRE if ordered else _RARE_AFTER)
    kept = keeping(work, work.liveness.before[index], None)
    call = f"call {_RELEASE if ordered else _RARE}{kept.flags}"
    return [_address(work, index), *kept.keep, call, "nop", *kept.give_back, itself]


def _ahead(work: Rewriting, index: int) -> list[str]:
    """Return the call before an atomic access: later accesses of others come after this thread's.

    Its other probe, after it, may come too late: another thread's access may be reported first.
    """
    access = _access(work, index)
    if access.form != Form.ATOMIC or is_exchange(access) or not work.values:
        return []
    fact = work.code.facts[index]
    live = work.liveness.before[index] | work.liveness.after[index] & ~fact.defs
    link = (fact.uses | fact.defs) & work.isa.registers.link
    kept = keeping(work, live | link, None)
    return [*kept.keep, f"call {_AHEAD}{kept.flags}", "nop", *kept.give_back]


def _is_relocated(work: Rewriting, index: int) -> bool:
    """Return whether a `.reloc` before an instruction refers to it."""
    position = work.code.statement[index]
    return first_of_relocation(work.code.statements, position) != position


def _system_call(work: Rewriting, index: int) -> None:
    """Insert a probe before a system call and one after it: both find the call in the code."""
    site = site_of(work)
    edit = work.edit(index)
    edit.before += [*site.keep, f"call {_RARE}.xk", "nop"]
    edit.after += [*site.keep, f"call {_RARE_AFTER}.xk", "nop"]


def _in_slot(work: Rewriting, branch: int) -> None:
    """Probe the access in the delay slot of instruction `branch`."""
    fact, slot = work.code.facts[branch], branch + 1
    access = _access(work, slot)
    if _is_relocated(work, slot) and (fact.annul or _runs_first(work, access)):
        raise statement_error(
            work.code, slot, "it cannot move out of its delay slot: a .reloc speaks of this place"
        )
    if fact.annul:
        _in_annulled_slot(work, branch)
        return
    _refuse_dependence(work, branch)
    if _runs_first(work, access) and _needs_both_ways(work, branch):
        _in_slot_on_both_ways(work, branch)
        return
    label = _marked(work, slot, access)
    at_branch = work.edit(branch)
    at_slot = work.edit(slot)
    if _runs_first(work, access):
        at_branch.before += _hoisted_load(work, branch, label)
        at_slot.instead = "nop"
    else:
        live = work.liveness.before[branch]
        at_branch.before += _store_sequence(work, slot, live)
        at_slot.before.append(f"{label}:")


def _needs_both_ways(work: Rewriting, branch: int) -> bool:
    """Return whether a slot's load overwrites what its branch reads, and no register is free."""
    fact, load = work.code.facts[branch], work.code.facts[branch + 1]
    clash = bool(load.defs & fact.uses) and fact.conditional and bool(fact.inverse)
    return clash and not _free_for_target(work, branch)


def _in_slot_on_both_ways(work: Rewriting, branch: int) -> None:
    """Probe a slot's load after its branch, once on each path: it cannot go before."""
    code, slot = work.code, branch + 1
    fact = code.facts[branch]
    access = _access(work, slot)
    labels = [_marked(work, slot, access) for _ in range(2)]
    taken, straight = (_load_sequence(work, slot, label) for label in labels)
    skip = work.edits.new_label()
    inverted = code.retargeted(branch, skip, fact.inverse)
    work.edits.at(code.statement[branch]).instead = f"{inverted}; nop"
    lines = [*taken, f"ba {fact.target}", "nop", f"{skip}:", *straight]
    work.edits.at(code.statement[slot]).instead = "; ".join(lines)


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
    inverted = code.retargeted(branch, skip, fact.inverse.replace(",a", ""))
    # The first instruction only computes the address: it may run on both paths.
    if _runs_first(work, access):
        first, *rest = _load_sequence(work, slot, label)
        rest += [f"ba {fact.target}", "nop"]
    else:
        first, *rest = _store_sequence(work, slot, work.liveness.before[slot], fill=False)
        rest += [f"ba {fact.target}", f"{label}: {work.code.text(slot)}"]
    at_branch.instead = "; ".join([inverted, first])
    at_slot.instead = "; ".join([*rest, f"{skip}:"])


def _access(work: Rewriting, index: int) -> Access:
    access = work.code.facts[index].access
    assert access is not None
    names = site_of(work).scratch
    scratch = work.isa.registers.mask(*names)
    state = work.liveness.before[index] | work.liveness.after[index]
    if state & scratch & work.mentioned and work.options.check_registers:
        raise statement_error(
            work.code,
            index,
            f"{' or '.join(f'%{name}' for name in names)} is in use here, and the"
            " instrumentation needs it",
            _IN_USE_HINT,
        )
    return access


def _marked(work: Rewriting, index: int, access: Access) -> str:
    event = event_of(access) if _is_simple(work, access) else "rare"
    return work.mark_site(index, event, access.size)


def _runs_first(work: Rewriting, access: Access) -> bool:
    """Return whether the access must have run before its hook is called."""
    if access.form == Form.ATOMIC or access.linker_rewrites:
        return True
    return access.load and work.values


def _store_sequence(
    work: Rewriting, index: int, live: RegisterSet, fill: bool = True, straight: bool = False
) -> list[str]:
    """Return a probe that stands before its access; `live` is the state where it stands.

    With `fill` the address is computed in the call's delay slot; without, before the call.
    `straight` says that the access is in no slot, and its probe right before it.
    """
    fact = work.code.facts[index]
    access = fact.access
    assert access is not None
    ordered = index in work.orders
    entry, simple = _RELEASE if ordered else _RARE, _is_simple(work, access) and not ordered
    at = index if straight and simple else None
    kept = keeping(work, live, fact.uses | fact.defs if simple else None, at)
    if simple:
        value = kept.link if access.value == "o7" else access.value
        entry = f"inst.{event_of(access)}" + (f".{value}" if work.values else "")
    address = _address(work, index)
    call = f"call {entry}{kept.flags}"
    if fill and not fact.uses & kept.displaced:
        return [*kept.keep, call, address, *kept.give_back]
    return [address, *kept.keep, call, "nop", *kept.give_back]


def _load_sequence(work: Rewriting, index: int, label: str, straight: bool = False) -> list[str]:
    """Return an access with its probe, for accesses whose hook needs what they loaded.

    `straight` says that it replaces the access where that stands, which is in no slot.
    """
    fact = work.code.facts[index]
    access = fact.access
    assert access is not None
    live = work.liveness.after[index]
    itself = f"{label}: {work.code.text(index)}"
    if access.linker_rewrites:
        return _table_load(work, index, itself)
    stays = index in work.marked or _is_relocated(work, index)
    if stays and access.form != Form.ATOMIC and access.value != "g0":
        # If it faults, control goes elsewhere: it must not run in the middle of a call.
        return _decoded_load(work, index, "", itself)
    if access.value == "g0":
        return _decoded_load(work, index, "mov %g0", _discarding(work, index, label))
    if access.form == Form.ATOMIC:
        return _decoded_load(work, index, f"mov %{access.value}", itself)
    if index in work.orders:
        return _decoded_load(work, index, "", itself, _ACQUIRE)
    if not _is_simple(work, access) or fact.defs & work.isa.registers.bit["o6"]:
        return _decoded_load(work, index, "", itself)
    kept = keeping(work, live, fact.uses | fact.defs, index if straight else None)
    if (fact.uses | fact.defs) & (kept.displaced | work.isa.registers.link):
        return _decoded_load(work, index, "", itself)  # it cannot run in the slot of a call
    call = f"call inst.{event_of(access)}.{access.value}{kept.flags}"
    return [_address(work, index), *kept.keep, call, itself, *kept.give_back]


def _table_load(work: Rewriting, index: int, itself: str) -> list[str]:
    """Return a load that the linker may turn into an addition: the glue checks what is there."""
    fact = work.code.facts[index]
    named = fact.uses | fact.defs
    kept = keeping(work, work.liveness.after[index], named)
    if named & kept.displaced:
        return _decoded_load(work, index, "", itself, _TABLE)
    call = f"call {_TABLE}{kept.flags}"
    return [_address(work, index), *kept.keep, call, itself, *kept.give_back]


def _discarding(work: Rewriting, index: int, label: str) -> str:
    """Return an instruction that loads into %g0, rewritten to keep what it loads.

    It loads into the address register instead, from which the decoder knows both what was loaded
    and that the instruction's register held zero.  GCC's barrier for V8 is such an ldstub.
    """
    statement = work.code.at(index)
    operands = f"%{site_of(work).address}".join(statement.operands.rsplit("%g0", 1))
    return in_place_of(work, label, work.code.text(index), f"{statement.name} {operands}")


def _decoded_load(
    work: Rewriting, index: int, before: str, itself: str, entry: str = _RARE_AFTER
) -> list[str]:
    """Return an access with its probe after it: the glue decodes the instruction.

    The address register carries the address; or what the instruction's register held before,
    by the move `before`, where the glue finds the address in the registers that it saves.
    """
    fact, site = work.code.facts[index], site_of(work)
    first = f"{before},%{site.address}" if before else _address(work, index)
    named = fact.uses | fact.defs
    link = named & work.isa.registers.link
    kept = keeping(work, work.liveness.after[index] | link, None if link else named)
    return [first, itself, *kept.keep, f"call {entry}{kept.flags}", "nop", *kept.give_back]


def _hoisted_load(work: Rewriting, branch: int, label: str) -> list[str]:
    """Return a slot's load as code before its branch, which does not depend on it."""
    code, slot = work.code, branch + 1
    fact, load = code.facts[branch], code.facts[slot]
    liveness = work.liveness
    saved_after = liveness.after[slot]
    # After the hoisted load, what the branch reads is still live.
    liveness.after[slot] = saved_after & ~fact.defs | fact.uses
    prefix: list[str] = []
    if load.defs & fact.uses:
        copy, move = _retarget_jump(work, branch)
        liveness.after[slot] |= copy
        prefix = [move]
    sequence = [*_ahead(work, slot), *_load_sequence(work, slot, label)]
    liveness.after[slot] = saved_after
    return prefix + sequence


def _retarget_jump(work: Rewriting, branch: int) -> tuple[RegisterSet, str]:
    """Make a computed jump read its target from a free register: return it, and the move there.

    A call can always have its own link register for that, which it writes.
    """
    code, slot = work.code, branch + 1
    fact, load = code.facts[branch], code.facts[slot]
    registers = work.isa.registers
    dead = _free_for_target(work, branch)
    clash = work.isa.registers.listed(load.defs & fact.uses)
    statement = code.at(branch)
    old = f"%{clash[0]}" if clash else ""
    if not dead or len(clash) != 1 or old not in statement.operands:
        raise statement_error(
            code, branch, "its delay slot overwrites what it reads, and no register is free"
        )
    edit = work.edits.at(code.statement[branch])
    target, *result = split_operands(statement.operands)
    operands = [target.replace(old, f"%{dead[0]}"), *result]
    edit.instead = f"{statement.name} {','.join(operands)}"
    return registers.bit[dead[0]], f"mov {old},%{dead[0]}"


def _free_for_target(work: Rewriting, branch: int) -> list[str]:
    """Return the registers that can hold what a branch reads over the load in its slot."""
    fact, load = work.code.facts[branch], work.code.facts[branch + 1]
    live = work.liveness.before[branch] | work.liveness.after[branch + 1]
    registers = work.isa.registers
    avoid = fact.uses | load.uses | load.defs
    dead = dead_registers(work.isa, live, avoid | registers.link)
    if not dead and fact.defs & registers.link & ~avoid:
        return registers.listed(registers.link)
    return dead


def _refuse_dependence(work: Rewriting, branch: int) -> None:
    """Refuse a slot that reads what its branch writes: its probe cannot stand before."""
    code = work.code
    if code.facts[branch].defs & code.facts[branch + 1].uses:
        raise statement_error(
            code, branch + 1, "this delay slot reads a register that its branch writes"
        )


def _address(work: Rewriting, index: int) -> str:
    """Return the one instruction that puts the effective address into its register."""
    to = f"%{site_of(work).address}"
    access = work.code.facts[index].access
    assert access is not None
    offset = access.offset
    if _LOCATION.search(offset):
        raise statement_error(
            work.code, index, "this address depends on where its own instruction lies"
        )
    if access.base is None:
        return f"mov {offset or 0},{to}" if not access.index else f"mov %{access.index},{to}"
    if access.index is not None:
        return f"add %{access.base},%{access.index},{to}"
    return f"add %{access.base},{offset or 0},{to}"
