"""Counts of distinct numbers in bounded memory: exact up to a limit, then marked as estimates.

How many distinct numbers came is estimated from the `limit` smallest values of a hash (k minimum
values: Bar-Yossef and others, "Counting distinct elements in a data stream", 2002; the estimator
(k - 1) / u(k) and its relative standard error 1 / sqrt(k - 2): Beyer and others, "On synopses for
distinct-value estimation under multiset operations", 2007). Which numbers came most often is
known from the counters of Misra and Gries ("Finding repeated elements", 1982), which merge as
Agarwal and others describe ("Mergeable summaries", 2012): each count is too low by one known
amount at most.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from inst.trace.model import Array

DENSE, LEAST = 4, 1024
"""Numbers in a range of so many times their own number, or of so many, are counted in a table."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """How exact a figure is that is estimated."""

    figure: str
    method: str
    kept: int
    """Numbers remembered; up to that many distinct ones the figure is exact."""
    relative_error: float = 0.0
    """Relative standard error."""
    too_low_by: int = 0
    """Counts may be too low by as much, never too high."""

    def __str__(self) -> str:
        if self.relative_error:
            error = f"standard error {100 * self.relative_error:.2g} %"
        else:
            error = f"too low by {self.too_low_by} at most, never too high"
        return f"{self.figure}: {error} ({self.method}, exact up to {self.kept})"


def mixed(numbers: Array) -> Array:
    """Return a hash of 64 bits; different numbers have different ones (MurmurHash3's last step)."""
    result = numbers.astype("u8")
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        result ^= result >> np.uint64(33)
        result *= np.uint64(factor)
    result ^= result >> np.uint64(33)
    return result


def _unmixed(hashes: Array) -> Array:
    """Return the numbers that have these hashes: each step of `mixed` can be undone."""
    result = hashes ^ hashes >> np.uint64(33)
    for factor in (0xC4CEB9FE1A85EC53, 0xFF51AFD7ED558CCD):
        result *= np.uint64(pow(factor, -1, 1 << 64))
        result ^= result >> np.uint64(33)
    return np.asarray(result)


def _once(numbers: Array) -> Array:
    """Sort numbers in their place and return the distinct ones.

    (numpy.unique would put them into a hash table, which takes several times the memory.)
    """
    numbers.sort()
    first = _changes(numbers)
    return numbers if first.all() else np.asarray(numbers[first])


def _changes(numbers: Array) -> Array:
    """Return which numbers are not the same as those before them."""
    first = np.ones(len(numbers), bool)
    np.not_equal(numbers[1:], numbers[:-1], out=first[1:])
    return first


def _counted(numbers: Array, times: Array | None = None) -> tuple[Array, Array]:
    """Return the distinct numbers, ascending, and how often each came: `times` for each place."""
    if times is not None:
        return _added(numbers, times)
    low = numbers.min() if len(numbers) else numbers.dtype.type(0)
    above = numbers - low
    if not len(above) or above.max() > max(DENSE * len(above), LEAST):
        return np.unique(numbers, return_counts=True)
    counts = np.bincount(above.astype("i8"))
    found = np.flatnonzero(counts)
    return found.astype(numbers.dtype) + low, counts[found]


def _added(numbers: Array, times: Array) -> tuple[Array, Array]:
    """Return the distinct numbers, ascending, and the sum of the times of each."""
    if not len(numbers):
        return numbers, times
    order = np.argsort(numbers, kind="stable")
    numbers = numbers[order]
    starts = np.flatnonzero(_changes(numbers))
    return numbers[starts], np.add.reduceat(times[order], starts)


class Waiting:
    """Numbers in the order they came: batches may be of a few, and an array of each is large."""

    def __init__(self, dtype: str = "u8") -> None:
        self._array = np.empty(1024, dtype)
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def add(self, numbers: Array) -> None:
        """Append a batch."""
        size = self._size + len(numbers)
        if size > len(self._array):
            room = np.empty(max(size, 2 * len(self._array)), self._array.dtype)
            room[: self._size] = self._array[: self._size]
            self._array = room
        self._array[self._size : size] = numbers
        self._size = size

    def take(self) -> Array:
        """Return all, to be used before the next `add`, and forget them."""
        taken = self._array[: self._size]
        self._size = 0
        return taken


class Distinct:
    """How many distinct numbers came, by themselves and in ranges.

    Ranges are counted exactly, whatever their length; numbers are hashed, and the inverse of the
    hash determines which of them lie in no range.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._hashes = np.zeros(0, "u8")
        self._waiting = Waiting()
        self._bound: int | None = None
        """The largest hash kept, once there were more numbers than the limit."""
        self._ranges: list[tuple[int, int]] = []
        """Ascending and apart, but for those that came last."""
        self._joined = 0
        """Ranges that are known to be apart."""

    def add(self, numbers: Array) -> None:
        """Take numbers, in any order and as often as they came."""
        hashes = mixed(numbers[_changes(numbers)])
        if self._bound is not None:
            hashes = hashes[hashes < np.uint64(self._bound)]
        self._waiting.add(_once(hashes))
        if len(self._waiting) > self.limit:
            self._merge()

    def add_range(self, numbers: range) -> None:
        """Take all numbers of a range."""
        self._ranges.append((numbers.start, numbers.stop))
        if len(self._ranges) > 2 * self._joined + 1024:
            self._join()

    def _join(self) -> None:
        """Join ranges that touch."""
        joined: list[tuple[int, int]] = []
        for start, stop in sorted(self._ranges):
            if joined and start <= joined[-1][1]:
                joined[-1] = joined[-1][0], max(stop, joined[-1][1])
            else:
                joined.append((start, stop))
        self._ranges, self._joined = joined, len(joined)

    def _outside(self) -> Array:
        """Return the hashes of numbers in no range."""
        if not self._ranges:
            return self._hashes
        self._join()
        starts = np.array([start for start, _ in self._ranges], "u8")
        lasts = np.array([stop - 1 for _, stop in self._ranges], "u8")
        numbers = _unmixed(self._hashes)
        at = np.searchsorted(starts, numbers, "right") - 1
        inside = (at >= 0) & (numbers <= lasts[at])
        return np.asarray(self._hashes[~inside])

    def _merge(self) -> None:
        if not self._waiting:
            return
        whole = np.concatenate([self._hashes, self._waiting.take()])
        self._hashes = whole[:0]
        whole = _once(whole)
        if len(whole) > self.limit:
            whole = whole[: self.limit].copy()
            self._bound = int(whole[-1])
        self._hashes = whole

    @property
    def exact(self) -> bool:
        self._merge()
        return self._bound is None

    @property
    def count(self) -> int:
        """Return the number, or the estimate where it is not exact."""
        exact = self.exact
        outside = len(self._outside())
        within = sum(stop - start for start, stop in self._ranges)
        if exact:
            return within + outside
        assert self._bound is not None
        estimate = (self.limit - 1) * 2.0**64 / (self._bound + 1)
        return within + round(estimate * outside / len(self._hashes))

    def __len__(self) -> int:
        return self.count

    def estimate(self, figure: str) -> list[Estimate]:
        """Return the figure's error bound; nothing if it is exact."""
        if self.exact:
            return []
        error = 1 / math.sqrt(self.limit - 2)
        return [Estimate(figure, "k minimum values", self.limit, relative_error=error)]


def _nowhere(values: Array, counts: Array) -> None:
    """Ignore the counts that are taken off."""


class Frequent:
    """How often each number came, for the most frequent ones."""

    def __init__(self, limit: int, taken_off: Callable[[Array, Array], None] = _nowhere) -> None:
        self.values = np.zeros(0, "u8")
        self.counts = np.zeros(0, "i8")
        self.limit = limit
        self.too_low_by = 0
        self.distinct = Distinct(limit)
        self._taken_off = taken_off
        """Gets the numbers whose counts become lower, and by how much."""
        self._waiting, self._times = Waiting(), Waiting("i8")

    def add(self, numbers: Array, times: Array | None = None) -> None:
        """Take numbers as often as they came, or each so many times."""
        values, counts = _counted(numbers, times)
        self.distinct.add(values)
        self._waiting.add(values)
        self._times.add(counts)
        if len(self._waiting) > self.limit:
            self.merge()

    def merge(self) -> None:
        """Bring everything added into `values` and `counts`."""
        together = np.concatenate([self.values, self._waiting.take()])
        values, inverse = np.unique(together, return_inverse=True)
        counts = np.zeros(len(values), "i8")
        np.add.at(counts, inverse, np.concatenate([self.counts, self._times.take()]))
        if len(values) > self.limit:
            values, counts = self._lowered(values, counts)
        self.values, self.counts = values, counts

    def _lowered(self, values: Array, counts: Array) -> tuple[Array, Array]:
        """Lower all counts by that of the first number beyond the limit."""
        place = len(counts) - self.limit - 1
        amount = int(np.partition(counts, place)[place])
        self.too_low_by += amount
        self._taken_off(values, np.minimum(counts, amount))
        stays = counts > amount
        return values[stays], counts[stays] - amount

    def pairs(self) -> list[tuple[int, int]]:
        """Return the numbers known with their counts, the numbers ascending."""
        self.merge()
        return list(zip(self.values.tolist(), self.counts.tolist(), strict=True))

    def estimate(self, figure: str) -> list[Estimate]:
        """Return the counts' error bound; nothing if they are exact."""
        if not self.too_low_by:
            return []
        return [Estimate(figure, "Misra-Gries", self.limit, too_low_by=self.too_low_by)]


@dataclass(slots=True)
class Listed:
    """Exact counts of the first numbers that come, as many as can be listed, and of the rest."""

    limit: int
    counts: dict[int, int] = field(default_factory=dict)
    others: int = 0
    """How often other numbers came than those in `counts`."""

    def add(self, numbers: Array, times: Array | None = None) -> None:
        """Take numbers as often as they came, or each so many times."""
        values, sums = _counted(numbers, times)
        for value, count in zip(values.tolist(), sums.tolist(), strict=True):
            if value in self.counts:
                self.counts[value] += count
            elif len(self.counts) < self.limit:
                self.counts[value] = count
            else:
                self.others += count
