"""Probes for SPARC: a call of glue at every access, in delay slots too.

The effective address goes into a register that is free in such a sequence, by an `add` that
usually fills the delay slot of the call.  Where %o7 is live it is saved and the glue (flag `k`)
restores it; where condition codes or %y are live the glue (flag `x`) saves them.  With
values, a load runs in the delay slot of its own call, so that the glue sees what it loaded.
Which registers these are depends on the ABI: `inst.arch.sparc.rewrite.site`.
"""

from __future__ import annotations

from inst.arch.sparc.rewrite import leaving
from inst.arch.sparc.rewrite.site import Saving, in_place_of, in_use, saving, site_of
from inst.asm.operands import split_operands
from inst.dataclass import replace
from inst.flow.code import statement_error
from inst.flow.liveness import dead_registers
from inst.isa.model import Access, Form, RegisterSet
from inst.rewrite.context import Rewriting, event_of, is_simple
from inst.rewrite.edits import first_of_relocation
from inst.rewrite.label_differences import LOCATION
from inst.rewrite.ordering import is_only_barrier
from inst.rewrite.sites import NO_BRANCH, Site

_IN_USE_HINT = "instrument this file's callers only: compile it with INST_DISABLE=1"
_RARE, _RARE_AFTER, _TABLE = "inst.rare", "inst.rare.after", "inst.table"
_V8_FLOATS = 32
"""Registers of single precision: there are none of double precision beyond them."""
_AHEAD, _RELEASE, _ACQUIRE = "inst.rare.ahead", "inst.rare.release", "inst.rare.after.acquire"


def write(work: Rewriting, site: Site) -> None:
    """Write a site as calls of glue."""
    access = site.access
    if site.switches_stack:
        address = _address(work, site.index, access) if access is not None else ""
        leaving.begin(work, site.index, address)
    elif site.event:
        _system_event(work, site)
    elif access is None:
        _system_call(work, site.index)
    else:
        _refuse_scratch_in_use(work, site)
        (_in_sequence if site.branch == NO_BRANCH else _in_slot)(work, site, access)


def _refuse_scratch_in_use(work: Rewriting, site: Site) -> None:
    live = site.live_before | site.live_after
    if site.branch != NO_BRANCH:  # part of the site stands before the branch, or on both its ways
        live |= work.liveness.before[site.branch]
    if in_use(work, live):
        names = " or ".join(f"%{name}" for name in site_of(work).scratch)
        message = f"{names} is in use here, and the instrumentation needs it"
        raise statement_error(work.code, site.index, message, _IN_USE_HINT)


def _is_simple(work: Rewriting, access: Access) -> bool:
    """Return whether an ordinary entry can report the access."""
    if site_of(work).wide and (access.registers > 1 or access.asi):
        return False
    return is_simple(access) and not (work.values and _is_extended(work, access))


def _is_extended(work: Rewriting, access: Access) -> bool:
    """Return whether 32-bit code for V9 uses a register that V8 has not: of 64 bits, or %f32 on."""
    value = access.value
    if site_of(work).wide or value is None or access.size < 8:
        return False
    if value.startswith("f"):
        return value[1:].isdigit() and int(value[1:]) >= _V8_FLOATS
    return access.registers == 1


def _in_sequence(work: Rewriting, site: Site, access: Access) -> None:
    """Probe an access that is not in a delay slot."""
    index = site.index
    edit = work.edit(index)
    label = _marked(work, index, access)
    if index in work.originals:
        edit.before += _renamed(work, site, access, label)
        edit.instead = ""
    elif not _runs_first(work, access):
        edit.before += [*_store_sequence(work, site, access, site.live_before), f"{label}:"]
    elif _is_relocated(work, index):
        first, itself, *after = _load_sequence(work, site, access, label)
        *unrun, edit.instead = itself.split("; ")  # the .reloc refers to what runs
        edit.before += [first, *unrun]
        edit.after += after
    else:
        edit.before += [*_ahead(work, site, access), *_load_sequence(work, site, access, label)]
        edit.instead = ""


