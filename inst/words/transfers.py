"""Transfers of control by PowerPC words, one at a time and whole columns at once (STF)."""

from __future__ import annotations

import numpy as np

from inst.words.access import Array


def may_branch(word: int) -> bool:
    """Return whether a PowerPC word is one of the primary opcodes of branches."""
    return word >> 26 in (16, 18, 19)


def are_system_calls(words: Array) -> Array:
    """Return which PowerPC words are system calls."""
    return np.asarray(words >> 26 == 17)
