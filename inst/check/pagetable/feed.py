"""From columns of events to single steps: what touches no page table is not stepped.

Reads of plain memory mean nothing, and writes to it only matter when a table is walked: they
are put off and then stored all at once. What is left is stepped one record at a time.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from inst.check.pagetable.sections import RIGHT, UNKNOWN, WRONG, Columns, Plan, Sections
from inst.check.pagetable.state import State
from inst.trace.model import Array, Flag, Kind

PIECE = 1024
"""Events that are worth being sorted out again, now that more memory is initialised."""

PROTOCOL = (
    Kind.INIT, Kind.FREE, Kind.SET, Kind.BARRIER, Kind.TLBI, Kind.SYSREG, Kind.HINT, Kind.LOCK,
    Kind.TRYLOCK, Kind.UNLOCK,
)  # fmt: skip
"""Kinds that are always stepped."""

_ALWAYS = np.zeros(1 << 8, "?")
_ALWAYS[[int(kind) for kind in PROTOCOL]] = True
_NEEDED = int(Flag.HAS_ADDRESS | Flag.HAS_VALUE)

OTHER, PLAIN, SPECIAL = 0, 1, 2
"""What a page is to a write: not wholly initialised; plain memory; a table, or watched."""


class Step(NamedTuple):
    """One event that must be stepped; a tuple, since one is made for each."""

    row: int
    """Its place in the batch."""
    record: int
    kind: int
    thread: int
    address: int
    size: int
    value: int
    flags: int
    word: str
    """Its memory order, barrier, operation, register or kind of hint."""


class _Pages:
    """What is known of pages by number: a table as wide as a hash, of the last page seen there."""

    BITS = 14

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        self._pages = np.full(1 << self.BITS, (1 << 64) - 1, "u8")
        self._facts = np.zeros(1 << self.BITS, "i8")

    def _places(self, pages: Array) -> Array:
        places = pages * np.uint64(0x9E3779B97F4A7C15)
        places >>= np.uint64(64 - self.BITS)
        return places.view("i8")

    def find(self, pages: Array) -> tuple[Array, Array]:
        """Return which pages are known, and what of them."""
        places = self._places(pages)
        return self._pages.take(places) == pages, self._facts.take(places)

    def put(self, pages: Array, facts: Array) -> None:
        places = self._places(pages)
        self._pages[places] = pages
        self._facts[places] = facts

    def forget(self, low: int, high: int) -> None:
        if high - low > 64:
            self.clear()
            return
        self._pages[self._places(np.arange(low, high, dtype="u8"))] = (1 << 64) - 1


def _pieces(kinds: Array, start: int) -> Iterator[tuple[int, int]]:
    """Yield the first and last + 1 of stretches of events: most that memory is made for follow it.

    What a write is depends on the memory initialised before, so that many writes after one
    `mem-init` are sorted out after it.
    """
    made = np.flatnonzero(kinds[start:] == int(Kind.INIT)) + start + 1
    cuts = made[np.diff(made, append=len(kinds)) >= PIECE].tolist()
    yield from itertools.pairwise([start, *cuts, len(kinds)])


class Feed:
    """Takes batches apart; what memory is comes from the state."""

    def __init__(self, state: State, big_endian: Callable[[], bool]) -> None:
        self.state = state
        self.watched: set[int] = set()
        """Numbers of pages whose every access is stepped."""
        self._big_endian = big_endian
        self._rows: Array = np.zeros(0)
        self._first = 0  # of the rows that the following columns are of
        self._pages: Array = np.zeros(0, "u8")
        self._memory: Array = np.zeros(0, "?")  # reads and writes that are not stepped
        self._deferred: Array = np.zeros(0, "?")  # writes that are put off
        self._slots: Array = np.zeros(0, "i8")  # row of memory, by event
        self._at = 0
        self._stored = 0
        self._more: list[int] = []
        self._details: Array = np.zeros(0, "u2")
        self._words: Sequence[str] = ()
        self._natures_known = _Pages()
        self.sections = Sections(state)
        self.takes_sections = True
        """Whether steps of known sections may be left out."""
        self.disturbed = False
        """A step was a finding."""
        self.is_waiting: Callable[[], bool] = lambda: False
        """Whether half an entry waits for its other half."""

    def steps(
        self, rows: Array, details: Array, words: Sequence[str], start: int = 0
    ) -> Iterator[Step]:
        """Yield the events to step, in order; the state may change between them.

        `details` counts the events' words.
        """
        self._rows, self._details, self._words = rows, details, words
        self.state.memory.settle = self._settle
        try:
            for first, last in _pieces(rows["kind"], start):
                self._first = self._at = self._stored = first
                self._more = []
                yield from self._steps(self._sort_out(rows[first:last]) + first)
                self._at = last
                self._settle()
        finally:
            self.state.memory.settle = lambda: None

    def _steps(self, chosen: Array) -> Iterator[Step]:
        """Yield the steps chosen, but for sections that are known to be right."""
        rows = {name: self._rows[name][chosen] for name in _COLUMNS}
        details = self._details[chosen]
        plan = self.sections.plan(rows, details, self._words) if self.takes_sections else None
        done = 0
        if plan is not None:
            for number, start in enumerate(plan.starts):
                if start < done:
                    continue
                yield from self._stretch(chosen, rows, details, done, start)
                done = self._known(plan, number, chosen, rows)
                if done == start:
                    done = plan.ends[number]
                    yield from self._tried(plan, number, chosen, rows, details)
        yield from self._stretch(chosen, rows, details, done, len(chosen))
        while self._more:
            yield from self._inserted()

    def _known(self, plan: Plan, number: int, chosen: Array, rows: Columns) -> int:
        """Take as many sections as are known to be right; return the step after them."""
        verdicts, starts, ends, forms = self.sections.verdicts, plan.starts, plan.ends, plan.forms
        start = end = starts[number]
        while number < len(starts) and starts[number] == end and verdicts[forms[number]] == RIGHT:
            end = ends[number]
            number += 1
        if end == start or self._more or self.is_waiting():
            return start
        if not self.sections.fits(plan, start, end):
            return start
        self.sections.take(plan, start, end)
        self._at = int(chosen[end - 1])
        self.state.record = int(rows["record"][end - 1])
        return end

    def _tried(
        self, plan: Plan, number: int, chosen: Array, rows: Columns, details: Array
    ) -> Iterator[Step]:
        """Yield the steps of a section, and learn whether its form is right."""
        start, end, form = plan.starts[number], plan.ends[number], plan.forms[number]
        learns = self.sections.verdicts[form] == UNKNOWN and not self._more
        learns = learns and not self.is_waiting() and self.sections.fits(plan, start, end)
        self.disturbed = False
        yield from self._stretch(chosen, rows, details, start, end)
        if learns:
            right = not self.disturbed and not self._more and self.sections.is_quiet()
            self.sections.verdicts[form] = RIGHT if right else WRONG

    def _stretch(
        self, chosen: Array, rows: Columns, details: Array, start: int, end: int
    ) -> Iterator[Step]:
        """Yield the steps from one place among those chosen to another."""
        if start == end:
            return
        columns = [rows[name][start:end].tolist() for name in _COLUMNS]
        texts = [self._words[detail] for detail in details[start:end].tolist()]
        state, more = self.state, self._more
        places = chosen[start:end].tolist()
        for step in map(Step._make, zip(places, *columns, texts, strict=True)):
            while more and more[0] < step.row:
                yield from self._inserted()
            self._at = step.row
            yield step
            if state.fresh:
                self._reclassify()

    def _inserted(self) -> Iterator[Step]:
        """Yield the first event that became interesting within the batch."""
        self._at = heapq.heappop(self._more)
        row = self._rows[self._at]
        numbers = [int(row[name]) for name in _COLUMNS]
        yield Step._make([self._at, *numbers, self._words[self._details[self._at]]])
        if self.state.fresh:
            self._reclassify()

    def _sort_out(self, rows: Array) -> Array:
        """Return the rows to step; remember the others that may matter."""
        kinds = rows["kind"].copy()
        writes, reads = kinds == int(Kind.WRITE), kinds == int(Kind.READ)
        usable = rows["flags"] & np.uint16(_NEEDED) == _NEEDED
        writes &= usable
        reads &= usable
        address = rows["address"].copy()
        self._pages = address >> np.uint64(12)
        nature = self._natures(writes, reads)
        address &= np.uint64(4095)
        address += rows["size"]
        crossing = address > np.uint64(4096)
        self._deferred = writes & (nature == PLAIN) & ~crossing
        step = writes & ~self._deferred | reads & (nature == SPECIAL) | _ALWAYS[kinds & 255]
        self._memory = (writes | reads) & ~step
        return np.flatnonzero(step)

    def _natures(self, writes: Array, reads: Array) -> Array:
        """Return what the page of each read and write is; find the memory of those written."""
        pages = self._pages
        known, facts = self._natures_known.find(pages)
        # What is read may not have its memory yet; what is written gets it.
        missing = np.flatnonzero(reads & ~known | writes & (~known | (facts & 3 == OTHER)))
        if len(missing):
            fresh, places = np.unique(pages[missing], return_inverse=True)
            written = np.zeros(len(fresh), "?")
            written[places[writes[missing]]] = True
            found = [self._nature(page, write) for page, write in
                     zip(fresh.tolist(), written.tolist(), strict=True)]  # fmt: skip
            table = np.array(found, "i8")
            facts[missing] = table[places]
            self._natures_known.put(fresh, table)
        self._slots = facts >> 2
        return facts & 3

    def _nature(self, page: int, write: bool) -> int:
        """Return four times the page's row of memory, if it has one, and what the page is."""
        if page << 12 in self.state.tables or page in self.watched:
            return SPECIAL
        if not write or not self.state.memory.is_full(page):
            return OTHER
        return self.state.memory.row(page) << 2 | PLAIN

    def _reclassify(self) -> None:
        """Step what is still to come on pages that have become tables, or were freed."""
        for low, high in self.state.fresh:
            self._natures_known.forget(low, high)
            after = self._at + 1 - self._first
            pages = self._pages[after:]
            some = (pages >= np.uint64(low)) & (pages < np.uint64(min(high, 1 << 63)))
            some &= self._memory[after:]
            places = np.flatnonzero(some) + after
            self._memory[places] = False
            self._deferred[places] = False
            for place in places.tolist():
                heapq.heappush(self._more, place + self._first)
        self.state.fresh.clear()

    def _settle(self) -> None:
        """Store the writes that were put off, up to the event that is stepped."""
        if self._stored >= self._at:
            return
        deferred = self._deferred[self._stored - self._first : self._at - self._first]
        places = np.flatnonzero(deferred) + self._stored
        self._stored = self._at
        if len(places) == 0:
            return
        address = self._rows["address"][places]
        size = self._rows["size"][places]
        value = self._rows["value"][places]
        slots = self._slots[places - self._first]
        cells = self.state.memory.values.reshape(-1)
        if ((size == 8) & (address & np.uint64(7) == 0)).all():
            # Where a slot comes twice, the last value stays.
            cells[slots << 9 | (address >> np.uint64(3) & np.uint64(511)).astype("i8")] = value
            return
        self._store_bytes(cells, places, slots, address, size)

    def _store_bytes(
        self, cells: Array, places: Array, slots: Array, address: Array, size: Array
    ) -> None:
        """Store accesses of any size, byte by byte, in order."""
        octets = cells.view("u1")
        size = np.clip(size, 1, 16).astype("i8")
        spread = np.repeat(np.arange(len(places)), size)
        offset = np.arange(len(spread)) - np.repeat(np.cumsum(size) - size, size)
        big = self._big_endian()
        significance = np.repeat(size, size) - 1 - offset if big else offset
        low = self._rows["value"][places][spread]
        high = self._rows["value_high"][places][spread]
        number = np.where(significance < 8, low, high)
        number >>= ((significance & 7) * 8).astype("u8")
        within = (address[spread] & np.uint64(4095)).astype("i8") + offset
        # A slot is a number in this machine's order, least significant byte first.
        within = within ^ 7 if big else within
        octets[(slots[spread] << 12) + within] = number & np.uint64(255)


_COLUMNS = ("record", "kind", "thread", "address", "size", "value", "flags")
