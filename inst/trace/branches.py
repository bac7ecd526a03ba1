"""Branches from instruction words: whole columns at once, both instruction sets.

Direct branches have a target that the word and its address give; jumps through registers
have none.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inst.trace.model import Array
from inst.words.decode import transfers_of, words_of


@dataclass(frozen=True, slots=True)
class Branches:
    """What the words of a column are, as branches."""

    is_branch: Array
    direct: Array
    """Its target is known from the word."""
    conditional: Array
    target: Array
    """Where it goes; 0 where the word does not encode it."""


def decode(words: Array, addresses: Array, arch: str) -> Branches:
    """Return the branches among instruction words at addresses."""
    found = transfers_of(words, addresses, arch)
    direct = found.is_direct & ~found.is_never
    target = np.where(direct, found.target, np.uint64(0))
    conditional = found.is_conditional | found.is_never
    return Branches(found.is_transfer, direct, conditional, target)


def slot(arch: str) -> int:
    """Return how far after an untaken branch execution goes on."""
    return 4 + 4 * words_of(arch).delay_slots
