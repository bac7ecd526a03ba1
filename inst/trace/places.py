"""Where the regions of a program are in one of two traces: addresses named by their regions.

A region is a part of the address space that the program uses as one: an image, a stack, a heap,
a mapping. Two traces number their regions alike, so that an address named by its region and its
offset is the same in both, wherever the region was.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inst.trace.model import Array

_TAG = np.uint64(0xA5 << 56)
"""No address begins so: what is named cannot be mistaken for an address that is not."""
_OFFSETS = np.uint64(44)


@dataclass(frozen=True, slots=True)
class Places:
    """The regions of one trace, ascending and disjoint."""

    first: Array
    """u8: the first address of each region."""
    last: Array
    """u8: its last address."""
    origin: Array
    """u8: what its addresses are counted from; the regions of the other trace count from where
    that moved to."""
    number: Array
    """u8: its number, which is the same in both traces."""
    wide: bool
    """Addresses have 64 bits; otherwise a value of 8 bytes may be two pointers."""

    def addresses(self, numbers: Array) -> Array:
        """Return addresses, as u8, named by their regions; 0 and those in none as they are."""
        if not len(self.first):
            return numbers
        which = np.searchsorted(self.first, numbers, side="right") - 1
        at = np.maximum(which, 0)
        inside = (which >= 0) & (numbers <= self.last[at]) & (numbers != 0)
        named = _TAG | self.number[at] << _OFFSETS
        offsets = (numbers - self.origin[at]) & np.uint64((1 << 44) - 1)
        return np.where(inside, named | offsets, numbers)

    def values(self, numbers: Array, sizes: Array) -> Array:
        """Return values of so many bytes, as u8, with pointers among them named."""
        result = numbers.astype("u8")
        whole = sizes == (8 if self.wide else 4)
        result[whole] = self.addresses(result[whole])
        pairs = ~whole & (sizes == 8)
        if pairs.any():
            low, high = numbers[pairs] & np.uint64(0xFFFFFFFF), numbers[pairs] >> np.uint64(32)
            result[pairs] = _mixed(self.addresses(low), self.addresses(high), numbers[pairs])
        return result

    def address(self, number: int) -> int:
        """Return one address named by its region."""
        return int(self.addresses(np.array([number & (1 << 64) - 1], "u8"))[0])


def _mixed(low: Array, high: Array, plain: Array) -> Array:
    """Return two named halves as one number; the plain one where neither is in a region."""
    named = ((low | high) >> np.uint64(32)) != 0
    return np.where(named, low ^ high * np.uint64(0x9E3779B97F4A7C15), plain)