def _renamed(work: Rewriting, site: Site, access: Access, label: str) -> list[str]:
    """Return an access whose registers are renamed for another window, with its probe."""
    index, ordered = site.index, site.index in work.orders
    itself = in_place_of(work, label, work.originals[index], work.code.text(index))
    if _runs_first(work, access):
        return _decoded_load(work, site, access, "", itself, _ACQUIRE if ordered else _RARE_AFTER)
    saved = saving(work, site.live_before, None)
    call = f"call {_RELEASE if ordered else _RARE}{saved.flags}"
    return [_address(work, index, access), *saved.save, call, "nop", *saved.restore, itself]


def _ahead(work: Rewriting, site: Site, access: Access) -> list[str]:
    """Return the call before an atomic access: later accesses of others come after this thread's.

    Its other probe, after it, may come too late: another thread's access may be reported first.
    """
    fact = work.code.facts[site.index]
    if access.form != Form.ATOMIC or is_only_barrier(fact) or not work.values:
        return []
    live = site.live_before | site.live_after & ~fact.defs
    link = (fact.uses | fact.defs) & work.isa.registers.link
    saved = saving(work, live | link, None)
    return [*saved.save, f"call {_AHEAD}{saved.flags}", "nop", *saved.restore]


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


def _system_event(work: Rewriting, site: Site) -> None:
    """Insert a probe before an instruction which changes translations, or is a barrier."""
    _refuse_scratch_in_use(work, site)
    label = work.mark_site(site.index, site.event.name.lower(), 0)
    keep = site_of(work).keep
    work.edit(site.index).before += [*keep, f"call {_RARE}.xk", "nop", f"{label}:"]


def _in_slot(work: Rewriting, site: Site, access: Access) -> None:
    """Probe an access in a delay slot."""
    branch, first = site.branch, _runs_first(work, access)
    fact = work.code.facts[branch]
    if _is_relocated(work, site.index) and (fact.annul or first):
        message = "it cannot move out of its delay slot: a .reloc speaks of this place"
        raise statement_error(work.code, site.index, message)
    if fact.annul:
        _in_annulled_slot(work, site, access)
        return
    _refuse_dependence(work, branch)
    if first and _needs_both_ways(work, branch):
        _in_slot_on_both_ways(work, site, access)
        return
    label = _marked(work, site.index, access)
    at_branch, at_slot = work.edit(branch), work.edit(site.index)
    if first:
        at_branch.before += _hoisted_load(work, site, access, label)
        at_slot.instead = "nop"
    else:
        at_branch.before += _store_sequence(work, site, access, work.liveness.before[branch])
        at_slot.before.append(f"{label}:")


def _needs_both_ways(work: Rewriting, branch: int) -> bool:
    """Return whether a slot's load overwrites what its branch reads, and no register is free."""
    fact, load = work.code.facts[branch], work.code.facts[branch + 1]
    clash = bool(load.defs & fact.uses) and fact.conditional and bool(fact.inverse)
    return clash and not _free_for_target(work, branch)


def _in_slot_on_both_ways(work: Rewriting, site: Site, access: Access) -> None:
    """Probe a slot's load after its branch, once on each path: it cannot go before."""
    code, branch = work.code, site.branch
    fact = code.facts[branch]
    labels = [_marked(work, site.index, access) for _ in range(2)]
    taken, straight = (_load_sequence(work, site, access, label) for label in labels)
    skip = work.edits.new_label()
    work.edit(branch).instead = f"{code.retargeted(branch, skip, fact.inverse)}; nop"
    lines = [*taken, f"ba {fact.target}", "nop", f"{skip}:", *straight]
    work.edit(site.index).instead = "; ".join(lines)


