"""Probes for PowerPC, of both widths: the effective address in a carrier, then `bl` of glue.

Which register that is, and what is saved around the call, is the site ABI's matter:
`inst.arch.powerpc.rewrite.site`.  Loads from the GOT or TOC are different: the linker turns those
whose symbol is near into additions.  Their probe passes the base only, and the glue checks what
the instruction has become.

Nothing is ever inserted between a load that makes a reservation and its conditional store:
a store in between could make the pair fail for ever on hardware, which no emulator shows. Accesses
there are counted outside (`unreported`).
"""

from __future__ import annotations

from inst.arch.powerpc.rewrite import leaving
from inst.arch.powerpc.rewrite.lr_slot import UNWOUND, UNWOUND_BEFORE
from inst.arch.powerpc.rewrite.site import (
    Plan,
    address_into,
    flags_of,
    has_framed_entry,
    number,
    on_stack,
    overwrites_address,
    plan_of,
    site_of,
    uses_stack,
    wait_in_frame,
)
from inst.arch.powerpc.sites import ADDRESS_WORDS, BEHIND, RESTORES, WITHIN
from inst.flow.liveness import dead_registers
from inst.isa.model import Access, Form, RegisterSet, Transfer
from inst.rewrite.context import Rewriting, event_of, is_simple, named_event
from inst.rewrite.sites import Site

_MARKER = "R_PPC64_PCREL_OPT"
"""A relocation that lets the linker move a later access to where its address is loaded."""


def write(work: Rewriting, site: Site) -> None:
    """Write a site as calls of glue."""
    index, access = site.index, site.access
    if site.switches_stack:
        leaving.begin(work, index)
    elif site.event:
        _system_event(work, site)
    elif access is None:
        _system_call(work, site)
    elif site.from_table:
        _after(work, site, access, "table")
    elif access.form == Form.CONDITIONAL or _restores_toc(work, index, access):
        _wholly_after(work, site, access, work.ordering_entry(index, "rare.after"))
    elif access.form == Form.RESERVE:  # reported before it runs: nothing may be inserted after it
        _before(work, site, access, work.ordering_entry(index, "rare"))
    elif index in work.orders and access.form == Form.SIMPLE:
        (_after if access.load else _before)(work, site, access, work.ordering_entry(index, ""))
    elif not is_simple(access):
        after = access.load and work.values
        (_after if after else _before)(work, site, access, "rare.after" if after else "rare")
    elif access.load and work.values:
        _after(work, site, access, f"{event_of(access)}.{access.value}")
    else:
        value = f".{access.value}" if work.values else ""
        _before(work, site, access, f"{event_of(access)}{value}")


def drop_markers(work: Rewriting) -> None:
    """Remove the relocations that let the linker move accesses away from their probes."""
    if not work.rows or work.isa.bits == 32:
        return
    for position, statement in enumerate(work.code.statements):
        if statement.name == ".reloc" and _MARKER in statement.operands:
            work.edits.at(position).instead = ""


def count(work: Rewriting, index: int, entry: str) -> None:
    """Insert a call of glue before an instruction, and before what else is inserted there.

    Code that records has stored its pointer before: nothing else stands before a transfer.
    """
    before = work.edit(index).before
    at = len(before) if work.options.record else 0
    before[at:at] = count_sequence(work, index, entry)


def count_sequence(work: Rewriting, index: int, entry: str) -> list[str]:
    """Return a call of glue that passes nothing, before an instruction."""
    plan = _count_plan(work, index)
    carrier = ".a12" if work.small_data else ""
    return [*plan.save, f"bl {entry}{carrier}{plan.flags}", *plan.restore]


def _count_plan(work: Rewriting, index: int) -> Plan:
    """Return what a count before an instruction saves: it passes no address."""
    live, site = work.liveness.before[index], site_of(work)
    if site.is_free:
        return plan_of(work, index, live)
    fact, flags = work.code.facts[index], flags_of(work, live)
    if not live & work.isa.registers.link:
        return Plan(site, site.unnamed, (), (), flags)
    dead = dead_registers(work.isa, live | work.liveness.after[index], fact.uses | fact.defs)
    if not dead:
        return on_stack(work, "r12", flags)
    keeper = dead[-1][1:]
    return Plan(site, site.unnamed, (f"mflr {keeper}",), (f"mtlr {keeper}",), flags)


def number_sequence(
    work: Rewriting, index: int, live: RegisterSet, entry: str, amount: int
) -> list[str]:
    """Return a call of glue that passes a number, before or after an instruction."""
    plan = plan_of(work, index, live)
    if plan.framed and not plan.site.is_free:  # what the instruction reads is restored before it
        plan = on_stack(work, "r12", plan.flags)
    passed = f"li {plan.carrier[1:]},{amount}"
    return [*plan.save, passed, f"bl {plan.entry(entry, entry)}", *plan.restore, *plan.late]


def _system_call(work: Rewriting, site: Site) -> None:
    """Insert a probe before a system call and one after it: both find the call in the code.

    Everything is live at a call, so lr is saved on the stack wherever it is needed at all.
    """
    plan = _plan_of_system(work, site)
    edit = work.edit(site.index)
    edit.before += [*plan.save, f"bl {plan.entry('rare', 'rare')}", *plan.restore]
    edit.after += [*plan.save, f"bl {plan.entry('rare.after', 'rare.after')}", *plan.restore]


