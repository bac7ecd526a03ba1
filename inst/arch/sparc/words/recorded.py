"""What readers of recordings take from SPARC's words.

Source: The SPARC Architecture Manual, Version 9, section 6.2 (formats 2 and 3).
"""

from __future__ import annotations

import numpy as np

from inst.arch.sparc.words import accesses
from inst.words.access import Array
from inst.words.model import Recorded, signed

_IMMEDIATE = 0x2000
_OR, _SETHI = 0x80102000, 0x01000000
"""`or rs1, number, rd` and `sethi`, without registers and numbers."""
_AFTER = 4
"""`or`, `add`, and two stores: of the block's name, and maybe of the new cursor."""


def _displacements(words: Array) -> Array:
    return np.where(words & _IMMEDIATE != 0, signed(words, 13), 0)


def _reserves(words: Array, name: int) -> int:
    high = (words & 0xC1FFFFFF) == (_SETHI | name >> 10)
    low = (words & 0xC1F83FFF) == (_OR | name & 0x3FF)
    found = np.flatnonzero(low & np.logical_or.accumulate(high))
    if not len(found) or found[0] + _AFTER > len(words):
        return 0
    moves, keeps = words[int(found[0]) + 1], words[int(found[0]) + _AFTER - 1]
    stores = keeps >> 30 == 3 and accesses.target(keeps) == accesses.target(moves)
    return int(found[0]) + _AFTER - (not stores)


RECORDED = Recorded(displacements=_displacements, reserves=_reserves)
