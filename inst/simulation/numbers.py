"""Numbers in registers and in memory: floats of two widths, bytes, signs."""

from __future__ import annotations

import struct


def to_double(single: int) -> int:
    """Return the bits of a single-precision number as PowerPC holds them in a register."""
    exponent, sign = single >> 23 & 0xFF, single >> 31
    if 0 < exponent < 255:
        return sign << 63 | (exponent + 896) << 52 | (single & 0x7FFFFF) << 29
    if exponent == 255:
        return sign << 63 | 0x7FF << 52 | (single & 0x7FFFFF) << 29
    (number,) = struct.unpack(">f", single.to_bytes(4, "big"))
    return int.from_bytes(struct.pack(">d", number), "big")


def to_single(double: int) -> int | None:
    """Return what PowerPC stores of a register in single precision; None: undefined."""
    exponent, sign = double >> 52 & 0x7FF, double >> 63
    if exponent > 896 or not double & ~(1 << 63):
        return double >> 62 << 30 | double >> 29 & 0x3FFFFFFF
    if exponent < 874:
        return None
    fraction = (1 << 52 | double & (1 << 52) - 1) >> (926 - exponent)
    return sign << 31 | fraction


def swap_bytes(value: int, size: int) -> int:
    """Return the number with its bytes reversed."""
    return int.from_bytes(value.to_bytes(size, "big"), "little")


def extend_sign(value: int, size: int, width: int) -> int:
    """Return a number of `size` bytes as one of `width` bytes with the same sign."""
    if value >> (size * 8 - 1):
        value += (1 << width * 8) - (1 << size * 8)
    return value
