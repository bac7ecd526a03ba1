"""Calls of glue where functions are entered and left, for enterhook and leavehook.

A site passes how far the function lies from the call, so code may lie anywhere; entries add the
call's own address.

PowerPC: the distance goes into r12 and the return address is held in r0, where the entry reads it
for enterhook; `.f` says that both are live here and are saved in a frame of the site, whose back
chain is the program's stack pointer.  SPARC: the distance goes into the site's register and %o7 is
saved as for accesses; `.i6` says that the function has a register window, so that %fp was the stack
pointer at its entry.

A function with an entry or exit where a reservation is open has no calls at all, and neither has a
SPARC file that uses the site's registers itself: events come in pairs.
"""

from __future__ import annotations

from inst.flow.code import Code
from inst.flow.functions import Functions
from inst.isa.model import Transfer
from inst.rewrite.context import Rewriting
from inst.rewrite.writer import Writer


def report_functions(work: Rewriting) -> None:
    """Insert calls where functions are entered and left, if the user wants them reported."""
    writer = work.isa.part(Writer)
    if not work.options.functions or not writer.may_report_functions(work):
        return
    switching = {region.end for region in work.leaving.values()}
    for function in Functions(work.code, work.isa).found:
        if function.entry in work.left_out:
            continue
        if work.reserved.intersection((function.entry, *function.exits)):
            continue
        work.file.calls_glue = True
        label = work.edits.new_label()
        work.edits.at(function.place).before[:0] = writer.enter(work, function.entry, label)
        work.edits.at(function.label + 1).before.insert(0, f"{label}:")
        for index in function.exits:
            if index not in switching or work.code.facts[index].transfer != Transfer.JUMP:
                sequence = writer.leave(work, index, label, work.liveness.before[index])
                before = work.edit(index).before
                place = _labels(before) if _stores_in_slot(work.code, index) else len(before)
                before[place:place] = sequence
        for index in function.falls:
            sequence = writer.leave(work, index, label, work.liveness.after[index])
            work.edit(index).after += sequence


def _stores_in_slot(code: Code, index: int) -> bool:
    """Return whether a store is in the slot of an exit: its site is right before the exit, since
    entries look for the access near the call."""
    slot = code.slot_of(index) if code.facts[index].runs_slot else None
    return slot is not None and slot.access is not None and slot.access.store


def _labels(lines: list[str]) -> int:
    """Return how many labels stand before the first instruction of an insertion."""
    return next((n for n, line in enumerate(lines) if not line.endswith(":")), len(lines))
