"""Page numbers and file names exchanged by a key.

Pages are exchanged by a keyed permutation (a Feistel network), so that two addresses are
equal afterwards exactly if they were before, in every trace treated with the same key.
"""

from __future__ import annotations

import functools
import hashlib

import numpy as np

from inst.trace.model import Array

PAGE_BITS = 12
ROUNDS = 6


class Permutation:
    """A keyed exchange of page numbers: 20 bits among themselves, and 52 bits."""

    def __init__(self, key: str) -> None:
        self._key = key.encode()
        self._round = [
            np.frombuffer(
                hashlib.blake2b(bytes([n]), key=hashlib.blake2b(self._key).digest()[:32]).digest()[
                    :16
                ],
                "<u8",
            )
            for n in range(ROUNDS)
        ]

    def addresses(self, values: Array) -> Array:
        """Return the addresses with their pages exchanged; below 4 GiB they stay there."""
        pages, offsets = values >> np.uint64(PAGE_BITS), values & np.uint64((1 << PAGE_BITS) - 1)
        small = pages < np.uint64(1 << 20)
        result = np.where(small, self._mix(np.where(small, pages, 0).astype("u8"), 10), 0).astype(
            "u8"
        )
        wide = self._mix(pages, 26)
        while True:  # the wide exchange must not land among the small pages
            low = ~small & (wide < np.uint64(1 << 20))
            if not low.any():
                break
            wide = np.where(low, self._mix(wide, 26), wide)
        result = np.where(small, result, wide)
        return result << np.uint64(PAGE_BITS) | offsets

    def _mix(self, pages: Array, half: int) -> Array:
        mask, shift = np.uint64((1 << half) - 1), np.uint64(half)
        left, right = pages >> shift & mask, pages & mask
        for multiplier, addend in self._round:
            mixed = (right + addend) * (multiplier | np.uint64(1))
            mixed ^= mixed >> np.uint64(29)
            mixed *= np.uint64(0x9E3779B97F4A7C15)
            left, right = right, left ^ (mixed >> np.uint64(37) & mask)
        return left << shift | right

    def each(self, values: set[int]) -> dict[int, int]:
        """Return what becomes of each address."""
        old = np.array(list(values), "u8")
        return dict(zip(old.tolist(), self.addresses(old).tolist(), strict=True))

    @functools.lru_cache(maxsize=1 << 14)  # noqa: B019 - one object a run
    def file(self, name: str) -> str:
        return hashlib.blake2b(
            name.encode(errors="surrogateescape"), key=self._key[:64], digest_size=4
        ).hexdigest()
