"""Selections by position: head, tail, skip, sample. Gaps are marked where the format can."""

from __future__ import annotations

from collections import deque

import numpy as np

from inst.filter.arguments import Count, choice, count, fraction, positive
from inst.filter.model import Batch, Batches, Filter, Parameter, Stage, insert
from inst.filter.view import View, views
from inst.trace.model import Array
from inst.trace.rst import encode

INSTR = 3


class Gaps:
    """Writes a RECNUM record where records go on after some were left out.

    Its incount is how many records of the input came before, its outcount how many of the
    output, so that a reader can tell how much is missing.
    """

    def __init__(self, wanted: bool = True) -> None:
        self._wanted = wanted
        self._open = False
        self._written = 0

    def close(self, view: View, keep: Array, dropped: Array) -> Batch:
        """Return what is kept of a view, with marks where `dropped` rows were before."""
        rows = np.flatnonzero(keep & ~view.context & (view.leader == np.arange(len(view))))
        before = np.concatenate([[0], np.cumsum(dropped)])
        places: list[tuple[int, bytes]] = []
        if self._wanted and len(rows) and view.batch.source.format == "rst":
            starts = view.starts[rows]
            kept_before = np.concatenate([[0], np.cumsum(keep)])
            missing = np.concatenate([[-self._open], before[starts]]).astype("i8")
            for row in starts[missing[1:] > missing[:-1]].tolist():
                place = int(kept_before[row])
                places.append((place, self._mark(view, row, place + len(places))))
        if len(rows):
            self._open = bool(dropped[rows[-1] :].any())
        else:
            self._open = self._open or bool(dropped.any())
        result = insert(view.batch.take(keep), places)
        self._written += len(result)
        return result

    def _mark(self, view: View, row: int, written: int) -> bytes:
        return encode(
            "recnum",
            recType=INSTR,
            cpuid=_cpu(view, row),
            version=view.batch.version,
            incount=view.first + row,
            outcount=self._written + written,
        )


def _cpu(view: View, row: int) -> int:
    values, known = view.owner("cpu")
    return int(values[row]) if known[row] else 0


def _head(number: Count) -> Stage:
    def stage(batches: Batches) -> Batches:
        left = number.number
        for view in views(batches):
            counted = view.counted(number.unit)
            before = np.cumsum(counted) - counted  # how many came before each row
            over = np.flatnonzero(counted & (before >= left))
            end = int(over[0]) if len(over) else len(view)
            left -= int(np.count_nonzero(counted[:end]))
            keep = (np.arange(len(view)) < end)[view.leader]
            yield view.batch.take(keep)
            if end < len(view):
                return

    return stage


def _skip(number: Count, marks: str) -> Stage:
    def stage(batches: Batches) -> Batches:
        left, gaps = number.number, Gaps(marks == "yes")
        for view in views(batches):
            counted = view.counted(number.unit)
            before = np.cumsum(counted) - counted
            drop = (before < left)[view.leader] & ~_frame(view, number)
            left -= min(left, int(np.count_nonzero(counted)))
            yield gaps.close(view, ~drop, drop)

    return stage


def _frame(view: View, number: Count) -> Array:
    """Context stays, unless records of any kind are counted."""
    return view.context if number.unit != "r" else np.zeros(len(view), bool)


def _tail(number: Count, marks: str) -> Stage:
    def stage(batches: Batches) -> Batches:
        waiting: deque[tuple[View, int]] = deque()
        gaps, total = Gaps(marks == "yes"), 0
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


def _cut(view: View, number: Count, excess: int, gaps: Gaps) -> Batch:
    """Return the view without its first `excess` counted groups."""
    counted = view.counted(number.unit)
    before = np.cumsum(counted) - counted
    drop = (before < excess)[view.leader] & ~_frame(view, number)
    return gaps.close(view, ~drop, drop)


def _sample(part: tuple[int, int], block: int, unit: str, marks: str) -> Stage:
    taken, whole = part[0] * block, part[1] * block

    def stage(batches: Batches) -> Batches:
        seen, gaps = 0, Gaps(marks == "yes")
        for view in views(batches):
            counted = view.counted("i" if unit == "instructions" else "")
            number = seen + np.cumsum(counted) - counted
            drop = ((number % whole) >= taken)[view.leader] & ~view.context
            seen += int(np.count_nonzero(counted))
            yield gaps.close(view, ~drop, drop)

    return stage


_COUNT = Parameter("number", count, "N[i|r]")
_MARKS = Parameter("marks", choice("yes", "no"), "yes|no", "yes", False)

FILTERS = (
    Filter(
        "head", "change", "Keep the first N events (Ni: instructions, Nr: records of any kind) "
        "and what stands before and between them.", "head 1000i", _head, (_COUNT,),
    ),
    Filter(
        "skip", "change", "Leave out the first N events (Ni: instructions, Nr: records of any "
        "kind). "
        "Context stays, and in RST a RECNUM says what is missing.", "skip 5000", _skip, (_COUNT,
        _MARKS),
    ),
    Filter(
        "tail", "change", "Keep the last N events (Ni, Nr as for head), and all context. Holds as "
        "much in memory as it keeps.", "tail 200", _tail, (_COUNT, _MARKS),
    ),
    Filter(
        "sample", "change", "Keep A events out of every B: the first A*block of each B*block. In "
        "RST "
        "a RECNUM at the end of each gap tells input and output records so far.",
        "sample 1/100 block=1000", _sample,
        (
            Parameter("part", fraction, "A/B"),
            Parameter("block", positive, "N", 1, False),
            Parameter("unit", choice("events", "instructions"), "events|instructions", "events",
            False),
            _MARKS,
        ),
    ),
)  # fmt: skip
