"""The events of a thread: groups of records, each with its place among the thread's blocks."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

import numpy as np

from inst.formats.rec.index import Part, Thread, records_of
from inst.formats.rec.layout import File
from inst.formats.rec.window import PLACE, key_of
from inst.formats.rst.codes import (
    CPU,
    END_OF_FILE,
    EVENT_RECORD,
    EVENT_SIZE,
    MEMVAL,
    NULLREC,
    POSITION,
    REGVAL,
    STATUS,
    THREAD,
)
from inst.formats.rst.table import SIZE
from inst.trace.model import Array, Kind, joined

BEFORE_HEAD, HEAD, PART, EVENT = range(4)
"""What comes first of what has the same place: the beginning of a part, before a head; that of
the head; that of a part, before an event; an event."""
BLOCK = BEFORE_HEAD
"""What a block states that ends at a place comes first, too: nothing else begins there."""
RANKS = 4
UNORDERED = -1


@dataclass(slots=True)
class Groups:
    """Groups of records, in order."""

    records: Array
    first: Array
    """The first record of each."""
    last: Array
    """The record after its last."""
    key: Array
    """Where it is: `key_of` times RANKS, and a rank."""
    order: Array
    """Its number in the order of all threads; UNORDERED."""

    def __len__(self) -> int:
        return len(self.key)

    def part(self, start: int, end: int) -> Groups:
        """Return some of the groups."""
        chosen = slice(start, end)
        return Groups(
            self.records,
            self.first[chosen],
            self.last[chosen],
            self.key[chosen],
            self.order[chosen],
        )

    def gathered(self) -> tuple[Array, Array]:
        """Return the records of all groups one after the other, and how many each has."""
        lengths = self.last - self.first
        before = np.cumsum(lengths) - lengths
        rows = np.repeat(self.first - before, lengths) + np.arange(int(lengths.sum()))
        return self.records.take(rows), lengths

    def without(self, rows: Array) -> Groups:
        """Return all groups but some."""
        kept = np.ones(len(self), bool)
        kept[rows[rows < len(self)]] = False
        return Groups(
            self.records, self.first[kept], self.last[kept], self.key[kept], self.order[kept]
        )

    def joined(self, other: Groups) -> Groups:
        """Return these groups and others, in order."""
        if not len(other):
            return self
        shift = len(self.records)
        pairs = (
            (self.first, other.first + shift),
            (self.last, other.last + shift),
            (self.key, other.key),
            (self.order, other.order),
        )
        columns = [np.concatenate(pair) for pair in pairs]
        sorted_ = np.argsort(columns[2], kind="stable")
        return Groups(
            joined([self.records, other.records]), *(column[sorted_] for column in columns)
        )


@dataclass(frozen=True, slots=True)
class Events:
    """What a part of a thread's events has."""

    groups: Groups
    ends: Array
    """The records that end the trace."""
    breaks: bool
    """Whether space was not written that events come after, or events were lost."""
    is_open: bool
    """Whether it ends with space that was not written."""
    left_out: int
    """How many events are none of the groups, since the blocks before them were overwritten."""


def groups_of(
    thread: Thread, file: File, part: Part, earlier: int = 0, *, is_loose: bool = False
) -> Events:
    """Return the events of a part; `earlier` is the key of the event before.

    Registers whose signal has its event in the next part are left out where there are blocks: its
    place is that of the block that it interrupted.
    """
    written = records_of(file, part.chunk)[part.start : part.end]
    records = written[: _first_lost(file, written)]
    codes = records["rtype"]
    gap = _gap(file, part, codes)
    positions = np.flatnonzero((codes == POSITION) & ~gap)
    first = int(positions[0]) if len(positions) else len(records)
    positions = positions[codes[positions - 1] != REGVAL]  # the registers of what comes next
    ends = (codes == STATUS) & (records["flags"] == END_OF_FILE) & ~gap
    dropped = gap | ends | np.isin(codes, (POSITION, NULLREC))
    dropped[first:] |= np.isin(codes[first:], (CPU, THREAD))
    before = np.concatenate([[0], np.cumsum(~dropped)])
    starts = np.concatenate([[0], positions])
    lost = _overwritten(file, records, positions)
    keys = _keys(thread, file, part, records, positions, lost, earlier)
    keys = np.concatenate([[_beginning(thread, part, keys)], keys])
    orders = np.full(len(starts), UNORDERED)
    orders[0] = part.order
    ordering = np.flatnonzero((codes == EVENT_RECORD) & (records["flags"] == Kind.ORDER) & ~gap)
    ordering = ordering[ordering > first][::-1]
    orders[np.searchsorted(starts, ordering, side="right") - 1] = records["second"][
        ordering
    ].astype("i8")
    kept = np.ascontiguousarray(records[~dropped])
    limits = before[np.append(starts, len(records))]
    groups = Groups(kept, limits[:-1], limits[1:], keys, orders)
    last = kept["rtype"][limits[-2] :]
    if len(last) and (last == REGVAL).all() and not is_loose:
        groups = groups.part(0, len(groups) - 1)
    if lost.any():
        groups = groups.without(np.flatnonzero(lost) + 1)
    breaks = len(records) < len(written) or bool((gap[:-1] & ~gap[1:]).any())
    return Events(groups, records[ends], breaks, bool(gap[-1:].any()), int(lost.sum()))


