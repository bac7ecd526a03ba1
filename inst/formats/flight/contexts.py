"""Puts what contexts recorded in the order in which it happened.

A block is reserved as a whole. Code that is interrupted in the middle of one does the rest of its
accesses when it goes on: events state where that was, and name the frame that it was saved in, by
which one is found that goes on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from inst.formats.flight.blocks import LOST, Blocks
from inst.formats.rec.tables import TWO, Tables

START, INTERRUPTED, RESUMED, TORN, DUMPED = 1, 17, 18, 19, 20
"""Numbers of events (inst/ring.h, inst/flight.h)."""
NOWHERE = -1
Said = tuple[int, int, int, int, int]
"""An event's number, address and pc, and the two words of its value."""


@dataclass(slots=True)
class _Context:
    """Code that is running, or waits in a frame."""

    block: int = NOWHERE
    """The last block that it has reserved, among those of all contexts."""
    item: int = 0
    """The first access of it that it has not done when it was interrupted."""


@dataclass(slots=True)
class Order:
    """Where the accesses of blocks come."""

    after: dict[tuple[int, int], int] = field(default_factory=dict)
    """(block, access of it from which on) -> the event after which they come; NOWHERE: never."""
    unknown: list[tuple[int, int]] = field(default_factory=list)
    """(block, access) of loads whose values have not been stored."""
    lost: list[int] = field(default_factory=list)
    """Events after which code does accesses of a block that has been overwritten."""
    left_out: int = 0
    """Accesses that may not have been done where the recording ends."""
    torn: int = 0
    """Contexts that went on in memory which had been taken for something else."""


def order_of(
    blocks: Blocks,
    tables: Tables,
    reserved: Callable[[int], int],
    events: dict[int, Said],
    stopped_at: int | None,
) -> Order:
    """Return where accesses come.

    `reserved` returns where the code of a segment has reserved its block; `events` are the blocks
    that say what contexts did; `stopped_at` is where the processor was stopped, if that is known.
    """
    return _Orderer(blocks, tables, reserved).order(events, stopped_at)


class _Orderer:
    def __init__(self, blocks: Blocks, tables: Tables, reserved: Callable[[int], int]) -> None:
        self.tables, self.reserved = tables, reserved
        self.segments = blocks.segments
        self.plain = np.flatnonzero(blocks.segments >= 0)
        """The blocks that are accesses."""
        self.starts = [tables.address(segment) for segment in range(len(tables.distance))]
        self.ends = {end: block for block, end in enumerate(blocks.ends)}
        self.result = Order()
        self.context = _Context()
        self.since = 0
        """From which block on those of the present context come."""
        self.waiting: dict[int, tuple[_Context, int]] = {}
        """By their frames the contexts that are interrupted, and where."""

    def order(self, events: dict[int, Said], stopped_at: int | None) -> Order:
        lost = np.flatnonzero(self.segments == LOST).tolist()
        places = {**dict.fromkeys(lost), **events}
        for place in sorted(places):
            number, frame, pc, *value = events.get(place, (LOST, 0, 0, 0, 0))
            if number == INTERRUPTED:
                self._interrupt(place, frame, pc)
            elif number in (RESUMED, TORN):
                self._resume(place, frame, pc, (value[0], value[1]))
                self.result.torn += number == TORN
            elif number in (START, LOST):
                self._stop(place, None)
                if number == START:
                    self._forget()
        self._stop(len(self.segments), stopped_at)
        self._forget()
        return self.result

    def _take_last(self, place: int) -> None:
        """Find the last block of the present context before a place."""
        at = int(np.searchsorted(self.plain, place)) - 1
        if at >= 0 and self.plain[at] >= self.since:
            self.context = _Context(int(self.plain[at]))

    def _interrupt(self, place: int, frame: int, pc: int) -> None:
        self._take_last(place)
        context = self.context
        context.item = self._done(context.block, pc)
        before, _ = self.waiting.get(frame, (_Context(), 0))
        self._leave(before, before.item, 0)  # it went on, which has been overwritten
        self.waiting[frame] = (context, pc)
        self.context, self.since = _Context(), place + 1

    def _resume(self, place: int, frame: int, pc: int, end: tuple[int, int]) -> None:
        """Let the accesses that a context has not done yet come where it goes on.

        What it did since it was interrupted, as far as that is known, has been overwritten.
        """
        before, _ = self.waiting.pop(frame, (_Context(), 0))
        self.context, self.since = _Context(), place + 1
        block = self.ends.get(end, NOWHERE)
        if before.block not in (NOWHERE, block):
            self._leave(before, before.item, 0)
        if block == NOWHERE:
            if end[0] and self._is_inside(pc):
                self.result.lost.append(place)
        elif self.segments[block] >= 0:
            item = self._done(block, pc)
            if before.block == block and before.item < item:
                self._leave(before, before.item, 0)
                self.result.lost.append(place)
            self.context = _Context(block, item)
            self.result.after[block, item] = place

    def _stop(self, place: int, stopped_at: int | None) -> None:
        """Leave out what the present context may not have done before a place."""
        self._take_last(place)
        block, item = self.context.block, self.context.item
        if stopped_at is not None:
            self._leave(self.context, self._done(block, stopped_at), stopped_at)
        elif block != NOWHERE and (block == place - 1 or self.since == place):
            self.result.left_out += self._items(int(self.segments[block])) - item
            self._leave(self.context, item, 0)
        self.context, self.since = _Context(), place

    def _forget(self) -> None:
        """Leave out what contexts that wait have not done: they never go on."""
        for context, pc in self.waiting.values():
            self._leave(context, context.item, pc)
        self.waiting.clear()

    def _leave(self, context: _Context, item: int, pc: int) -> None:
        """Leave out accesses from one on; the load before it may not have stored its value."""
        if context.block == NOWHERE:
            return
        self.result.after[context.block, item] = NOWHERE
        if item and pc:
            segment = int(self.segments[context.block])
            row = int(self.tables.first[segment]) + item - 1
            words = 2 if self.tables.kind[row] == TWO else 1
            is_stored = pc > int(self.tables.pc[row]) + 4 * words
            if not (self.tables.write[row] or is_stored):
                self.result.unknown.append((context.block, item - 1))

    def _is_inside(self, pc: int) -> bool:
        """Return whether code has accesses of a block to do where it is at an address."""
        segment = int(np.searchsorted(self.starts, pc, "right")) - 1
        return segment >= 0 and self._done_of(segment, pc) < self._items(segment)

    def _done(self, block: int, pc: int) -> int:
        """Return how many accesses of a block are done where its code is at an address."""
        return 0 if block == NOWHERE else self._done_of(int(self.segments[block]), pc)

    def _done_of(self, segment: int, pc: int) -> int:
        low, high = self.tables.first[segment : segment + 2].tolist()
        pcs = self.tables.pc[low:high]
        if not len(pcs) or not self.reserved(segment) <= pc <= int(pcs[-1]):
            return int(high - low)
        return int(np.count_nonzero(pcs < pc))

    def _items(self, segment: int) -> int:
        return int(self.tables.first[segment + 1] - self.tables.first[segment])
