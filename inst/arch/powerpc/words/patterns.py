"""The language in which opcodes of PowerPC are written.

An opcode is the primary opcode, then the extended one and other fields as their name and a number,
then bits that the word must have, such as `20=1`, numbered from the lowest. Bits that it does not
name belong to operands.

An instruction of two words has the type of its prefix before the opcode, which is that of the
second word: `8ls` or `mls`; for others also how many of the lowest bits of the prefix are operands,
as in `8rr/16`. It is one number, the prefix its high half.
"""

from __future__ import annotations

_FIELDS = {
    "x": (1, 10),
    "xo": (1, 9),
    "a": (1, 5),
    "md": (2, 3),
    "mds": (1, 4),
    "xs": (2, 9),
    "ds": (0, 2),
    "dq": (0, 3),
    "vx": (0, 11),
    "va": (0, 6),
    "vc": (0, 10),
    "xx1": (1, 10),
    "xx2": (2, 9),
    "xx3": (3, 8),
    "xc": (3, 7),
    "xp": (3, 5),
    "xx4": (4, 2),
    "spr": (11, 10),
    "at": (21, 2),
    "p2": (32, 2),
    "p4": (40, 4),
    "p6": (40, 6),
    "rt": (21, 5),
    "ra": (16, 5),
    "rb": (11, 5),
    "rc": (6, 5),
    "low": (0, 26),
}
"""Fields of opcodes: their lowest bit, and how many bits they have."""
_PREFIXES = {"8ls": 0x04000000, "8rr": 0x05000000, "mls": 0x06000000, "mrr": 0x07000000,
             "mmirr": 0x07900000}  # fmt: skip
_DISPLACED = 0xFFEC0000
"""The bits of a prefix that are no part of a displacement, and do not make it relative."""


def pattern(opcode: str) -> tuple[int, int]:
    """Return mask and value of the words with an opcode, or of the numbers with a prefix."""
    primary, *rest = opcode.split()
    kind, _, free = primary.partition("/")
    if kind in _PREFIXES:
        mask, value = pattern(" ".join(rest))
        prefix_mask = (1 << 32) - (1 << int(free)) if free else _DISPLACED
        return prefix_mask << 32 | mask, _PREFIXES[kind] << 32 | value
    mask, value = 63 << 26, int(primary) << 26
    while rest:
        word = rest.pop(0)
        if "=" in word:
            low, _, number = word.partition("=")
            first, width = int(low), 1
        else:
            (first, width), number = _FIELDS[word], rest.pop(0)
        mask |= ((1 << width) - 1) << first
        value |= (_halves(int(number)) if word == "spr" else int(number)) << first
    return mask, value


def _halves(number: int) -> int:
    """Return the number of a special register as words have it, its halves exchanged."""
    return (number & 31) << 5 | number >> 5
