"""The memory that page tables live in: 8-byte slots, initialised or not, with their values.

Pages that were initialised and never written cost nothing: they are ranges. A page is given
its 512 slots, a row of a numpy table, when it is written or walked.
"""

from __future__ import annotations

import bisect
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from inst.check.growth import doubled
from inst.check.pagetable.descriptor import SLOTS
from inst.trace.model import Array

ROWS = 64
"""Rows at the beginning; the table doubles."""


def _cells(values: Any) -> memoryview:
    """Return all slots as one sequence of numbers: faster by the number than numpy."""
    return memoryview(values.reshape(-1))


class Memory:
    """Slots by page number (address >> 12)."""

    def __init__(self) -> None:
        self.rows: dict[int, int] = {}
        """Page number -> row, of pages that have their slots."""
        self.values: Array = np.zeros((ROWS, SLOTS), "u8")
        self.initialised: Array = np.zeros((ROWS, SLOTS), "?")
        self._cells = _cells(self.values)
        self._free = list(range(ROWS - 1, -1, -1))
        self._starts: list[int] = []  # zeroed ranges of pages: disjoint, ascending
        self._ends: list[int] = []
        self.settle: Callable[[], None] = lambda: None
        """Brings in writes that were put off; called before plain memory is looked at."""

    def row(self, page: int) -> int:
        """Return the page's row, giving it one if it was initialised; -1 if it has none."""
        row = self.rows.get(page)
        if row is not None:
            return row
        if not self._is_zeroed(page):
            return -1
        self._forget_range(page, page + 1)
        row = self._new_row(page)
        self.initialised[row] = True
        return row

    def is_full(self, page: int) -> bool:
        """Return whether every slot of the page is initialised."""
        row = self.rows.get(page)
        return self._is_zeroed(page) if row is None else bool(self.initialised[row].all())

    def is_initialised(self, address: int) -> bool:
        page = address >> 12
        row = self.rows.get(page)
        if row is None:
            return self._is_zeroed(page)
        return bool(self.initialised[row, address >> 3 & 511])

    def get(self, row: int, slot: int) -> int:
        value: int = self._cells[row << 9 | slot]
        return value

    def put(self, row: int, slot: int, value: int) -> None:
        self._cells[row << 9 | slot] = value

    def value(self, address: int) -> int:
        """Return the slot's value; 0 where nothing was written."""
        row = self.rows.get(address >> 12)
        return 0 if row is None else self.get(row, address >> 3 & 511)

    def first_used(self, start: int, end: int) -> int | None:
        """Return the first slot number in the range that is initialised and not zero."""
        for page in self._pages(start >> 9, (end + 511) >> 9):
            row = self.rows[page]
            low, high = max(start - (page << 9), 0), min(end - (page << 9), SLOTS)
            used = self.initialised[row, low:high] & (self.values[row, low:high] != 0)
            if used.any():
                return (page << 9) + low + int(used.argmax())
        return None

    def initialise(self, start: int, end: int) -> None:
        """Make slots (numbers, address >> 3) initialised, those that were not with value 0."""
        low, high = -(-start >> 9), end >> 9
        if low < high:
            self._initialise_pages(low, high)
            pieces = [(start, low << 9), (high << 9, end)]
        else:
            pieces = [(start, end)]
        for first, last in pieces:
            while first < last:
                page, stop = first >> 9, min(last, (first >> 9) + 1 << 9)
                row = self.row(page)
                row = self._new_row(page) if row < 0 else row
                fresh = ~self.initialised[row]
                fresh[: first & 511] = False
                fresh[(stop - 1 & 511) + 1 :] = False
                self.values[row][fresh] = 0
                self.initialised[row] |= fresh
                first = stop

    def _initialise_pages(self, low: int, high: int) -> None:
        for page in self._pages(low, high):
            row = self.rows[page]
            self.values[row][~self.initialised[row]] = 0
            self.initialised[row] = True
        self._forget_range(low, high)
        at = bisect.bisect_left(self._starts, low)
        self._starts.insert(at, low)
        self._ends.insert(at, high)
        self._join(at)

    def free(self, start: int, end: int) -> None:
        """Make slots uninitialised."""
        low, high = -(-start >> 9), end >> 9
        for page in self._pages(low, high) if low < high else ():
            row = self.rows.pop(page)
            self.initialised[row] = False
            self._free.append(row)
        if low < high:
            self._forget_range(low, high)
        for first, last in ((start, low << 9), (high << 9, end)) if low < high else ((start, end),):
            while first < last:
                stop = min(last, (first >> 9) + 1 << 9)
                row = self.row(first >> 9)
                if row >= 0:
                    self.initialised[row, first & 511 : (stop - 1 & 511) + 1] = False
                first = stop

    def _pages(self, low: int, high: int) -> Iterator[int]:
        """Return the pages of a range that have rows, ascending."""
        if high - low <= len(self.rows):
            return iter([page for page in range(low, high) if page in self.rows])
        return iter(sorted(page for page in self.rows if low <= page < high))

    def _new_row(self, page: int) -> int:
        if not self._free:
            self._grow()
        row = self._free.pop()
        self.values[row] = 0
        self.initialised[row] = False
        self.rows[page] = row
        return row

    def _grow(self) -> None:
        count = len(self.values)
        self._cells.release()
        self.values = doubled(self.values)
        self.initialised = doubled(self.initialised)
        self._cells = _cells(self.values)
        self._free = list(range(2 * count - 1, count - 1, -1))

    def zeroed_until(self, page: int) -> int:
        """Return where a stretch of pages ends that are zero and have no rows; `page` if none."""
        at = bisect.bisect_right(self._starts, page) - 1
        return max(page, self._ends[at]) if at >= 0 else page

    def _is_zeroed(self, page: int) -> bool:
        at = bisect.bisect_right(self._starts, page) - 1
        return at >= 0 and page < self._ends[at]

    def _forget_range(self, low: int, high: int) -> None:
        """Take pages out of the zeroed ranges."""
        first = max(bisect.bisect_right(self._starts, low) - 1, 0)
        last = bisect.bisect_left(self._starts, high)
        outside: list[tuple[int, int]] = []
        for start, end in zip(self._starts[first:last], self._ends[first:last], strict=True):
            outside += [(start, min(end, low)), (max(start, high), end)]
        outside = [(start, end) for start, end in outside if start < end]
        self._starts[first:last] = [start for start, _ in outside]
        self._ends[first:last] = [end for _, end in outside]

    def _join(self, at: int) -> None:
        """Join a range with its neighbours where they touch."""
        if at + 1 < len(self._starts) and self._ends[at] == self._starts[at + 1]:
            self._ends[at] = self._ends.pop(at + 1)
            del self._starts[at + 1]
        if at > 0 and self._ends[at - 1] == self._starts[at]:
            self._ends[at - 1] = self._ends.pop(at)
            del self._starts[at]
