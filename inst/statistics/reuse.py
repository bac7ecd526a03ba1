"""Reuse distances: how many other lines were touched since a line was touched last.

A fully associative cache of N lines that evicts the least recently used one hits exactly
the accesses with a distance below N, so the histogram gives the hit rate of every
size of cache at once. Distances are exact up to `BOUND` lines; what was touched longer ago
counts as farther.

The accesses come in chunks. Each chunk is preceded by the lines touched so far in the
order of their last use, so that every distance is computed from one array: of the
accesses between i and the one before it to the same line, at `before[i]`, those count whose
own predecessor lies before `before[i]`. For most accesses, which follow closely on their
predecessors (`NEAR`), they are counted one by one. For the others, what does not count is: the
accesses j < i with `before[j] > before[i]`, of which the close ones need no comparison, and the
others are counted for all i together by splitting the array by one bit of `before` after the other.
"""

from __future__ import annotations

import numpy as np

from inst.statistics.counts import Waiting
from inst.trace.model import Array

BOUND = 1 << 18
"""Lines that are remembered: 16 MiB of lines of 64 bytes."""

CHUNK = 1 << 18
"""Accesses processed at once."""

NEAR = 32
"""An access at most so many after its predecessor is close to it."""


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
            some = lines[: self._chunk - len(self._waiting)]
            self._waiting.add(some)
            lines = lines[len(some) :]
            if len(self._waiting) == self._chunk:
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
    order = np.argsort(lines, kind="stable")
    same = lines[order[1:]] == lines[order[:-1]]
    before = np.full(len(lines), -1, "i4")
    before[order[1:][same]] = order[:-1][same]
    last = order[np.append(~same, True)] if len(lines) else order
    return before, np.sort(last)


def _distances(before: Array) -> Array:
    """Return the distances of the accesses that have a predecessor, at `before`, in any order."""
    gaps = np.arange(len(before), dtype="i4") - before
    close = (before >= 0) & (gaps <= NEAR)
    near, far = np.flatnonzero(close), np.flatnonzero((before >= 0) & ~close)
    return np.concatenate([_counted(before, gaps, near), _computed(before, close, far)])


def _counted(before: Array, gaps: Array, places: Array) -> Array:
    """Return the distances of close accesses: looks at everything since their predecessors."""
    result, found = [], np.zeros(len(places), "i4")
    for step in range(1, NEAR + 1):
        more = gaps[places] > step
        result.append(found[~more])
        places, found = places[more], found[more]
        found += before[places - step] < before[places]
    return np.concatenate(result)


def _computed(before: Array, close: Array, places: Array) -> Array:
    """Return the distances of the accesses that are far from their predecessors."""
    start = before[places]
    closer = np.cumsum(np.append(0, close), dtype="i4")  # close accesses before each place
    inside = closer[places] - closer[start + NEAR + 1]
    for step in range(1, NEAR + 1):  # their predecessors may be before the start
        inside += close[start + step] & (before[start + step] > start)
    return np.asarray(places - start - 1 - inside - _larger_to_the_left(start))


def _larger_to_the_left(values: Array) -> Array:
    """Return for each of distinct numbers how many larger ones precede it."""
    count = len(values)
    result = np.zeros(count, "i4")
    here = np.arange(count, dtype="i4")
    ranks = np.empty(count, "i4")
    ranks[np.argsort(values)] = here
    places = here
    for bit in reversed(range(max(count - 1, 0).bit_length())):
        ones = ranks >> bit & 1
        ahead = np.cumsum(ones, dtype="i4") - ones
        # Numbers with the same higher bits are adjacent, at the ranks they will have.
        start = ranks >> (bit + 1) << (bit + 1)
        ahead -= ahead[start]
        result[places] += np.where(ones == 0, ahead, 0)
        zeros = np.minimum(1 << bit, count - start)
        moved = np.where(ones == 0, here - ahead, start + zeros + ahead)
        ranks, places = _permuted(ranks, moved), _permuted(places, moved)
    return result


def _permuted(values: Array, moved: Array) -> Array:
    result = np.empty_like(values)
    result[moved] = values
    return result


def _buckets(distances: Array) -> Array:
    powers = np.int64(1) << np.arange(62, dtype="i8")
    return np.searchsorted(powers, distances, side="right")
