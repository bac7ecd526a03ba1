"""Memory as a trace's accesses left it, byte by byte, replayed a batch at a time.

One sort brings the parts of each cell together in the order of the trace, so that each byte
that is read can be held against the access that touched it last, for all rows at once. Cells
whose parts all touch the same bytes, nearly all of them, are compared as words; the others
byte by byte.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from inst.check.cells import BYTES, CELL, Parts, by_cell, is_range, parts_of
from inst.check.frames import Taken
from inst.check.shadow import Memory
from inst.trace.model import Array, Kind


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


@dataclass(slots=True)
class Fresh:
    """Reads of stack memory that its function was not seen to write, where bytes had changed."""

    bytes: int = 0
    places: set[int] = field(default_factory=set)
    """Where the reading instructions are."""


def replay(
    memory: Memory,
    events: Array,
    big_endian: bool,
    taken: Taken | None = None,
    fresh: Fresh | None = None,
) -> Changes | None:
    """Let the accesses of a batch happen; return what was read and is not what was known.

    What functions `taken` for their frames is not known; reads of it are counted in `fresh`.
    """
    parts = parts_of(events, big_endian)
    if len(parts.cell) == 0:
        if taken:
            _forget(memory, taken.last())
        return None
    return _Replay(memory, events, by_cell(parts), taken or None, fresh or Fresh()).run()


def _forget(memory: Memory, stretches: list[tuple[int, int, int]]) -> None:
    for low, high, _ in stretches:
        memory.forget(low, high)


class _Replay:
    """One batch at work: parts sorted by cell, and where each cell's begin."""

    def __init__(
        self, memory: Memory, events: Array, parts: Parts, taken: Taken | None, fresh: Fresh
    ) -> None:
        self.memory, self.events, self.parts = memory, events, parts
        self.taken, self.fresh = taken, fresh
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
        self.uncounted: list[tuple[Array, Array]] = []
        """(part, bytes that differ) of stack memory that was taken in between."""

    def run(self) -> Changes | None:
        mask = self.parts.mask
        mixed = np.zeros(len(mask), bool)
        mixed[1:] = (mask[1:] != mask[:-1]) & ~self.begins[1:]
        self.lasting = self._lasting()
        self._hold_words()
        value, known = self._final_words()
        if mixed.any():
            groups = np.flatnonzero(np.logical_or.reduceat(mixed, self.starts))
            self._hold_bytes(groups, value, known)
        self._hold_forgotten()
        changes = self._changes()
        self._keep(value, known)
        return changes

    def _hold_forgotten(self) -> None:
        """Count what is read of the memory that was taken before these events; the first part of
        each stretch shows nearly all of it."""
        forgotten = self.old_known >> 4
        groups = np.flatnonzero(forgotten)
        if len(groups) == 0:
            return
        rows, group, first = self._parts_in(groups)
        begins, _ = self._stretches()
        is_begin = np.zeros(len(self.begins), bool)
        is_begin[begins] = True
        masks, part_masks, place = (
            np.zeros(len(rows), "u1"),
            self.parts.mask[rows],
            np.arange(len(rows)),
        )
        for lane in range(CELL):
            bit = np.uint8(1 << lane)
            earliest = np.minimum.reduceat(np.where(part_masks & bit, place, len(rows)), first)
            masks[earliest[earliest < len(rows)]] |= bit
        masks &= forgotten[groups][group] * is_begin[rows]
        bits = (self.parts.value[rows] ^ self.old[groups][group]) & BYTES[masks]
        wrong = np.flatnonzero((bits != 0) & self.parts.reads[rows])
        self.uncounted.append((rows[wrong], _bytes_of(bits[wrong])))

    def _lasting(self) -> Array:
        """Return for each cell the row before which nothing that was known of it holds."""
        begins = np.full(len(self.starts), -1)
        if self.taken is None:
            return begins
        stretches = self.taken.last()
        _forget(self.memory, stretches)
        lows, highs, rows = (np.array(column) for column in zip(*stretches, strict=True))
        cells = self.parts.cell[self.starts].astype("i8")
        at = np.maximum(np.searchsorted(lows, cells, side="right") - 1, 0)
        return np.where((lows[at] <= cells) & (cells < highs[at]), rows[at], begins)

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
            masks = _bytes_of(bits[wrong])
            masks[self._between(wrong, last, masks)] = 0
            self.found.append((wrong, masks, was[wrong], last))

    def _between(self, reading: Array, last: Array, masks: Array) -> Array:
        """Return which parts read what was taken after the part that was last; count those."""
        if self.taken is None:
            return np.zeros(len(reading), bool)
        parts = self.parts
        since = np.where(last >= 0, parts.row[np.maximum(last, 0)], -1)
        found = self.taken.between(parts.cell[reading], since, parts.row[reading])
        self.uncounted.append((reading[found], masks[found]))
        return found

    def _final_words(self) -> tuple[Array, Array]:
        value, mask = self.parts.value[self.ends], self.parts.mask[self.ends]
        bits = BYTES[mask]
        known = (self.old_known & ~mask & 15) | self.parts.known[self.ends]
        lost = np.where(self.lasting < 0, 0, ~mask & 15).astype("u1")
        lost[self.parts.row[self.ends] < self.lasting] = 15
        forgotten = (self.old_known >> 4 & ~mask) | (known & lost)
        known = (known & ~lost) | forgotten << 4
        return (self.old & ~bits) | (value & bits), known

    def _hold_bytes(self, groups: Array, value: Array, known: Array) -> None:
        """Do cells anew, byte by byte, whose parts touch different bytes."""
        rows, group, first = self._parts_in(groups)
        inside = np.zeros(len(self.parts.cell), bool)
        inside[rows] = True
        # What was found by comparing words is void there.
        self.found = [
            tuple(column[~inside[entry[0]]] for column in entry)  # type: ignore[misc]
            for entry in self.found
        ]
        self.uncounted = [
            (part[~inside[part]], mask[~inside[part]]) for part, mask in self.uncounted
        ]
        lanes = _Lanes(self.parts.take(rows), group, first, self.old[groups],
                       self.old_known[groups], self.lasting[groups])  # fmt: skip
        for lane in range(CELL):
            wrong, last = lanes.hold(lane)
            bit = np.full(len(wrong), 1 << lane, "u1")
            last_part = np.where(last >= 0, rows[last], -1)
            sound = self._between(rows[wrong], last_part, bit)
            lanes.differ(lane, wrong[~sound], last[~sound])
        value[groups], known[groups] = lanes.value, lanes.known
        wrong = np.flatnonzero(lanes.differs)
        if len(wrong):
            last = lanes.last[wrong]
            last = np.where(last >= 0, rows[last], -1)
            self.found.append((rows[wrong], lanes.differs[wrong], lanes.was[wrong], last))

    def _parts_in(self, groups: Array) -> tuple[Array, Array, Array]:
        """Return the parts of some cells, of which of these cells each is, and where the parts
        of each begin."""
        lengths = self.ends[groups] - self.starts[groups] + 1
        first = np.cumsum(lengths) - lengths
        rows = np.arange(lengths.sum()) + np.repeat(self.starts[groups] - first, lengths)
        return rows, np.repeat(np.arange(len(groups)), lengths), first

    def _changes(self) -> Changes | None:
        self._count_fresh()
        if not any(entry[1].any() for entry in self.found):
            return None
        place, masks, was, last = (
            np.concatenate([entry[n] for entry in self.found]) for n in range(4)
        )
        differ = masks != 0
        place, masks, was, last = place[differ], masks[differ], was[differ], last[differ]
        rows = self.parts.row[place]
        starts, mixed = self._stretches()
        stretch = np.searchsorted(starts, place, side="right") - 1
        order = np.lexsort((place, mixed[stretch], rows))
        place, masks, was, last, rows, stretch = (
            column[order] for column in (place, masks, was, last, rows, stretch)
        )
        start = starts[stretch]
        last = np.where(last >= start, last, np.where(self.begins[start], -1, start - 1))
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

    def _stretches(self) -> tuple[Array, Array]:
        """Return where the parts of each cell begin and go on after a write of other code, and
        whether those from there to the next such place touch different bytes.

        Within a stretch the access that touched a byte last is known; across them that of a cell.
        """
        ranges = (self.events["kind"] == Kind.WRITE) & is_range(self.events)
        stretch = (2 * np.cumsum(ranges) - ranges)[self.parts.row]
        begins = self.begins.copy()
        begins[1:] |= stretch[1:] != stretch[:-1]
        changes = np.zeros(len(begins), bool)
        mask = self.parts.mask
        changes[1:] = (mask[1:] != mask[:-1]) & ~begins[1:]
        starts = np.flatnonzero(begins)
        return starts, np.logical_or.reduceat(changes, starts)

    def _count_fresh(self) -> None:
        for reading, masks in self.uncounted:
            self.fresh.bytes += int(np.unpackbits(masks).sum())
            self.fresh.places.update(self.events["pc"][self.parts.row[reading]].tolist())

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
        self, parts: Parts, group: Array, first: Array, old: Array, old_known: Array, lasting: Array
    ) -> None:
        self.parts, self.group, self.first = parts, group, first
        self.old, self.old_known, self.lasting = old, old_known, lasting
        self.ends = np.append(first[1:], len(group)) - 1
        self.differs = np.zeros(len(group), "u1")
        self.was = np.zeros(len(group), "u4")
        self.last = np.full(len(group), -1, "i8")
        self.value = np.zeros(len(first), "u4")
        self.known = np.zeros(len(first), "u1")

    def hold(self, lane: int) -> tuple[Array, Array]:
        """Hold one byte of each part against the last part before it that has the byte.

        Return the parts that read another value, and which part was last (-1: none).
        """
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
        self.was[wrong] |= was[wrong]
        final = upto[self.ends]
        fresh, at = final >= self.first, np.maximum(final, 0)
        self.value |= np.where(fresh, parts.value[at], self.old) & bits
        known = np.where(fresh, parts.known[at], self.old_known) & bit
        forgotten = np.where(fresh, 0, self.old_known >> 4) & bit
        lasts = np.where(fresh, parts.row[at], -1) >= self.lasting
        self.known |= np.where(lasts, known | forgotten << 4, (known | forgotten) << 4)
        found = np.flatnonzero(wrong)
        return found, np.where(inner, before, -1)[found]

    def differ(self, lane: int, parts: Array, last: Array) -> None:
        """Note that parts read another byte than there was."""
        self.differs[parts] |= np.uint8(1 << lane)
        self.last[parts] = np.maximum(self.last[parts], last)