def _system_event(work: Rewriting, site: Site) -> None:
    """Insert a probe before an instruction which changes translations, or is a barrier."""
    plan = _plan_of_system(work, site)
    label = work.mark_site(site.index, site.event.name.lower(), 0)
    call = f"bl {plan.entry('rare', 'rare')}"
    work.edit(site.index).before += [*plan.save, call, *plan.restore, f"{label}:"]


def _plan_of_system(work: Rewriting, site: Site) -> Plan:
    """Return the plan of a probe that passes no address, before which everything is live."""
    registers = work.isa.registers
    if not site_of(work).is_free:
        return on_stack(work, "r12", ".x")
    live = site.live_before | site.live_after | registers.integer | registers.special
    return plan_of(work, site.index, live)


def _restores_toc(work: Rewriting, index: int, access: Access) -> bool:
    """Return whether this is `ld 2,24(1)` after a call: unwinders look for it right there."""
    if work.isa.bits == 32 or access.value != "r2" or not index:
        return False
    return work.code.facts[index - 1].transfer == Transfer.CALL


def _before(work: Rewriting, site: Site, access: Access, entry: str) -> None:
    """Insert a probe before an access."""
    index, decoded = site.index, entry.startswith("rare")
    plan = plan_of(work, index, site.live_before, shares_link=not decoded)
    symbol = plan.entry(entry, entry if decoded else "rare")
    if not decoded and has_framed_entry(work, index, plan):
        symbol = plan.framed_entry(entry, BEHIND)
    elif not decoded and plan.restore and not plan.framed:
        symbol += RESTORES if plan.flags else f".{RESTORES}"
    call = f"bl {symbol}"
    sequence = [*plan.with_address(address_into(work, index, plan)), call, *plan.restore]
    edit = work.edit(index)
    if access.form == Form.RESERVE:  # nothing may follow it
        work.hook_starts[index] = len(edit.before)
        edit.before += [*sequence, *plan.late, _label(work, index, access)]
        return
    unwound, unwound_before = (UNWOUND, UNWOUND_BEFORE) if plan.unwound else ((), ())
    edit.before += [*sequence, *unwound, _label(work, index, access)]
    edit.after += [*plan.late, *unwound_before]


def _after(work: Rewriting, site: Site, access: Access, entry: str) -> None:
    """Insert a probe after an access; its address is computed before it."""
    index = site.index
    rare = entry if entry.startswith(("rare", "table")) else "rare.after"
    plan = plan_of(work, index, site.live_after, shares_link=not entry.startswith("rare"))
    edit, call = work.edit(index), f"bl {plan.entry(entry, rare)}"
    by_name = rare != entry and has_framed_entry(work, index, plan)
    if site.from_table:  # the glue reads what the linker has made of the offset
        to = plan.carrier[1:]
        address = [f"mr {to},{number(access.base)}" if access.base else f"li {to},0"]
    else:
        address = address_into(work, index, plan)
    if plan.framed and plan.site.is_free:  # the frame may only be made after the access
        call = f"bl {plan.framed_entry(entry, BEHIND)}" if by_name else call
        edit.before += [*address, _label(work, index, access)]
        edit.after += [*plan.save, call, *plan.restore]
    elif not plan.framed or site.from_table:
        edit.before += [*plan.save, *address, _label(work, index, access)]
        edit.after += [call, *plan.restore, *plan.late]
    elif not overwrites_address(work, index):
        _wholly_after(work, site, access, rare, entry if by_name else "")
    elif uses_stack(work, index):
        # The stack pointer's own reload: only a probe before it can know where
        # it comes from.  The decoder reads the value, which lies on the thread's own stack.
        _before(work, site, access, "rare")
    else:
        waits, comes = wait_in_frame(work, index, plan)
        if by_name and not waits:
            call = f"bl {plan.framed_entry(entry, WITHIN)}"
        edit.before += [*plan.save, *address, *waits, _label(work, index, access)]
        edit.after += [*comes, call, *plan.restore]


def _wholly_after(work: Rewriting, site: Site, access: Access, entry: str, named: str = "") -> None:
    """Insert a probe after an access, with everything it needs.

    With `named`, a site with a frame calls the entry of that event, which knows the distance,
    unless the address takes more instructions: its registers may have to be loaded from the frame.

    A conditional store is followed by its whole probe: nothing may be inserted before it, and it
    changes none of the registers of its own address.
    """
    index = site.index
    plan = plan_of(work, index, site.live_after)
    edit = work.edit(index)
    edit.before.append(_label(work, index, access))
    address, symbol = address_into(work, index, plan, updated=True), plan.entry(entry, entry)
    if named and len(address) <= ADDRESS_WORDS:
        address += ["nop"] * (ADDRESS_WORDS - len(address))
        symbol = plan.framed_entry(named, BEHIND)
    edit.after += [*plan.with_address(address), f"bl {symbol}", *plan.restore, *plan.late]


def _label(work: Rewriting, index: int, access: Access) -> str:
    """Return the label of an access, for which the site table gets a row."""
    return f"{work.mark_site(index, named_event(access), access.size)}:"
