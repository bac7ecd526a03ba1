"""Numbers in registers and in memory: bytes, signs."""

from __future__ import annotations


def swap_bytes(value: int, size: int) -> int:
    """Return the number with its bytes reversed."""
    return int.from_bytes(value.to_bytes(size, "big"), "little")


def extend_sign(value: int, size: int, width: int) -> int:
    """Return a number of `size` bytes as one of `width` bytes with the same sign."""
    if value >> (size * 8 - 1):
        value += (1 << width * 8) - (1 << size * 8)
    return value
