"""How many larger numbers precede each number of an array: its inversions, counted by columns.

Numbers are compared by a few of their bits at a time, the highest first: a digit. Of two numbers
whose higher digits are the same, the digits decide or are the same. Both are then in one group,
which the numbers are sorted into, each group in the order its numbers came. A group is divided
into blocks: what is in the same block is compared pair by pair, and of the blocks before it, how
many numbers have each digit is known.
"""

from __future__ import annotations

import numpy as np

from inst.trace.model import Array
from inst.trace.ordering import stable_order

BITS = 7
"""Bits of a digit at most."""
BLOCK = 64
"""Numbers that are compared pair by pair; less than 256, so that a byte counts them."""


def larger_before(values: Array, limit: int) -> Array:
    """Return for each of distinct numbers below a limit how many larger ones precede it."""
    ranks = _ranks(values, limit)
    result = np.zeros(len(ranks), "i4")
    shift = max(len(ranks) - 1, 0).bit_length()
    levels = -(-shift // BITS)
    order: Array | None = None
    for level in range(levels, 0, -1):
        bits = -(-shift // level)
        shift -= bits
        some = ranks if order is None else ranks[order]
        found = _in_groups(some >> shift & (1 << bits) - 1, 1 << shift, bits)
        if order is None:
            result += found
        else:
            result[order] += found
        if shift:
            order = stable_order(ranks >> shift)
    return result


def _ranks(values: Array, limit: int) -> Array:
    """Return how many of the numbers are smaller than each."""
    used = np.zeros(limit, bool)
    used[values] = True
    return (np.cumsum(used, dtype="i4") - 1)[values]


def _in_groups(digits: Array, unit: int, bits: int) -> Array:
    """Return how many larger digits precede each in its group of `unit << bits` numbers."""
    size = min(BLOCK, unit << bits)
    count = -(-len(digits) // size)
    padded = np.zeros(count * size, "u1")
    padded[: len(digits)] = digits
    columns = np.ascontiguousarray(padded.reshape(count, size).T)
    found = np.ascontiguousarray(_in_blocks(columns).T).reshape(-1)[: len(digits)].astype("i4")
    blocks = (unit << bits) // size
    if blocks > 1:
        found += _in_earlier_blocks(padded, size, blocks, bits)[: len(digits)]
    return found


def _in_blocks(columns: Array) -> Array:
    """Return how many larger digits precede each in its block; blocks are columns."""
    found = np.zeros(columns.shape, "u1")
    larger = np.empty(columns.shape, bool)
    for step in range(1, len(columns)):
        np.greater(columns[:-step], columns[step:], out=larger[step:])
        found[step:] += larger[step:].view("u1")
    return found


def _in_earlier_blocks(digits: Array, size: int, blocks: int, bits: int) -> Array:
    """Return how many larger digits there are in the blocks before each one's, in its group."""
    count = len(digits) // size
    groups = -(-count // blocks)
    cells = np.repeat(np.arange(count, dtype="i4") << bits, size) + digits
    times = np.bincount(cells, minlength=groups * blocks << bits).astype("i4")
    times = times.reshape(groups, blocks, 1 << bits)
    before = np.cumsum(times, axis=1, dtype="i4") - times
    larger = np.cumsum(before[:, :, ::-1], axis=2, dtype="i4")[:, :, ::-1] - before
    return np.asarray(np.ascontiguousarray(larger).reshape(-1)[cells])
