"""When a trace's threads were active and which addresses were accessed then, for the page.

Traces carry no clock: time is the number of events so far, in `BINS` equal parts. How long a
trace is shows at its end, so parts become twice as long whenever they are full. Likewise
addresses are counted by pages, then by larger and larger blocks as there are more of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inst.trace.model import Array
from inst.trace.tally import touching

BINS = 128
BLOCKS = 1 << 11
"""Blocks of addresses that are counted apart."""
THREADS = 1 << 10
"""Threads that are counted apart; further ones count with the last of these."""
PAGE_BITS = 12
ROWS = 48
"""Rows of the map of addresses: neighbouring blocks share one if there are more."""
SHOWN = 8
"""Threads shown by themselves."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the map: its first and last address, and accesses in each part of the time."""

    first: int
    last: int
    counts: Array


class Timeline:
    """Counts of threads and of blocks of addresses in each part of a trace."""

    def __init__(self) -> None:
        self.events = 0
        self.width = 1
        """Events in each part."""
        self.bits = PAGE_BITS
        """A block has two to the power of so many bytes."""
        self._threads: dict[int, Array] = {}
        self._blocks: dict[int, Array] = {}

    def add(self, batch: Array) -> None:
        """Count a batch of events."""
        start, self.events = self.events, self.events + len(batch)
        while self.events > BINS * self.width:
            self._lengthen()
        parts = (start + np.arange(len(batch))) // self.width
        _count(self._threads, batch["thread"], parts)
        self._limit_threads()
        memory = touching(batch)
        addresses = batch["address"][memory]
        while len(np.unique(addresses >> np.uint64(self.bits))) > BLOCKS:
            self._enlarge()
        _count(self._blocks, addresses >> np.uint64(self.bits), parts[memory])
        while len(self._blocks) > BLOCKS:
            self._enlarge()

    def _lengthen(self) -> None:
        self.width *= 2
        for table in (self._threads, self._blocks):
            for key, counts in table.items():
                table[key] = np.concatenate([counts[::2] + counts[1::2], np.zeros(BINS // 2, "i8")])

    def _enlarge(self) -> None:
        self.bits += 1
        larger: dict[int, Array] = {}
        for block, counts in self._blocks.items():
            larger[block >> 1] = larger[block >> 1] + counts if block >> 1 in larger else counts
        self._blocks = larger

    def _limit_threads(self) -> None:
        while len(self._threads) > THREADS:
            counts = self._threads.popitem()[1]
            last = next(reversed(self._threads))
            self._threads[last] = self._threads[last] + counts

    def threads(self) -> list[tuple[str, Array]]:
        """Return the most active threads and what they did when; the others as one."""
        ordered = sorted(self._threads.items(), key=lambda item: (-int(item[1].sum()), item[0]))
        found = [(str(thread), counts) for thread, counts in ordered[:SHOWN]]
        if ordered[SHOWN:]:
            others = np.sum([counts for _, counts in ordered[SHOWN:]], axis=0)
            found.append(("others", others))
        return found

    def rows(self) -> list[Row]:
        """Return the rows of the map of addresses, ascending."""
        blocks = sorted(self._blocks)
        parts = np.array_split(np.arange(len(blocks)), min(ROWS, len(blocks)) or 1)
        result = []
        for part in parts:
            if len(part):
                some = [blocks[number] for number in part.tolist()]
                counts = np.sum([self._blocks[block] for block in some], axis=0)
                first, last = some[0] << self.bits, ((some[-1] + 1) << self.bits) - 1
                result.append(Row(first, last, counts))
        return result


def _count(table: dict[int, Array], keys: Array, parts: Array) -> None:
    """Add to each key's counts how often it came in each part."""
    distinct, places = np.unique(keys, return_inverse=True)
    if not len(distinct):
        return
    counts = np.bincount(places * BINS + parts, minlength=len(distinct) * BINS)
    for key, line in zip(distinct.tolist(), counts.reshape(len(distinct), BINS), strict=True):
        table[key] = table[key] + line if key in table else line
