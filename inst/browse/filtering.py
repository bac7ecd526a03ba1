"""Which rows of a trace a filter selects: a bit for each row."""

from __future__ import annotations

import bisect
from collections.abc import Callable

import numpy as np

from inst.browse.index import Index, Page
from inst.trace.model import Array
from inst.trace.rows import Block

Choose = Callable[[Block], Array]
"""Returns which rows of a block are selected, ascending; it is given every block, in order."""


class Filtered:
    """The rows that a filter selects, as far as it has come."""

    def __init__(self, text: str, choose: Choose) -> None:
        self.text = text
        """What the user wrote."""
        self._choose = choose
        self._bits: list[Array] = []
        self._before: list[int] = [0]
        """Selected rows before each page, and all of them."""
        self.done = False

    def __len__(self) -> int:
        return self._before[-1]

    def build(self, index: Index, cancelled: Callable[[], bool]) -> None:
        """Look at all pages, also those that are still to come. Raises InstError."""
        number = 0
        while not cancelled():
            if not index.wait(number, cancelled):
                break
            self._add(index.page(number))
            number += 1
        self.done = not cancelled()

    def _add(self, page: Page) -> None:
        marks = [np.zeros(0, "?")]
        for block in page.blocks:
            mark = np.zeros(len(block), "?")
            mark[self._choose(block)] = True
            marks.append(mark)
        mask = np.concatenate(marks)
        self._bits.append(np.packbits(mask))
        self._before.append(self._before[-1] + int(mask.sum()))

    def mask(self, page: Page) -> Array:
        """Return which rows of a page are selected; none of one that was not looked at yet."""
        if page.number >= len(self._bits):
            return np.zeros(len(page), "?")
        return np.unpackbits(self._bits[page.number], count=len(page)).astype("?")

    def row(self, number: int, index: Index) -> int:
        """Return which row of the trace the selected one of this number is."""
        at = bisect.bisect_right(self._before, number) - 1
        page = index.page(at)
        return page.first + int(np.flatnonzero(self.mask(page))[number - self._before[at]])

    def number(self, row: int, index: Index) -> int:
        """Return the number of the first selected row from one of the trace on."""
        at = index.page_of_row(row)
        if not 0 <= at < len(self._bits):
            return len(self)
        page = index.page(at)
        return self._before[at] + int(self.mask(page)[: row - page.first].sum())
