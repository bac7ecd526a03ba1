"""Memory as a trace's accesses left it, byte by byte, replayed a batch at a time.

One sort brings the parts of each cell together in the order of the trace, so that each byte
that is read can be held against the access that touched it last, for all rows at once. Cells
whose parts all touch the same bytes, nearly all of them, are compared as words; the others
byte by byte.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inst.check.cells import BYTES, CELL, Parts, by_cell, parts_of
from inst.check.shadow import Memory
from inst.trace.model import Array


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


def replay(memory: Memory, events: Array, big_endian: bool) -> Changes | None:
    """Let the accesses of a batch happen; return what was read and is not what was known."""
    parts = parts_of(events, big_endian)
    if len(parts.cell) == 0:
        return None
    return _Replay(memory, events, by_cell(parts)).run()


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
