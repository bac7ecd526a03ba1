"""Which stack memory functions took for their frames, and when: it held nothing of theirs yet.

Below the stack pointer memory is nobody's: functions without instrumentation, signal frames, the
spilling of register windows and the hooks themselves write there, and nothing tells. So what was
known of a byte ends when a function takes it. PowerPC's functions store the chain of their
frame, which is an access like any other; for SPARC's the runtime writes an event. While a function
runs, the processor may save its caller's window of registers, and those of all callers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inst.arch.registry import producer
from inst.check.cells import CELL
from inst.check.saved_windows import SavedWindows
from inst.check.straight import Code
from inst.trace.model import Array, Kind, Trace
from inst.words.model import Chains, Windows, Words

_AT_ONCE = 1 << 22
"""Pairs of a byte and a frame that are looked at in one step."""


@dataclass(frozen=True, slots=True)
class Taken:
    """Frames that are made in some rows, a column each, in their order."""

    low: Array
    """First cell."""
    high: Array
    """After the last one."""
    row: Array
    """Which row made it."""
    began: Array
    """The row with which its function began: what was known before ends there."""

    def __len__(self) -> int:
        return len(self.row)

    def part(self, begin: int, end: int) -> Taken:
        """Return what is made in some of the rows, which are counted from the first of them."""
        start, stop = np.searchsorted(self.row, (begin, end))
        which = slice(int(start), int(stop))
        began = np.maximum(self.began[which], begin) - begin
        return Taken(self.low[which], self.high[which], self.row[which] - begin, began)

    def between(self, cells: Array, since: Array, until: Array) -> Array:
        """Return which cells were taken by a function between two rows."""
        found = np.zeros(len(cells), bool)
        step = max(_AT_ONCE // max(len(self), 1), 1)
        for start in range(0, len(cells) if len(self) else 0, step):
            some = slice(start, start + step)
            cell, after, before = (column[some, None] for column in (cells, since, until))
            inside = (self.low <= cell) & (cell < self.high)
            found[some] = (inside & (self.began > after) & (self.row < before)).any(axis=1)
        return found

    def last(self) -> list[tuple[int, int, int]]:
        """Return stretches of cells that do not overlap, and for each with which row the last
        function began that took it."""
        columns = (self.began.tolist(), self.low.tolist(), self.high.tolist())
        ends = {(low, high): began for began, low, high in zip(*columns, strict=True)}
        borders = sorted({border for pair in ends for border in pair})
        places = {border: place for place, border in enumerate(borders)}
        last = np.full(len(borders), -1)
        for (low, high), began in sorted(ends.items(), key=lambda item: item[1]):
            last[places[low] : places[high]] = began
        stretches = zip(borders, borders[1:], last.tolist(), strict=False)
        return [stretch for stretch in stretches if stretch[2] >= 0]


class Frames:
    """What is remembered of the frames of a program from rows to rows."""

    def __init__(self, trace: Trace, code: Code) -> None:
        self._trace = trace
        self._code = code
        self._saved = SavedWindows(code)
        self._lowest: dict[int, int] = {}
        """Where each chain was stored last, on PowerPC: the stack pointer of its function."""

    def taken(self, rows: Array) -> Taken:
        """Return the frames that are made in further rows."""
        at = np.flatnonzero(rows["kind"] == Kind.FRAME)
        low, high, began = rows["address"][at], rows["address"][at] + rows["value"][at], at
        part = producer(self._trace.facts.arch).part(Words)
        if part.windows is not None:
            at, low, high, began = self._with_windows(rows, part.windows, at, low, high)
        if part.chains is not None:
            chained = self._chained(rows, part.chains)
            at, low, high, began = (
                np.concatenate(pair) for pair in zip((at, low, high, began), chained, strict=True)
            )
            order = np.argsort(at, kind="stable")
            at, low, high, began = at[order], low[order], high[order], began[order]
        size = np.uint64(CELL)
        return Taken((low + size - np.uint64(1)) // size, high // size, at, began)

    def _with_windows(
        self, rows: Array, windows: Windows, at: Array, low: Array, high: Array
    ) -> tuple[Array, Array, Array, Array]:
        """Return frames with the areas after them, and areas of which rows read where they are."""
        area = windows.area(self._trace.facts.arch)
        size = np.uint64(area.size)
        read, start = self._saved.read(rows, windows, area, low, high)
        at = np.concatenate([at, read])
        order = np.argsort(at, kind="stable")
        low, high = np.concatenate([low, start]), np.concatenate([high + size, start + size])
        return at[order], low[order], high[order], at[order]

    def _chained(self, rows: Array, by: Chains) -> tuple[Array, Array, Array, Array]:
        """Return the frames whose making is the store of a chain to the frame before."""
        word = self._code.words(rows, rows["kind"] == Kind.WRITE)
        by_stack = (rows["kind"] == Kind.WRITE) & (by.base(word) == by.stack)
        at = np.flatnonzero(by_stack)
        at = at[by.makes(word[at])]
        low, high = rows["address"][at], rows["value"][at].copy()
        chains = high.tolist()
        targets = by.target(word[at]).tolist()
        for place, start in enumerate(low.tolist()):
            # alloca stores the chain of its function anew: only what lies below that is new
            if targets[place] != by.stack:
                high[place] = self._lowest.get(chains[place], start)
            self._lowest[chains[place]] = start
        good = high > low
        return at[good], low[good], high[good], _entries(by_stack)[at[good]]


def _entries(by_stack: Array) -> Array:
    """Return for each row where the run of stores at the stack pointer began that it is in.

    In 64-bit code a function saves registers below the stack pointer before it moves that.
    """
    places = np.arange(len(by_stack))
    outside = np.maximum.accumulate(np.where(by_stack, -1, places))
    entries: Array = np.minimum(outside + 1, places)
    return entries
