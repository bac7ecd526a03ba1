"""Numbers of single precision in registers that hold them with the bits of a double.

Source: Power ISA 3.1, book I, sections 4.6.2 (lfs) and 4.6.3 (stfs).
"""

from __future__ import annotations

_INFINITE, _LEAST_NORMAL, _LEAST = 0x7FF, 897, 874
"""Exponents of doubles: of infinity, of the least number that is normal as a single, of any."""


def single_of(double: int) -> int:
    """Return the 4 bytes that are stored for a register's 8; 0 with its sign if undefined."""
    exponent, sign = double >> 52 & 0x7FF, double >> 32 & 0x80000000
    if exponent >= _LEAST_NORMAL or not double & ~(1 << 63):
        return double >> 32 & 0xC0000000 | double >> 29 & 0x3FFFFFFF
    if exponent < _LEAST:
        return sign
    return sign | (1 << 23 | double >> 29 & 0x7FFFFF) >> (_LEAST_NORMAL - exponent)


def is_defined(double: int) -> bool:
    """Return whether the architecture says what is stored: not of what is too small and not 0."""
    return double >> 52 & 0x7FF >= _LEAST or not double & ~(1 << 63)


def double_of(single: int) -> int:
    """Return the register's 8 bytes after 4 were loaded."""
    sign, exponent, fraction = single >> 31 << 63, single >> 23 & 0xFF, single & 0x7FFFFF
    if exponent == 0xFF:
        return sign | _INFINITE << 52 | fraction << 29
    if exponent:
        return sign | exponent + _LEAST_NORMAL - 1 << 52 | fraction << 29
    if not fraction:
        return sign
    shift = 24 - fraction.bit_length()
    return sign | _LEAST_NORMAL - shift << 52 | (fraction << shift & 0x7FFFFF) << 29
