"""Calls of the counter in SPARC code: an instruction of the program fills the slot if possible."""

from __future__ import annotations

import re

from inst.arch.sparc.rewrite.segments import kept, store_pointer
from inst.arch.sparc.rewrite.site import call_sequence, in_use, site_of
from inst.arch.sparc.sites import OWN_SLOT
from inst.asm.model import Kind
from inst.isa.model import Transfer
from inst.rewrite.context import Rewriting

_READ_TOGETHER = re.compile(r"(?<!%lo)(?<!%hi)\(|_GLOBAL_OFFSET_TABLE_")
"""Operands that the linker reads together with other instructions (TLS, the GOT's set-up)."""
_FOR_DEBUGGERS = re.compile(r"\.loc$|\.LVL")
"""Directives and labels that only debugging information refers to."""


def count(work: Rewriting, index: int, entry: str) -> None:
    """Count before an instruction; the one before it runs in the call's slot where possible.

    Both then run in the order they had: the entry changes nothing that the program reads, but the
    pointer of code that records, which has been stored before.  What sets the condition codes for a
    branch comes after the call, so that the entry need not save them.
    """
    if _sets_conditions(work, index - 1):
        index -= 1
    live, before = work.liveness.before[index], work.edit(index).before
    sequence = call_sequence(work, index, entry, live, ahead=True)
    if kept(work) and store_pointer(work) in before:
        place, slot = before.index(store_pointer(work)) + 1, work.code.slot_of(index)
        live |= slot.defs if slot else 0  # it may have moved before the branch
        before[place:place] = call_sequence(work, index, entry, live, ahead=True)
    elif in_use(work, live) and sequence[-1] == "nop":
        before[:0] = [*sequence[:-1], OWN_SLOT]
    elif not in_use(work, live) and _may_be_slot(work, index - 1):
        work.edit(index - 1).before += sequence[:-1]
    else:
        before[:0] = sequence


def _sets_conditions(work: Rewriting, index: int) -> bool:
    """Return whether special registers are live after an instruction alone, not before it.

    Code that records has the next one's count where its pointer has been stored.
    """
    if work.options.record or not _runs_before_next(work, index):
        return False
    special, before = work.isa.registers.special, work.liveness.before
    return bool(before[index + 1] & special) and not before[index] & special


def _runs_before_next(work: Rewriting, index: int) -> bool:
    """Return whether an instruction is no transfer or access, and the only one before the next.

    It is in no slot, either.
    """
    code = work.code
    if index < 0 or index + 1 in code.section_end or not _stands_alone(work, index):
        return False
    fact = code.facts[index]
    if fact.access is not None or fact.transfer != Transfer.NONE or fact.window or fact.length != 4:
        return False
    before = code.facts[index - 1] if index else fact
    return not (before.delay_slot or fact.pc_relative_data or fact.never_runs)


def _may_be_slot(work: Rewriting, index: int) -> bool:
    """Return whether an instruction can stand in the slot of a call inserted before it.

    Neither the call nor what saves %o7 may use a register of it.
    """
    if not _runs_before_next(work, index):
        return False
    fact, registers = work.code.facts[index], work.isa.registers
    displaced = registers.link | registers.mask(*site_of(work).scratch)
    return not (fact.uses | fact.defs) & displaced and not fact.defs & registers.bit["o6"]


def _stands_alone(work: Rewriting, index: int) -> bool:
    """Return whether no label, directive or edit stands at or after an instruction."""
    code = work.code
    first, last = code.statement[index], code.statement[index + 1]
    statements = code.statements
    if first in work.edits.by_statement or statements[first - 1].name == ".reloc":
        return False
    if _READ_TOGETHER.search(statements[first].operands):
        return False
    between = statements[first + 1 : last]
    return all(one.kind == Kind.BLANK or _FOR_DEBUGGERS.match(one.name) for one in between)
