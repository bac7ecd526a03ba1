"""Address spaces of 64-bit SPARC: what is special about accesses of memory there.

Sources: Oracle SPARC Architecture 2015, chapter 10; SPARC Joint Programming Specification 1,
appendix L, and UltraSPARC III Cu user's manual, for 34, 3C and 70 to 79 (hexadecimal): later
processors have 16 to 1F in place of the latter. Stores that commit a block (E0, E1) have no
little-endian form.
"""

from __future__ import annotations

BLOCKS = frozenset(
    (0x16, 0x17, 0x1E, 0x1F, 0x70, 0x71, 0x78, 0x79, 0xE0, 0xE1, 0xF0, 0xF1, 0xF8, 0xF9)
)
"""ldda and stda of floating-point registers move 64 bytes."""
BLOCK = 64
SHORT = {0xD0: 1, 0xD1: 1, 0xD8: 1, 0xD9: 1, 0xD2: 2, 0xD3: 2, 0xDA: 2, 0xDB: 2}
"""... one or two bytes."""
PARTIAL = {first + n: size for first in (0xC0, 0xC8) for n, size in enumerate((1, 1, 2, 2, 4, 4))}
"""Stores write the parts of this size that a mask chooses of eight bytes."""
TWINS = frozenset((0x22, 0x23, 0x24, 0x26, 0x27, 0x2A, 0x2B, 0x2C, 0x2E, 0x2F, 0x34, 0x3C,
                   0xE2, 0xE3, 0xEA, 0xEB))  # fmt: skip
"""An integer ldda loads 16 bytes at once."""

_LITTLE = (0x0C, *range(0x18, 0x20), 0x2A, 0x2B, 0x2C, 0x2E, 0x2F, 0x3C, 0x78, 0x79)
_UNRESTRICTED, _LITTLE_BIT = 0x80, 8
LITTLE = frozenset(_LITTLE) | {n for n in range(_UNRESTRICTED, 0x100) if n & _LITTLE_BIT}
"""Little-endian spaces of memory."""
