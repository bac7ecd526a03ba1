"""Memory as a trace's accesses left it, byte by byte, replayed a batch at a time.

Accesses are cut into parts of aligned 4-byte cells. One sort brings the parts of each cell
together in the order of the trace, so that each byte that is read can be held against the
access that touched it last, for all rows at once. Cells whose parts all touch the same bytes,
nearly all of them, are compared as words; the others byte by byte.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inst.trace import decode
from inst.trace.model import Array, Flag, Kind, Trace

CELL = 4
"""Bytes of a cell."""
PAGE_CELLS = 1024
"""Cells of a page of state: 4 KiB."""
PAGE = CELL * PAGE_CELLS
LARGEST = 1 << 28
"""Bytes of the largest region that is given a value page by page."""

BYTES = np.array([sum(0xFF << 8 * n for n in range(4) if m >> n & 1) for m in range(16)], "u4")
"""From a mask of bytes to one of bits; byte n of a cell is bits 8n of its value."""


@dataclass(slots=True)
class Parts:
    """What accesses touch of single cells, a column each."""

    cell: Array
    value: Array
    row: Array
    """Index of the event."""
    mask: Array
    """Bytes touched."""
    known: Array
    """Those of them whose values are recorded."""
    reads: Array

    def take(self, which: Array) -> Parts:
        return Parts(
            self.cell[which],
            self.value[which],
            self.row[which],
            self.mask[which],
            self.known[which],
            self.reads[which],
        )


@dataclass(frozen=True, slots=True)
class Changes:
    """Bytes that were read and are not what was last known of them, a row each."""

    rows: Array
    """Indices of the reading events."""
    cells: Array
    masks: Array
    """Which bytes of the cell differ."""
    found: Array
    expected: Array
    records: Array
    """Of the access that touched the cell last before; and its pc and thread."""
    pcs: Array
    threads: Array


def is_big_endian(trace: Trace) -> bool:
    """Tell the byte order of the processor that a trace comes from."""
    arch = trace.facts.arch.lower()
    if not arch:
        return trace.format != "sexp"
    known = arch.startswith("sparc") or decode.family(arch) == "powerpc"
    return known and not arch.endswith("le")


class Memory:
    """What is known of the memory of the program, and who touched each cell last."""

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
                    self.columns[name] = np.concatenate([column, np.zeros_like(column)])
        return place

    def fill(self, address: int, size: int, byte: int | None, who: tuple[int, int, int]) -> None:
        """Give `size` bytes a value, or forget what is known of them.

        Of a region larger than any program fills, all is forgotten: it costs no memory.
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

    def _fill(
        self, cell: int, count: int, mask: int, byte: int | None, who: tuple[int, int, int]
    ) -> None:
        start = self._place(cell // PAGE_CELLS) * PAGE_CELLS + cell % PAGE_CELLS
        part = slice(start, start + count)
        value, known = self.columns["value"], self.columns["known"]
        value[part] &= ~BYTES[mask]
        value[part] |= np.uint32((byte or 0) * 0x01010101) & BYTES[mask]
        known[part] &= np.uint8(~mask & 15)
        if byte is not None:
            known[part] |= np.uint8(mask)
        for name, number in zip(("record", "pc", "thread"), who, strict=True):
            self.columns[name][part] = number


def parts_of(events: Array, big_endian: bool) -> Parts:
    """Return the parts of cells that reads and writes touch, in order within each access."""
    kind, size = events["kind"], events["size"]
    access = (kind == Kind.READ) & (events["flags"] & int(Flag.HAS_VALUE) != 0)
    access |= kind == Kind.WRITE
    rows = np.flatnonzero(access & (size >= 1) & (size <= 8))
    address, values, sizes = events["address"][rows], events["value"][rows], size[rows]
    wide = np.flatnonzero(access & (size == 16))
    if len(wide):
        lower, upper = events["value"][wide], events["value_high"][wide]
        if big_endian:
            lower, upper = upper, lower
        start = events["address"][wide]
        rows = np.concatenate([rows, wide, wide])
        address = np.concatenate([address, start, start + np.uint64(8)])
        values = np.concatenate([values, lower, upper])
        sizes = np.concatenate([sizes, np.full(2 * len(wide), 8, "u8")])
    return _cut(events, rows, address, sizes, values, big_endian)


def _cut(
    events: Array, rows: Array, address: Array, size: Array, value: Array, big_endian: bool
) -> Parts:
    """Cut accesses of up to 8 bytes into cells: one, two or three of them."""
    offset = address & np.uint64(CELL - 1)
    if big_endian:
        value = (value << (np.uint64(64) - size * np.uint64(8))).byteswap()
    touched = ((np.uint64(1) << size) - np.uint64(1)) << offset
    valued = events["flags"][rows] & int(Flag.HAS_VALUE) != 0
    reads = events["kind"][rows] == Kind.READ
    shift = offset * np.uint64(8)
    pieces: list[tuple[Array | None, Array, Array]] = [(None, value << shift, touched)]
    for number in range(1, 3):
        more = np.flatnonzero(touched >> np.uint64(4 * number))
        if len(more):
            moved = value[more] >> (np.uint64(32 * number) - shift[more])
            pieces.append((more, moved, touched[more] >> np.uint64(4 * number)))
    found = []
    for number, (which, bits, mask) in enumerate(pieces):
        at = slice(None) if which is None else which
        low = (mask & np.uint64(15)).astype("u1")
        found.append(
            Parts(
                (address[at] >> np.uint64(2)) + np.uint64(number),
                bits.astype("u4"),
                rows[at],
                low,
                np.where(valued[at], low, 0).astype("u1"),
                reads[at],
            )
        )
    return found[0] if len(found) == 1 else _joined(found)


def _joined(parts: list[Parts]) -> Parts:
    return Parts(
        np.concatenate([part.cell for part in parts]),
        np.concatenate([part.value for part in parts]),
        np.concatenate([part.row for part in parts]),
        np.concatenate([part.mask for part in parts]),
        np.concatenate([part.known for part in parts]),
        np.concatenate([part.reads for part in parts]),
    )


def _sorted(parts: Parts) -> Parts:
    """Bring the parts of each cell together, in the order of the trace."""
    count = len(parts.cell)
    width = max(count, int(parts.row.max()) + 1).bit_length()
    if int(parts.cell.max()).bit_length() + width > 64:
        return parts.take(np.lexsort((parts.row, parts.cell)))
    # One number to sort by, cell and place: several times as fast as sorting indirectly.
    if (parts.row[1:] < parts.row[:-1]).any():
        parts = parts.take(np.argsort(parts.row, kind="stable"))
    keys = parts.cell << np.uint64(width) | np.arange(count, dtype="u8")
    keys.sort()
    return parts.take((keys & np.uint64((1 << width) - 1)).astype("i8"))


def replay(memory: Memory, events: Array, big_endian: bool) -> Changes | None:
    """Let the accesses of a batch happen; return what was read and is not what was known."""
    parts = parts_of(events, big_endian)
    if len(parts.cell) == 0:
        return None
    return _Replay(memory, events, _sorted(parts)).run()


class _Replay:
    """One batch at work: parts sorted by cell, and where each cell's begin."""

    def __init__(self, memory: Memory, events: Array, parts: Parts) -> None:
        self.memory, self.events, self.parts = memory, events, parts
        begins = np.ones(len(parts.cell), bool)
        begins[1:] = parts.cell[1:] != parts.cell[:-1]
        self.begins = begins
        self.starts = np.flatnonzero(begins)
        self.ends = np.append(self.starts[1:], len(begins)) - 1
        self.slots = memory.slots(parts.cell[self.starts])
        self.old = memory.columns["value"][self.slots]
        self.old_known = memory.columns["known"][self.slots]
        self.found: list[tuple[Array, Array, Array, Array]] = []
        """(part, bytes that differ, what they were, part that was last or -1)"""

    def run(self) -> Changes | None:
        mask = self.parts.mask
        mixed = np.zeros(len(mask), bool)
        mixed[1:] = (mask[1:] != mask[:-1]) & ~self.begins[1:]
        self._hold_words()
        value, known = self._final_words()
        if mixed.any():
            groups = np.flatnonzero(np.logical_or.reduceat(mixed, self.starts))
            self._hold_bytes(groups, value, known)
        changes = self._changes()
        self._keep(value, known)
        return changes

    def _hold_words(self) -> None:
        """Hold each part against the one before it; in mixed cells that is of no use."""
        parts = self.parts
        was, has = np.empty_like(parts.value), np.empty_like(parts.known)
        was[1:], has[1:] = parts.value[:-1], parts.known[:-1]
        was[self.starts], has[self.starts] = self.old, self.old_known
        self._compare(was, has)

    def _compare(self, was: Array, has: Array) -> None:
        parts = self.parts
        bits = (parts.value ^ was) & BYTES[has & parts.mask]
        wrong = np.flatnonzero((bits != 0) & parts.reads)
        if len(wrong):
            last = np.where(self.begins[wrong], -1, wrong - 1)
            self.found.append((wrong, _bytes_of(bits[wrong]), was[wrong], last))

    def _final_words(self) -> tuple[Array, Array]:
        value, mask = self.parts.value[self.ends], self.parts.mask[self.ends]
        bits = BYTES[mask]
        known = (self.old_known & ~mask) | self.parts.known[self.ends]
        return (self.old & ~bits) | (value & bits), known

    def _hold_bytes(self, groups: Array, value: Array, known: Array) -> None:
        """Do cells anew, byte by byte, whose parts touch different bytes."""
        lengths = self.ends[groups] - self.starts[groups] + 1
        rows = np.repeat(self.starts[groups], lengths)
        first = np.cumsum(lengths) - lengths
        places = np.arange(len(rows)) - np.repeat(first, lengths)
        rows = rows + places
        group = np.repeat(np.arange(len(groups)), lengths)
        inside = np.zeros(len(self.parts.cell), bool)
        inside[rows] = True
        # What was found by comparing words is void there.
        self.found = [
            tuple(column[~inside[entry[0]]] for column in entry)  # type: ignore[misc]
            for entry in self.found
        ]
        lanes = _Lanes(self.parts.take(rows), group, first, self.old[groups],
                       self.old_known[groups])  # fmt: skip
        for lane in range(CELL):
            lanes.hold(lane)
        value[groups], known[groups] = lanes.value, lanes.known
        wrong = np.flatnonzero(lanes.differs)
        if len(wrong):
            last = lanes.last[wrong]
            last = np.where(last >= 0, rows[last], -1)
            self.found.append((rows[wrong], lanes.differs[wrong], lanes.was[wrong], last))

    def _changes(self) -> Changes | None:
        if not any(len(entry[0]) for entry in self.found):
            return None
        place, masks, was, last = (
            np.concatenate([entry[n] for entry in self.found]) for n in range(4)
        )
        rows = self.parts.row[place]
        order = np.argsort(rows, kind="stable")
        place, masks, was, last, rows = (c[order] for c in (place, masks, was, last, rows))
        group = np.searchsorted(self.starts, place, side="right") - 1
        before = self.parts.row[np.maximum(last, 0)]
        who = [
            np.where(
                last >= 0, self.events[name][before], self.memory.columns[name][self.slots[group]]
            )
            for name in ("record", "pc", "thread")
        ]
        return Changes(
            rows, self.parts.cell[place], masks, self.parts.value[place], was, *who
        )  # fmt: skip

    def _keep(self, value: Array, known: Array) -> None:
        """Remember how the batch left its cells, and who touched each last."""
        rows = self.parts.row[self.ends]
        columns = self.memory.columns
        columns["value"][self.slots] = value
        columns["known"][self.slots] = known
        for name in ("record", "pc", "thread"):
            columns[name][self.slots] = self.events[name][rows]


def _bytes_of(bits: Array) -> Array:
    """Return which bytes of words are not zero."""
    octets = bits.astype("<u4").view("u1").reshape(-1, CELL) != 0
    masks: Array = (octets * np.array([1, 2, 4, 8], "u1")).sum(axis=1).astype("u1")
    return masks


class _Lanes:
    """The parts of some cells, looked at byte by byte."""

    def __init__(
        self, parts: Parts, group: Array, first: Array, old: Array, old_known: Array
    ) -> None:
        self.parts, self.group, self.first = parts, group, first
        self.old, self.old_known = old, old_known
        self.ends = np.append(first[1:], len(group)) - 1
        self.differs = np.zeros(len(group), "u1")
        self.was = np.zeros(len(group), "u4")
        self.last = np.full(len(group), -1, "i8")
        self.value = np.zeros(len(first), "u4")
        self.known = np.zeros(len(first), "u1")

    def hold(self, lane: int) -> None:
        """Hold one byte of each part against the last part before it that has the byte."""
        bit, bits = np.uint8(1 << lane), np.uint32(0xFF << 8 * lane)
        parts = self.parts
        position = np.arange(len(self.group))
        upto = np.maximum.accumulate(np.where(parts.mask & bit, position, -1))
        before = np.empty_like(upto)
        before[0], before[1:] = -1, upto[:-1]
        inner = before >= self.first[self.group]
        at = np.maximum(before, 0)
        was = np.where(inner, parts.value[at], self.old[self.group]) & bits
        has = np.where(inner, parts.known[at], self.old_known[self.group]) & bit
        wrong = (parts.value & bits != was) & parts.reads & (has & parts.mask & bit != 0)
        self.differs[wrong] |= bit
        self.was[wrong] |= was[wrong]
        self.last[wrong] = np.maximum(self.last[wrong], np.where(inner, before, -1)[wrong])
        final = upto[self.ends]
        fresh, at = final >= self.first, np.maximum(final, 0)
        self.value |= np.where(fresh, parts.value[at], self.old) & bits
        self.known |= np.where(fresh, parts.known[at], self.old_known) & bit
