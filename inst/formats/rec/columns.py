"""The accesses of blocks as columns: what the words of the blocks and the tables state."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from inst.formats.rec.tables import HALVES, NONE, REVERSED, SHIFTED, TWO, Tables
from inst.trace.model import Array

PART = 1 << 17
"""Accesses that are made at once: their columns stay in the processor's caches."""


@dataclass(frozen=True, slots=True)
class Accesses:
    """Consecutive accesses of one thread, by columns."""

    item: Array
    """Which item of the tables each is: it has pc, word, size and direction."""
    address: Array
    value: Array
    """0 where it is not known."""
    tables: Tables
    second: Array | None = None
    """Of accesses of 16 bytes the second half of the value; None: there are no such accesses."""

    def __len__(self) -> int:
        return len(self.item)

    @property
    def pc(self) -> Array:
        """Return the addresses of the instructions."""
        return self.tables.pc[self.item]

    @property
    def word(self) -> Array:
        """Return the instructions' words."""
        return self.tables.word[self.item]

    @property
    def size(self) -> Array:
        """Return how many bytes are accessed."""
        return self.tables.size[self.item]

    @property
    def write(self) -> Array:
        """Return which are stores."""
        return self.tables.write[self.item]

    @property
    def valued(self) -> Array:
        """Return whose value is known."""
        return np.asarray(self.tables.kind[self.item] != NONE)


class Decoder:
    """Makes columns of blocks."""

    def __init__(self, tables: Tables, *, little: bool) -> None:
        self._tables = tables
        self._little = little
        self._counts = np.diff(tables.first)
        self._bits = 8 * tables.pc.dtype.itemsize
        native = tables.pc.dtype
        self._has_base = tables.has_base.astype(native)
        self._has_value = ((tables.value != 0) & (tables.kind != NONE)).astype(native)
        self._constant = np.where(tables.kind == NONE, 0, tables.constant).astype(native)
        self._unusual = (tables.kind > 1) | (tables.mask >> np.uint64(self._bits - 1) > 1)
        self._narrow = tables.mask.astype(native)
        self._some_unusual = bool(self._unusual.any())
        self._some_index = bool(tables.index.any())
        self._wide = tables.kind == HALVES
        self._some_wide = bool(self._wide.any())
        self._below = ~(tables.align.astype(native) - native.type(1))
        self._some_aligned = bool((tables.align > 1).any())

    def counts(self, segments: Array) -> Array:
        """Return how many accesses each block has."""
        return self._counts[segments]

    def accesses(self, data: Array, trailers: Array, segments: Array) -> Accesses:
        """Return the accesses of blocks, which end at these words of the data."""
        item, address, place = self._addresses(data, trailers, segments)
        value = self._values(data, item, place)
        return Accesses(item, address, value, self._tables, self._seconds(data, item, place))

    def addresses(self, data: Array, trailers: Array, segments: Array) -> tuple[Array, Array]:
        """Return items and addresses of the accesses of blocks."""
        return self._addresses(data, trailers, segments)[:2]

    def _addresses(
        self, data: Array, trailers: Array, segments: Array
    ) -> tuple[Array, Array, Array]:
        """Return items and addresses, and the words in which the accesses' blocks end."""
        tables, counts = self._tables, self._counts[segments]
        ends = np.cumsum(counts)
        total = int(ends[-1]) if len(ends) else 0
        shift = tables.first[segments] - (ends - counts)
        item = np.repeat(shift.astype("i4"), counts) + np.arange(total, dtype="i4")
        place = np.repeat(trailers.astype("i4"), counts)
        address = data.take(place - tables.base.take(item))
        address *= self._has_base.take(item)
        address += tables.addend.take(item)
        if self._some_index:
            index = tables.index.take(item)
            rows = np.flatnonzero(index)
            address[rows] += data.take(place[rows] - index[rows])
        if self._some_aligned:
            address &= self._below.take(item)
        return item, address, place

    def _values(self, data: Array, item: Array, place: Array) -> Array:
        tables = self._tables
        value = data.take(place - tables.value.take(item))
        value *= self._has_value.take(item)
        value += self._constant.take(item)
        value &= self._narrow.take(item)
        if not self._some_unusual:
            return value
        rows = np.flatnonzero(self._unusual.take(item))
        if not len(rows):
            return value
        wide = value.astype("u8")
        wide[rows] = self._unusual_values(data, item[rows], place[rows])
        return wide

    def _seconds(self, data: Array, item: Array, place: Array) -> Array | None:
        """Return the second halves of values of 16 bytes."""
        if not self._some_wide:
            return None
        found = np.zeros(len(item), "u8")
        rows = np.flatnonzero(self._wide.take(item))
        found[rows] = data[place[rows] - self._tables.value[item[rows]] + 1]
        return found

    def _unusual_values(self, data: Array, item: Array, place: Array) -> Array:
        """Return values that are not just the low bytes of a word."""
        tables = self._tables
        kind, slot, size = tables.kind[item], tables.value[item], tables.size[item]
        first = np.where(slot != 0, data[place - slot], 0).astype("u8")
        second = np.where(slot > 1, data[place - np.maximum(slot, 1) + 1], 0).astype("u8")
        unused = np.uint64(64) - 8 * size.astype("u8")
        half = np.uint64(self._bits)
        low, high = (first, second) if self._little else (second, first)
        plain = first + tables.constant[item]
        found = [
            (kind == NONE, np.zeros(len(item), "u8")),
            (kind == REVERSED, (plain << unused).byteswap()),
            (kind == SHIFTED, first >> (half - 8 * size.astype("u8"))),
            (kind == TWO, high << half % np.uint64(64) | low),
        ]
        chosen = np.select([each for each, _ in found], [each for _, each in found], plain)
        return np.asarray(chosen & tables.mask[item])

    def parts(self, data: Array, trailers: Array, segments: Array) -> Iterator[Accesses]:
        """Yield the accesses of blocks, so many at a time that little memory is needed."""
        ends = np.cumsum(self._counts[segments])
        total = int(ends[-1]) if len(ends) else 0
        cuts = np.searchsorted(ends, np.arange(PART, total, PART), side="left") + 1
        for start, end in zip([0, *cuts.tolist()], [*cuts.tolist(), len(ends)], strict=True):
            if start < end:
                yield self.accesses(data, trailers[start:end], segments[start:end])
