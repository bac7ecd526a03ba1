"""Reuse distances: how many other lines were touched since a line was touched last.

A fully associative cache of N lines that evicts the least recently used one hits exactly
the accesses with a distance below N, so the histogram gives the hit rate of every
size of cache at once. Distances are exact up to `BOUND` lines; what was touched longer ago
counts as farther.

The accesses come in chunks. Each chunk is preceded by the lines touched so far in the
order of their last use, so that every distance is computed from one array: of the
accesses between i and the one before it to the same line, at `before[i]`, those count whose
own predecessor lies before `before[i]`. The others are the accesses j < i with
`before[j] > before[i]`; how many these are is counted for all i together (`larger_before`).
"""

from __future__ import annotations

import numpy as np

from inst.statistics.counts import Waiting
from inst.statistics.inversions import larger_before
from inst.trace.model import Array
from inst.trace.ordering import stable_order

BOUND = 1 << 18
"""Lines that are remembered: 16 MiB of lines of 64 bytes."""

CHUNK = 1 << 16
"""Accesses processed at once, or as many as lines are remembered, if these are more."""


class ReuseDistances:
    """Collects the lines of accesses in their order; `counts` is the histogram.

    `counts[0]` counts distance 0 (the same line again), `counts[n]` the distances from
    2**(n-1) to 2**n - 1.
    """

    def __init__(self, bound: int = BOUND, chunk: int = CHUNK) -> None:
        self.bound = bound
        self.counts = np.zeros(bound.bit_length() + 1, "i8")
        self.unseen = 0
        """Accesses to a line for the first time, or farther than the bound."""
        self._chunk = chunk
        self._stack = np.zeros(0, "u8")
        self._waiting = Waiting()

    def add(self, lines: Array) -> None:
        """Take the next accesses."""
        while len(lines):
            size = max(self._chunk, len(self._stack))
            some = lines[: size - len(self._waiting)]
            self._waiting.add(some)
            lines = lines[len(some) :]
            if len(self._waiting) == size:
                self._take(self._waiting.take())

    def add_range(self, lines: range) -> None:
        """Take accesses to one line after the other, however many.

        After the first `bound` lines of a range every line was touched longer ago than that, if
        ever; and only the last `bound` of it are remembered.
        """
        count = lines.stop - lines.start
        if count > 2 * self.bound:
            self.add(np.arange(lines.start, lines.start + self.bound, dtype="u8"))
            self.unseen += count - 2 * self.bound
            lines = range(lines.stop - self.bound, lines.stop)
        self.add(np.arange(lines.start, lines.stop, dtype="u8"))

    def finish(self) -> None:
        """Process the accesses of the last, incomplete chunk."""
        if self._waiting:
            self._take(self._waiting.take())

    def _take(self, lines: Array) -> None:
        known, arrived = len(self._stack), len(lines)
        lines = np.concatenate([self._stack, lines])
        lines = lines[np.append(True, lines[1:] != lines[:-1])]
        self.counts[0] += known + arrived - len(lines)  # the same line again and again
        before, last = _neighbours(lines)
        distances = _distances(before)
        distances = distances[distances < self.bound]
        self.unseen += len(lines) - known - len(distances)
        self.counts += np.bincount(_buckets(distances), minlength=len(self.counts))
        self._stack = lines[last[-self.bound :]]


def _neighbours(lines: Array) -> tuple[Array, Array]:
    """Return where each line was touched before (or -1), and where each was touched last."""
    order = stable_order(lines).astype("i4")
    some = lines[order]
    same = some[1:] == some[:-1]
    before = np.full(len(lines), -1, "i4")
    before[order[1:][same]] = order[:-1][same]
    is_last = np.zeros(len(lines), bool)
    is_last[order[np.append(~same, True)[: len(lines)]]] = True
    return before, np.flatnonzero(is_last)


def _distances(before: Array) -> Array:
    """Return the distances of the accesses that have a predecessor, at `before`."""
    places = np.flatnonzero(before >= 0).astype("i4")
    start = before[places]
    return np.asarray(places - start - 1 - larger_before(start, len(before)))


def _buckets(distances: Array) -> Array:
    powers = np.int64(1) << np.arange(62, dtype="i8")
    return np.searchsorted(powers, distances, side="right")
