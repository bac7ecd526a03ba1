"""Branches from instruction words: whole columns at once, both instruction sets.

Direct branches have a target that the word and its address give; jumps through registers
have none.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inst.trace.model import Array
from inst.words import decode as words_of


@dataclass(frozen=True, slots=True)
class Branches:
    """What the words of a column are, as branches."""

    is_branch: Array
    direct: Array
    """Its target is known from the word."""
    conditional: Array
    target: Array
    """Where it goes; 0 where the word does not say."""


def decode(words: Array, addresses: Array, arch: str) -> Branches:
    """Return the branches among instruction words at addresses."""
    words = words.astype("i8")
    if words_of.family(arch) == "powerpc":
        return _powerpc(words, addresses.astype("u8"))
    return _sparc(words, addresses.astype("u8"))


def slot(arch: str) -> int:
    """Return how far behind an untaken branch execution goes on."""
    return 4 if words_of.family(arch) == "powerpc" else 8


def _signed(values: Array, bits: int) -> Array:
    values = values & (1 << bits) - 1
    return values - ((values >> (bits - 1)) << bits)


def _reach(addresses: Array, displacements: Array) -> Array:
    """Add displacements; below 4 GiB addresses have 32 bits and wrap there."""
    targets = addresses + displacements.astype("i8").view("u8")
    low = targets & np.uint64(0xFFFFFFFF)
    return np.asarray(np.where(addresses >> np.uint64(32) == 0, low, targets))


# SPARC op2 of format 2: displacement bits. BPr (3) has its displacement in two parts.
_SPARC_DISPLACEMENT = {1: 19, 2: 22, 5: 19, 6: 22, 7: 22}
_ALWAYS, _NEVER = 8, 0


def _sparc(words: Array, addresses: Array) -> Branches:
    op, op2, op3 = words >> 30, words >> 22 & 7, words >> 19 & 0x3F
    call = op == 1
    short = (op == 0) & (op2 == 3) & (words >> 28 & 1 == 0)
    displacement = np.where(call, _signed(words, 30), 0)
    by_register = words >> 6 & 0xC000 | words & 0x3FFF
    displacement = np.where(short, _signed(by_register, 16), displacement)
    direct = call | short
    for code, bits in _SPARC_DISPLACEMENT.items():
        found = (op == 0) & (op2 == code)
        displacement = np.where(found, _signed(words, bits), displacement)
        direct |= found
    condition = words >> 25 & 0xF
    fixed = (condition == _ALWAYS) | (condition == _NEVER)
    conditional = direct & ~call & (short | ~fixed)
    never = direct & ~call & ~short & (condition == _NEVER)
    jump = (op == 2) & ((op3 == 0x38) | (op3 == 0x39))
    direct &= ~never
    target = np.where(direct, _reach(addresses, displacement * 4), np.uint64(0))
    return Branches(direct | never | jump, direct, conditional | never, target)


def _powerpc(words: Array, addresses: Array) -> Branches:
    primary, extended = words >> 26, words >> 1 & 0x3FF
    long, short = primary == 18, primary == 16
    register = (primary == 19) & np.isin(extended, (16, 528, 560))
    displacement = np.where(long, _signed(words & 0x3FFFFFC, 26), _signed(words & 0xFFFC, 16))
    absolute = words & 2 != 0
    base = np.where(absolute, np.uint64(0), addresses)
    target = _reach(base, displacement)
    direct = long | short
    options = words >> 21 & 0x1F
    conditional = (short | register) & (options & 0x14 != 0x14)
    return Branches(direct | register, direct, conditional, np.where(direct, target, np.uint64(0)))
