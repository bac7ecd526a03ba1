"""FILEMARKER and RECNUM records around what a filter leaves out of an RST trace.

A FILEMARKER states where in a file one is, a RECNUM sets the count of records anew: so the one
is where records begin to be missing, the other where they go on. Both name the level of
processing: TRACEINFO has 0 for the program that made the trace, and each filter counts on
from there (Sun's rstf.h).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from inst.formats.rst.codes import INSTR, MARKER, TRACE_LEVEL, TRACEINFO, VARIANT
from inst.formats.rst.record import RECORD
from inst.formats.rst.view import RstView
from inst.formats.rst.write import pack
from inst.trace.batch import Batch
from inst.trace.model import Array
from inst.trace.view import View

HIGHEST = 127
"""The most that a mark's seven bits can express; further filters write the same."""


class GapMarks:
    """Keeps records of one view after the other, and marks the gaps between them.

    incount is how many records of the input came before the mark, outcount how many of the
    output. Where a filter counts instructions, recType is INSTR and both count INSTRs.
    """

    def __init__(self, marks: str = "yes", unit: str = "") -> None:
        self._wanted = marks == "yes"
        self._counted = INSTR if unit == "i" else 0
        self._open = False
        self._level = 0
        self._in = self._out = 0
        """Counted records of the input and of the output before this view."""
        self._empty = True

    def kept(self, view: View, keep: Array) -> Batch:
        """Return the selected records of a view, with a mark on either side of each gap."""
        if not self._wanted or not isinstance(view, RstView):
            return view.batch.take(keep)
        batch = self._processed(view)
        openings, closings = self._edges(view, keep)
        written = _before(keep)
        if self._empty and len(openings) and not written[openings[0]]:
            openings = openings[1:]  # a trace does not begin with a mark
        rows = np.concatenate([openings, closings])
        order = np.argsort(rows, kind="stable")
        ends = order >= len(openings)
        rows = rows[order]
        marks = self._marks(view, keep, rows, ends)
        result = replace(batch, records=_merged(batch.records[keep], marks, written[rows]))
        self._empty = self._empty and not len(result)
        self._in += self._count(view.codes)
        self._out += self._count(result.records["rtype"])
        return result

    def _processed(self, view: RstView) -> Batch:
        """Return the batch with the level of its TRACEINFO raised by one."""
        raw = view.raw
        stated = np.flatnonzero((view.codes == TRACEINFO) & (raw["flags"] == TRACE_LEVEL))
        marks = np.flatnonzero(view.codes == MARKER)
        levels = [*raw["half"][stated].tolist(), *(raw["flags"][marks] & HIGHEST).tolist()]
        self._level = max([self._level, *levels])
        if not len(stated):
            return view.batch
        records = raw.copy()
        records["half"][stated] = np.minimum(raw["half"][stated].astype("u4") + 1, 0xFFFF)
        return replace(view.batch, records=records)

    def _edges(self, view: RstView, keep: Array) -> tuple[Array, Array]:
        """Return the rows before which gaps begin, and those before which they end.

        A gap ends at an event: context in it stays between the two marks.
        """
        leaders = np.flatnonzero(keep & ~view.context & view.leads)
        starts, dropped = view.starts[leaders], np.flatnonzero(~keep)
        first = np.searchsorted(dropped, np.concatenate([[0], starts]))
        gone = np.diff(np.concatenate([first, [len(dropped)]])) > 0
        was_open = np.concatenate([[self._open], np.zeros(len(starts), bool)])
        self._open = bool(gone[-1] or (was_open[-1] and not len(starts)))
        begins = gone & ~was_open
        openings = dropped[first[begins]]
        if not view.alone and len(openings):  # the rest of the event before stays with it
            ends = np.zeros(len(view), "i8")
            np.maximum.at(ends, view.leader, np.arange(len(view)))
            owners = np.concatenate([[0], ends[leaders] + 1])[begins]
            openings = np.maximum(openings, owners)
        return openings, starts[(gone | was_open)[:-1]]

    def _marks(self, view: RstView, keep: Array, rows: Array, ends: Array) -> Array:
        """Return the marks that stand before the rows: FILEMARKERs, or RECNUMs at ends."""
        counted = view.codes == INSTR if self._counted else np.ones(len(view), bool)
        marks_before = 0 if self._counted else np.arange(len(rows))
        values, known = view.owner("cpu")
        at = np.minimum(rows, len(view) - 1)  # a gap may begin after the last row
        result = pack(
            "filemarker", len(rows), level=min(self._level + 1, HIGHEST), recType=self._counted,
            cpuid=np.where(known[at], values[at], 0),
            incount=self._in + _before(counted)[rows],
            outcount=self._out + _before(counted & keep)[rows] + marks_before,
        )  # fmt: skip
        result["flags"][ends] |= VARIANT
        return result

    def _count(self, codes: Array) -> int:
        return int(np.count_nonzero(codes == self._counted)) if self._counted else len(codes)


def _before(chosen: Array) -> Array:
    """Return how many of the rows before each are chosen, and at the end how many of all."""
    return np.concatenate([[0], np.cumsum(chosen)])


def _merged(records: Array, marks: Array, places: Array) -> Array:
    """Return the records with marks before the places named."""
    result = np.zeros(len(records) + len(marks), RECORD)
    is_mark = np.zeros(len(result), bool)
    is_mark[places + np.arange(len(marks))] = True
    result[is_mark], result[~is_mark] = marks, records
    return result
