"""What is known of the memory of a program, cell by cell, and who touched each last."""

from __future__ import annotations

import numpy as np

from inst.check.cells import BYTES, CELL
from inst.check.growth import doubled
from inst.trace.model import Array

PAGE_CELLS = 1024
"""Cells of a page of state: 4 KiB."""
PAGE = CELL * PAGE_CELLS
LARGEST = 1 << 25
"""Bytes of the largest region that is given a value page by page."""


class Memory:
    """What is known of the memory of the program, and who touched each cell last.

    The low half of `known` has a bit for each byte whose value is known, the high half one for
    each whose value was known before a function took it for its frame.
    """

    COLUMNS = (("value", "u4"), ("known", "u1"), ("record", "u8"), ("pc", "u8"), ("thread", "u4"))

    def __init__(self) -> None:
        self._places: dict[int, int] = {}
        self.columns = {name: np.zeros(16 * PAGE_CELLS, kind) for name, kind in self.COLUMNS}

    def slots(self, cells: Array) -> Array:
        """Return where the states of (sorted) cells are, making room for new pages."""
        pages = cells // np.uint64(PAGE_CELLS)
        begins = np.ones(len(pages), bool)
        begins[1:] = pages[1:] != pages[:-1]
        starts = np.flatnonzero(begins)
        places = np.array([self._place(page) for page in pages[starts].tolist()], "i8")
        lengths = np.diff(np.append(starts, len(cells)))
        bases = np.repeat((places - pages[starts].astype("i8")) * PAGE_CELLS, lengths)
        places_of: Array = cells.astype("i8") + bases
        return places_of

    def _place(self, page: int) -> int:
        place = self._places.get(page)
        if place is None:
            place = self._places[page] = len(self._places)
            for name, column in self.columns.items():
                if (place + 1) * PAGE_CELLS > len(column):
                    self.columns[name] = doubled(column)
        return place

    def fill(self, address: int, size: int, byte: int | None, who: tuple[int, int, int]) -> None:
        """Give `size` bytes a value, or forget what is known of them.

        Of a region too large to be given a value, all is forgotten: it costs no memory.
        """
        end = min(address + size, 1 << 64)
        if end - address > LARGEST:
            inside = range(address // PAGE, -(-end // PAGE))
            for page, place in self._places.items():
                if page in inside:
                    self.columns["known"][place * PAGE_CELLS : (place + 1) * PAGE_CELLS] = 0
            return
        while address < end:
            cell = address // CELL
            whole = address % CELL == 0 and end - address >= CELL
            count = min((end - address) // CELL, PAGE_CELLS - cell % PAGE_CELLS) if whole else 1
            upto = (cell + count) * CELL if whole else min(end, (cell + 1) * CELL)
            mask = 15 if whole else sum(1 << n % CELL for n in range(address, upto))
            if byte is not None or cell // PAGE_CELLS in self._places:
                self._fill(cell, count, mask, byte, who)
            address = upto

    def forget(self, low: int, high: int) -> None:
        """Forget what is known of some cells, but for what the functions before left there."""
        pages = range(low // PAGE_CELLS, -(-high // PAGE_CELLS))
        inside = pages if len(pages) < len(self._places) else list(self._places)
        for page in inside:
            place = self._places.get(page)
            if place is not None and page in pages:
                start = max(low - page * PAGE_CELLS, 0)
                end = min(high - page * PAGE_CELLS, PAGE_CELLS)
                known = self.columns["known"][place * PAGE_CELLS :][start:end]
                known[:] = (known | known << 4) & 0xF0

    def _fill(
        self, cell: int, count: int, mask: int, byte: int | None, who: tuple[int, int, int]
    ) -> None:
        start = self._place(cell // PAGE_CELLS) * PAGE_CELLS + cell % PAGE_CELLS
        part = slice(start, start + count)
        value, known = self.columns["value"], self.columns["known"]
        value[part] &= ~BYTES[mask]
        value[part] |= np.uint32((byte or 0) * 0x01010101) & BYTES[mask]
        known[part] &= np.uint8(~(mask * 17) & 255)
        if byte is not None:
            known[part] |= np.uint8(mask)
        for name, number in zip(("record", "pc", "thread"), who, strict=True):
            self.columns[name][part] = number
