"""Memory that others may write: mappings of files, and those shared with other processes (`shmat`).

A system call that writes a file changes what is mapped of it, and so does another process. The
run-time library's hints state where such mappings are (`runtime/mappings.c`, `wrap/shmat.c`).
"""

from __future__ import annotations

import numpy as np

from inst.trace.model import Array, Kind

_SHARED, _REMOVED = "mapping_shared", "mapping_removed"
_MOVES, _MOVED = "mapping_moves", "mapping_moved"
KINDS = (_SHARED, _REMOVED, _MOVES, _MOVED)
"""Kinds of hints."""


class Mappings:
    """The mappings at one place of a trace: their first addresses and ends."""

    def __init__(self) -> None:
        self._places: list[tuple[int, int]] = []
        self._moves = False

    @staticmethod
    def find(rows: Array, words: list[str]) -> list[int]:
        """Return the rows of hints about mappings."""
        hints = rows["kind"] == Kind.HINT
        wanted = [one for one in np.unique(rows["detail"][hints]).tolist() if words[one] in KINDS]
        return np.flatnonzero(hints & np.isin(rows["detail"], wanted)).tolist() if wanted else []

    def step(self, row: Array, words: list[str]) -> None:
        """Apply a hint that `find` has found."""
        kind = words[int(row["detail"])]
        start = int(row["address"])
        end = start + int(row["value"])
        if kind == _MOVES:
            self._moves = any(first < end and start < last for first, last in self._places)
        if start == end and kind == _REMOVED:  # all of the one that begins there
            end = max((last for first, last in self._places if first == start), default=end)
        self._remove(start, end)
        if kind == _SHARED or (kind == _MOVED and self._moves):
            self._places.append((start, end))

    def hold(self, rows: Array) -> Array:
        """Return which accesses begin in such a mapping."""
        found = np.zeros(len(rows), bool)
        for start, end in self._places:
            found |= (rows["address"] >= start) & (rows["address"] < end)
        return found

    def _remove(self, start: int, end: int) -> None:
        left = []
        for first, last in self._places:
            left += [(first, min(last, start)), (max(first, end), last)]
        self._places = [(first, last) for first, last in left if first < last]
