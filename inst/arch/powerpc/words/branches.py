"""PowerPC's branches by columns: their targets, and what they ask of registers.

Source: Power ISA 3.0B, Book I, section 2.4; traps: section 3.3.11.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inst.arch.powerpc.words.transfers import transfers
from inst.words.access import Array

_LINK = 16
"""Extended opcodes under 19: bclr, bcctr."""
_TRAPS = (4, 68)
"""Extended opcodes under 31: tw, td."""
_IGNORE_CODE, _CODE, _IGNORE_COUNT, _COUNT_ZERO = 16, 8, 4, 2
"""Bits of BO."""


@dataclass(frozen=True, slots=True)
class Branches:
    """What words do as branches; nothing for those that are none."""

    transfer: Array
    target: Array
    """u8, of direct ones."""
    by_link: Array
    by_count: Array
    """The target is in lr, in ctr."""
    links: Array
    """lr becomes the address of the next word."""
    counts: Array
    """ctr is counted down, and must then be zero, or not."""
    at_zero: Array
    on_code: Array
    """A bit of the condition register must be set, or clear."""
    code: Array
    """i8: that bit, 0 for the first one of cr0."""
    wanted: Array


def branches(words: Array, addresses: Array, mask: np.uint64) -> Branches:
    """Decode words (i8) at addresses (u8); of bctar the target is not known here."""
    made = transfers(words, addresses)
    primary, extended, options = words >> 26, words >> 1 & 0x3FF, words >> 21 & 31
    by_register, asks = (primary == 19) & made.is_transfer, primary != 18
    asks &= made.is_transfer
    by_count = by_register & (extended != _LINK)
    return Branches(
        transfer=made.is_transfer,
        target=made.target & mask,
        by_link=by_register & (extended == _LINK),
        by_count=by_count,
        links=made.is_transfer & (words & 1 != 0),
        counts=asks & (options & _IGNORE_COUNT == 0) & ~by_count,
        at_zero=options & _COUNT_ZERO != 0,
        on_code=asks & (options & _IGNORE_CODE == 0),
        code=words >> 16 & 31,
        wanted=options & _CODE != 0,
    )


def may_leave(words: Array) -> Array:
    """Return which words the next instruction need not follow: system calls, returns from
    interrupts, traps, and branches to a register that traces do not state (bctar)."""
    primary, extended = words >> 26, words >> 1 & 0x3FF
    trap = (primary == 2) | (primary == 3) | ((primary == 31) & np.isin(extended, _TRAPS))
    to_tar = (primary == 19) & (extended == 560)
    none = np.zeros(len(words), "u8")
    return np.asarray(transfers(words, none).leaves | trap | to_tar)
