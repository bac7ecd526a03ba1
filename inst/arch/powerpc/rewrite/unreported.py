"""Accesses that no probe can report: those where a reservation is open.

Nothing may be inserted beside them (`inst.rewrite.reservations`), so a call of glue counts them
where no reservation is open and control comes exactly as often as to the access.  That place is in
the same run of instructions: neither a branch nor a label that code or data name parts the two, and
calls return.  Where a run has no such place, as the two paths of an `if` between the load and the
store have none, a call before the load says that accesses may be missing.  So does one for
accesses that the linker may turn into additions.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator

from inst.arch.powerpc.rewrite import probes
from inst.dataclass import dataclass
from inst.flow.code import Code
from inst.flow.conventions import convention_of
from inst.isa.model import Form, Transfer
from inst.rewrite.context import Rewriting
from inst.rewrite.edits import DEBUG_LABELS
from inst.rewrite.reservations import form_of, reservations_before

ENTRY = "unreported"
_MOST = 32767
"""The largest number that one instruction passes."""
_ENDS = (Transfer.BRANCH, Transfer.JUMP, Transfer.RETURN)
_NO_TARGETS = (*DEBUG_LABELS, ".LEHB", ".LEHE", ".LFB", ".LFE", ".Ltext", ".Linst")
"""Labels of compilers that only debugging and unwinding information names."""


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a call may stand: before an instruction, or after it."""

    index: int
    after: bool


def count_unreported(work: Rewriting) -> None:
    """Insert calls that count the accesses which are not reported."""
    if not work.unreported:
        return
    work.file.calls_glue = True
    runs = _Runs(work)
    counts: Counter[_Place] = Counter()
    doubtful: list[int] = []
    for index, certain in work.unreported.items():
        place = runs.nearest(index) if certain else None
        if place is None:
            doubtful.append(index)
        else:
            counts[place] += 1
    for index in reservations_before(work.code, doubtful) if doubtful else ():
        _call(work, _Place(index, False), 0)
    for place, number in sorted(counts.items(), key=_place_of):
        for least in range(0, number, _MOST):
            _call(work, place, min(number - least, _MOST))


def _place_of(counted: tuple[_Place, int]) -> tuple[int, bool]:
    """Return the order of places."""
    return counted[0].index, counted[0].after


def _call(work: Rewriting, place: _Place, number: int) -> None:
    """Insert a call that passes a number of accesses; 0 stands for some that may have run."""
    live = work.liveness.after if place.after else work.liveness.before
    lines = probes.number_sequence(work, place.index, live[place.index], ENTRY, number)
    edit = work.edit(place.index)
    if place.after:
        edit.after += lines
    else:
        edit.before[:0] = lines


class _Runs:
    """The code cut into runs of instructions that all run equally often."""

    def __init__(self, work: Rewriting) -> None:
        self.code = work.code
        self.reserved = work.reserved
        self.preserving = convention_of(work.isa).preserving
        self.starts = sorted(_starts(work.code))

    def nearest(self, index: int) -> _Place | None:
        """Return the place for an access's count: with no call in between, if there is one."""
        number = bisect_right(self.starts, index)
        end = self.starts[number] if number < len(self.starts) else len(self.code.facts)
        return min(
            self._places(self.starts[number - 1], end),
            key=lambda place: (self._calls(index, place.index), abs(index - place.index)),
            default=None,
        )

    def _places(self, first: int, end: int) -> Iterator[_Place]:
        """Yield the places of a run: where there may be other calls of glue, too."""
        for index in range(first, end):
            form = form_of(self.code, index)
            if form == Form.CONDITIONAL:
                yield _Place(index, True)
            elif index not in self.reserved and (form == Form.RESERVE or self._transfers(index)):
                yield _Place(index, False)

    def _transfers(self, index: int) -> bool:
        """Return whether control goes elsewhere here, and calls of glue may stand before that."""
        fact = self.code.facts[index]
        if fact.pc_relative_data or self.preserving.match(fact.target):
            return False
        return fact.transfer in (*_ENDS, Transfer.CALL)

    def _calls(self, one: int, other: int) -> int:
        """Return how many calls stand between two instructions."""
        between = range(min(one, other), max(one, other))
        return sum(self.code.facts[index].transfer == Transfer.CALL for index in between)


def _starts(code: Code) -> set[int]:
    """Return the first instructions of all runs."""
    branches = (index + 1 for index, fact in enumerate(code.facts) if fact.transfer in _ENDS)
    return {0, *branches, *code.labelled(_NO_TARGETS)}