def _in_annulled_slot(work: Rewriting, site: Site, access: Access) -> None:
    """Probe the slot of a conditional annulled branch: it runs only when the branch is taken.

    The branch is inverted around probe, access and an unconditional branch.
    """
    code, branch = work.code, site.branch
    fact = code.facts[branch]
    if not fact.inverse:
        raise statement_error(code, branch, "no opposite of this annulled branch is known")
    label = _marked(work, site.index, access)
    skip = work.edits.new_label()
    # The first instruction only computes the address: it may run on both paths.
    if _runs_first(work, access):
        first, *rest = _load_sequence(work, site, access, label)
        rest += [f"ba {fact.target}", "nop"]
    else:
        first, *rest = _store_sequence(work, site, access, site.live_before, fill=False)
        rest += [f"ba {fact.target}", f"{label}: {code.text(site.index)}"]
    inverted = code.retargeted(branch, skip, fact.inverse.replace(",a", ""))
    work.edit(branch).instead = f"{inverted}; {first}"
    work.edit(site.index).instead = "; ".join([*rest, f"{skip}:"])


def _marked(work: Rewriting, index: int, access: Access) -> str:
    event = event_of(access) if _is_simple(work, access) else "rare"
    return work.mark_site(index, event, access.size)


def _runs_first(work: Rewriting, access: Access) -> bool:
    """Return whether the access must have run before its hook is called.

    The decoder for V8 takes what is in a register of V9 from memory, where the access has been.
    """
    if access.form == Form.ATOMIC or access.linker_rewrites:
        return True
    extended = access.value != "g0" and _is_extended(work, access)
    return work.values and (access.load or extended)


def _store_sequence(
    work: Rewriting, site: Site, access: Access, live: RegisterSet, fill: bool = True
) -> list[str]:
    """Return a probe that stands before its access; `live` is the state where it stands.

    With `fill` the address is computed in the call's delay slot; without, before the call.
    """
    index, fact = site.index, work.code.facts[site.index]
    ordered = index in work.orders
    entry, simple = _RELEASE if ordered else _RARE, _is_simple(work, access) and not ordered
    at = index if simple and site.branch == NO_BRANCH else None
    saved = saving(work, live, fact.uses | fact.defs if simple else None, at)
    if simple:
        value = saved.link if access.value == "o7" else access.value
        entry = f"inst.{event_of(access)}" + (f".{value}" if work.values else "")
    address = _address(work, index, access)
    call = f"call {entry}{saved.flags}"
    if fill and not fact.uses & saved.displaced:
        return [*saved.save, call, address, *saved.restore]
    return [address, *saved.save, call, "nop", *saved.restore]


def _load_sequence(work: Rewriting, site: Site, access: Access, label: str) -> list[str]:
    """Return an access with its probe, for accesses whose hook needs what they loaded."""
    index, fact = site.index, work.code.facts[site.index]
    itself = f"{label}: {work.code.text(index)}"
    if access.linker_rewrites:
        return _table_load(work, site, access, itself)
    stays = index in work.marked or _is_relocated(work, index)
    if stays and access.form != Form.ATOMIC and access.value != "g0":
        # If it faults, control goes elsewhere: it must not run in the middle of a call.
        return _load_before_call(work, site, access, itself)
    if access.value == "g0":
        return _decoded_load(work, site, access, "mov %g0", _discarding(work, index, label))
    if access.form == Form.ATOMIC:
        return _decoded_load(work, site, access, f"mov %{access.value}", itself)
    if index in work.orders:
        return _decoded_load(work, site, access, "", itself, _ACQUIRE)
    if not _is_simple(work, access) or fact.defs & work.isa.registers.bit["o6"]:
        return _decoded_load(work, site, access, "", itself)
    shared = index if site.branch == NO_BRANCH else None
    saved = saving(work, site.live_after, fact.uses | fact.defs, shared)
    if (fact.uses | fact.defs) & (saved.displaced | work.isa.registers.link):
        return _load_before_call(work, site, access, itself)
    call = f"call inst.{event_of(access)}.{access.value}{saved.flags}"
    return [_address(work, index, access), *saved.save, call, itself, *saved.restore]


