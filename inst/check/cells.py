"""Accesses cut into cells: aligned words of 4 bytes, and which bytes of each are touched."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inst.arch.registry import is_little, produced_by
from inst.trace.model import Array, Flag, Kind, Trace
from inst.trace.ordering import stable_order
from inst.trace.registry import codec_of

CELL = 4
"""Bytes of a cell."""
LONGEST = 256
"""Bytes of the longest write of code that is not instrumented which is cut into cells."""
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


def is_big_endian(trace: Trace) -> bool:
    """Return whether the processor that a trace comes from is big-endian; an unknown one is not."""
    arch = trace.facts.arch or codec_of(trace).usual_arch
    return produced_by(arch) is not None and not is_little(arch)


def is_range(rows: Array) -> Array:
    """Return what code that is not instrumented touched: no value, no place, any size."""
    found: Array = rows["flags"] & int(Flag.HAS_VALUE | Flag.HAS_PC) == 0
    found &= (rows["kind"] == Kind.READ) | (rows["kind"] == Kind.WRITE)
    return found


def parts_of(events: Array, big_endian: bool) -> Parts:
    """Return the parts of cells that reads and writes touch, in order within each access.

    Of writes without a value, the bytes are touched and not known.
    """
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
    ranges = np.flatnonzero(access & (size > 8) & (size != 16) & (size <= LONGEST))
    ranges = ranges[is_range(events[ranges])]
    if len(ranges):
        at, more, lengths = _eights(events, ranges)
        rows, address = np.concatenate([rows, at]), np.concatenate([address, more])
        values = np.concatenate([values, np.zeros(len(at), "u8")])
        sizes = np.concatenate([sizes, lengths])
    return _cut(events, rows, address, sizes, values, big_endian)


def _eights(events: Array, ranges: Array) -> tuple[Array, Array, Array]:
    """Return row, address and size of the pieces of up to 8 bytes that ranges consist of."""
    size = events["size"][ranges]
    counts = ((size + np.uint64(7)) >> np.uint64(3)).astype("i8")
    rows = np.repeat(ranges, counts)
    before = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    offset = before.astype("u8") << np.uint64(3)
    left = np.repeat(size, counts) - offset
    address = events["address"][rows] + offset
    inside = address >= events["address"][rows]  # not beyond the end of the address space
    return rows[inside], address[inside], np.minimum(left, np.uint64(8))[inside]


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


def by_cell(parts: Parts) -> Parts:
    """Bring the parts of each cell together, in the order of the trace."""
    if (parts.row[1:] < parts.row[:-1]).any():
        parts = parts.take(np.argsort(parts.row, kind="stable"))
    return parts.take(stable_order(parts.cell))