def _overwritten(file: File, records: Array, positions: Array) -> Array:
    """Return which events came after blocks that a ring has not kept.

    A thread's present chunk of events is kept, however old its first events are.
    """
    chunks = (records["first"][positions] >> np.uint64(32)).astype("i8")
    lost = [chunk for chunk in set(chunks.tolist()) if file.container.was_overwritten(chunk)]
    return np.isin(chunks, lost)


def _first_lost(file: File, records: Array) -> int:
    """Return the row of the first event whose blocks are in a chunk that was never written.

    That is the number of rows if there is none: only a file which ends early lacks chunks.
    """
    if not file.container.unfinished:
        return len(records)
    positions = np.flatnonzero(records["rtype"] == POSITION)
    chunks = (records["first"][positions] >> np.uint64(32)).astype("i8")
    missing = [chunk for chunk in set(chunks.tolist()) if chunk and not file.container.has(chunk)]
    lost = positions[np.isin(chunks, missing)]
    return int(lost[0]) if len(lost) else len(records)


def _gap(file: File, part: Part, codes: Array) -> Array:
    """Return which records were reserved and not written, or only in part.

    Zeros reach to the end, or to the CPU record of what interrupted the writing.
    """
    rows = np.arange(len(codes))
    zero = np.maximum.accumulate(np.where(codes <= 1, rows, -1))
    resumed = np.maximum.accumulate(np.where(codes == CPU, rows, -1))
    gap: Array = zero > resumed
    wrong = np.flatnonzero(gap & ~np.isin(codes, (0, MEMVAL, EVENT_SIZE, NULLREC)))
    if len(wrong):
        row = int(wrong[0])
        what = f"a record of type {codes[row]} after unwritten space (zero bytes)"
        raise file.damage(what, part.chunk, SIZE * (part.start + row))
    return gap


def _keys(
    thread: Thread,
    file: File,
    part: Part,
    records: Array,
    positions: Array,
    lost: Array,
    earlier: int,
) -> Array:
    """Return the places of events; one without a chunk has that of the event before it."""
    chunk = (records["first"][positions] >> np.uint64(32)).astype("i8")
    offset = (records["first"][positions] & np.uint64(0xFFFFFFFF)).astype("i8")
    head = np.full(len(positions), -2)
    is_placed = (chunk != 0) & ~lost
    head[~is_placed] = -1
    offset[~is_placed] = 0
    orders = records["second"][positions].astype("i8")
    for wanted, order in set(zip(chunk.tolist(), orders.tolist(), strict=True)):
        for number in thread.chunks.get(wanted, ()):
            one = thread.heads[number]
            if order in (0, one.order):
                here = (chunk == wanted) & (orders == order) & (offset >= one.start)
                head[here & is_placed] = number
    wrong = (head == -2) | (offset >= 1 << PLACE)
    keys = ((head + 1) << PLACE | offset) * RANKS + EVENT
    latest = np.maximum.accumulate(np.where(is_placed, keys, max(earlier, EVENT)))
    keys = np.where(is_placed, keys, latest)
    wrong[1:] |= keys[1:] < keys[:-1]
    if wrong.any():
        row = int(positions[np.flatnonzero(wrong)[0]])
        place = SIZE * (part.start + row)
        raise file.damage("an event at a place that is none of its thread", part.chunk, place)
    return keys


def _beginning(thread: Thread, part: Part, keys: Array) -> int:
    """Return the place of the beginning: before later blocks, and before its first event."""
    first = int(keys[0]) if len(keys) else key_of(len(thread.heads), 0) * RANKS
    first = first // RANKS * RANKS + PART
    later = bisect_right(thread.heads, part.order, key=lambda head: head.order)
    continues = not part.order and part.chunk > 0
    if later == len(thread.heads) or continues:
        return first
    return min(key_of(later, thread.heads[later].start) * RANKS + BEFORE_HEAD, first)
