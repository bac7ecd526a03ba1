"""Where the processor may have saved windows of registers: no record states when.

A SPARC's processor and kernel store a window at the stack pointer of its frame, when they run out
of windows or a program flushes all of them. What reads them there are unwinders and backtraces,
which go from frame to frame: the window of a frame holds where the next one is. So areas are
known by the frames that the runtime reports, whose two ends are stack pointers, by the words of
loads that address them with %sp and %fp, and by what is read of the frame pointers in known ones.
"""

from __future__ import annotations

import numpy as np

from inst.check.straight import Code
from inst.trace.model import Array, Kind
from inst.words.model import SaveArea, Windows

_LARGEST_FRAME = 1 << 24
"""Bytes from a frame to the one of its caller, at most: greater distances are of other numbers."""


class SavedWindows:
    """The areas that are known of a program, from rows to rows."""

    def __init__(self, code: Code) -> None:
        self._code = code
        self._areas = np.zeros(0, "u8")
        """Their first bytes, ascending."""

    def read(
        self, rows: Array, windows: Windows, area: SaveArea, low: Array, high: Array
    ) -> tuple[Array, Array]:
        """Return which rows read where a next area is, and the first byte of each.

        `low` and `high` are where the frames begin and end that were made in these rows.
        """
        at = np.flatnonzero((rows["kind"] == Kind.READ) & (rows["size"] == area.size // 16))
        start = rows["address"][at] - np.uint64(area.frame)
        target = rows["value"][at] + np.uint64(area.bias)
        distance = target - start  # of a target below it: a great number
        possible = (distance >= area.size) & (distance < _LARGEST_FRAME)
        possible &= target % np.uint64(area.size // 8) == 0
        at, start, target = at[possible], start[possible], target[possible]
        asked = np.zeros(len(rows), bool)
        asked[at] = True
        own = windows.loads_frame(self._code.words(rows, asked)[at], area)
        self._areas = np.unique(np.concatenate([self._areas, low, high, start[own]]))
        followed = self._follow(start, target)
        self._areas = np.union1d(self._areas, target[followed])
        return at[followed], target[followed]

    def _follow(self, start: Array, target: Array) -> list[int]:
        """Return which of some loads, in their order, lie in areas that are known by then."""
        known = np.isin(start, self._areas)
        maybe = np.flatnonzero(known | np.isin(start, target))
        learned: set[int] = set()
        found = []
        for place in maybe.tolist():
            if known[place] or int(start[place]) in learned:
                learned.add(int(target[place]))
                found.append(place)
        return found