def _load_before_call(work: Rewriting, site: Site, access: Access, itself: str) -> list[str]:
    """Return a load that cannot run in the slot of its call, with the probe after it."""
    fact, registers = work.code.facts[site.index], work.isa.registers
    saved = _saving_after(work, site)
    named = _is_simple(work, access) and not fact.defs & registers.bit["o6"]
    if not named or "k" not in saved.flags or site.index in work.orders:
        return _decoded_load(work, site, access, "", itself)
    value = saved.link if access.value == "o7" else access.value
    call = f"call inst.{event_of(access)}.after.{value}{saved.flags}"
    return [_address(work, site.index, access), itself, *saved.save, call, "nop"]


def _saving_after(work: Rewriting, site: Site) -> Saving:
    """Return what a probe saves after its access; the glue knows %o7 where the access uses it."""
    fact = work.code.facts[site.index]
    named = fact.uses | fact.defs
    link = named & work.isa.registers.link
    return saving(work, site.live_after | link, None if link else named)


def _table_load(work: Rewriting, site: Site, access: Access, itself: str) -> list[str]:
    """Return a load that the linker may turn into an addition: the glue checks what is there."""
    fact = work.code.facts[site.index]
    named = fact.uses | fact.defs
    saved = saving(work, site.live_after, named)
    if named & saved.displaced:
        return _decoded_load(work, site, access, "", itself, _TABLE)
    call = f"call {_TABLE}{saved.flags}"
    return [_address(work, site.index, access), *saved.save, call, itself, *saved.restore]


def _discarding(work: Rewriting, index: int, label: str) -> str:
    """Return an instruction that loads into %g0, rewritten to keep what it loads.

    It loads into the address register instead, from which the decoder knows both what was loaded
    and that the instruction's register held zero.  GCC's barrier for V8 is such an ldstub.
    """
    statement = work.code.at(index)
    operands = f"%{site_of(work).address}".join(statement.operands.rsplit("%g0", 1))
    return in_place_of(work, label, work.code.text(index), f"{statement.name} {operands}")


def _decoded_load(
    work: Rewriting,
    site: Site,
    access: Access,
    before: str,
    itself: str,
    entry: str = _RARE_AFTER,
) -> list[str]:
    """Return an access with its probe after it: the glue decodes the instruction.

    The address register carries the address; or what the instruction's register held before,
    by the move `before`, where the glue finds the address in the registers that it saves.
    """
    first = f"{before},%{site_of(work).address}" if before else _address(work, site.index, access)
    saved = _saving_after(work, site)
    return [first, itself, *saved.save, f"call {entry}{saved.flags}", "nop", *saved.restore]


def _hoisted_load(work: Rewriting, site: Site, access: Access, label: str) -> list[str]:
    """Return a slot's load as code before its branch, which does not depend on it."""
    fact, load = work.code.facts[site.branch], work.code.facts[site.index]
    # After the hoisted load, what the branch reads is still live.
    live = site.live_after & ~fact.defs | fact.uses
    prefix: list[str] = []
    if load.defs & fact.uses:
        copy, move = _retarget_jump(work, site.branch)
        live |= copy
        prefix = [move]
    hoisted = replace(site, live_after=live)
    ahead = _ahead(work, hoisted, access)
    return [*prefix, *ahead, *_load_sequence(work, hoisted, access, label)]


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


def _address(work: Rewriting, index: int, access: Access) -> str:
    """Return the one instruction that puts the effective address into its register."""
    to = f"%{site_of(work).address}"
    offset = access.offset
    if LOCATION.search(offset):
        raise statement_error(
            work.code, index, "this address depends on where its own instruction lies"
        )
    if access.base is None:
        return f"mov {offset or 0},{to}" if not access.index else f"mov %{access.index},{to}"
    if access.index is not None:
        return f"add %{access.base},%{access.index},{to}"
    return f"add %{access.base},{offset or 0},{to}"
