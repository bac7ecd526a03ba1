"""Selections by position: head, tail, skip, sample. Gaps are marked where the format can."""

from __future__ import annotations

from collections import deque

import numpy as np

from inst.filter.arguments import Count, choice, count, fraction, positive
from inst.filter.gap_marks import GapMarks
from inst.filter.model import Filter, Parameter, Stage
from inst.filter.views import views
from inst.trace.batch import Batch, Batches
from inst.trace.model import Array
from inst.trace.view import View


def _head(number: Count, marks: str) -> Stage:
    def stage(batches: Batches) -> Batches:
        seen, gaps = 0, GapMarks(marks, number.unit)
        for view in views(batches):
            counted = view.counted(number.unit)
            over = np.flatnonzero(counted & (_before(view, number, seen) >= number.number))
            end = int(over[0]) if len(over) else len(view)
            seen += int(np.count_nonzero(counted))
            keep = (np.arange(len(view)) < end)[view.leader]
            yield gaps.kept(view, keep)
            if end < len(view):
                return

    return stage


def _skip(number: Count, marks: str) -> Stage:
    def stage(batches: Batches) -> Batches:
        seen, gaps = 0, GapMarks(marks, number.unit)
        for view in views(batches):
            before = _before(view, number, seen)
            drop = (before < number.number)[view.leader] & ~_frame(view, number)
            seen += int(np.count_nonzero(view.counted(number.unit)))
            yield gaps.kept(view, ~drop)

    return stage


def _before(view: View, number: Count, seen: int) -> Array:
    """Return how many of what is counted came before each row; records have their own numbers."""
    if number.unit == "r":
        return np.arange(view.first, view.first + len(view))
    counted = view.counted(number.unit)
    return np.asarray(seen + np.cumsum(counted) - counted)


def _frame(view: View, number: Count) -> Array:
    """Context stays, unless records of any kind are counted."""
    return view.context if number.unit != "r" else np.zeros(len(view), bool)


def _tail(number: Count, marks: str) -> Stage:
    def stage(batches: Batches) -> Batches:
        waiting: deque[tuple[View, int]] = deque()
        gaps, total = GapMarks(marks, number.unit), 0
        for view in views(batches):
            waiting.append((view, int(np.count_nonzero(view.counted(number.unit)))))
            total += waiting[-1][1]
            while waiting and total - waiting[0][1] >= number.number:
                first, counted = waiting.popleft()
                total -= counted
                yield _cut(first, number, counted, gaps)
        for view, _ in waiting:  # only the first of them can have too many
            excess = max(total - number.number, 0)
            total -= excess
            yield _cut(view, number, excess, gaps)

    return stage


def _cut(view: View, number: Count, excess: int, gaps: GapMarks) -> Batch:
    """Return the view without its first `excess` counted groups."""
    counted = view.counted(number.unit)
    before = np.cumsum(counted) - counted
    drop = (before < excess)[view.leader] & ~_frame(view, number)
    return gaps.kept(view, ~drop)


def _sample(part: tuple[int, int], block: int, unit: str, marks: str) -> Stage:
    taken, whole = part[0] * block, part[1] * block

    def stage(batches: Batches) -> Batches:
        seen, gaps = 0, GapMarks(marks, "i" if unit == "instructions" else "")
        for view in views(batches):
            counted = view.counted("i" if unit == "instructions" else "")
            number = seen + np.cumsum(counted) - counted
            drop = ((number % whole) >= taken)[view.leader] & ~view.context
            seen += int(np.count_nonzero(counted))
            yield gaps.kept(view, ~drop)

    return stage


_COUNT = Parameter("number", count, "N[i|r]")
_MARKS = Parameter("marks", choice("yes", "no"), "yes|no", "yes", False)
_MARKED = (
    " In RST a FILEMARKER stands where records begin to be missing and a RECNUM where they go on, "
    "both with the records (with i: INSTRs) of input and output so far, unless marks=no."
)

FILTERS = (
    Filter(
        "head", "change", "Keep the first N events (Ni: instructions, Nr: records of any kind) "
        "and what stands before and between them." + _MARKED, "head 1000i", _head, (_COUNT, _MARKS),
    ),
    Filter(
        "skip", "change", "Leave out the first N events (Ni: instructions, Nr: records of any "
        "kind). Context stays." + _MARKED, "skip 5000", _skip, (_COUNT, _MARKS),
    ),
    Filter(
        "tail", "change", "Keep the last N events (Ni, Nr as for head), and all context. Holds as "
        "much in memory as it keeps." + _MARKED, "tail 200", _tail, (_COUNT, _MARKS),
    ),
    Filter(
        "sample", "change", "Keep A events out of every B: the first A*block of each B*block."
        + _MARKED, "sample 1/100 block=1000", _sample,
        (
            Parameter("part", fraction, "A/B"),
            Parameter("block", positive, "N", 1, False),
            Parameter("unit", choice("events", "instructions"), "events|instructions", "events",
            False),
            _MARKS,
        ),
    ),
)  # fmt: skip
