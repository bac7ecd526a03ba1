"""SPARC V9 instruction words as rstzip classifies them to predict the next instruction.

The classes must be rstzip's, not the architecture's: both sides have to predict the same.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

(PLAIN, MEMORY, TRAP_RETURN, CONDITIONAL, ALWAYS, NEVER, CALL, RETURN, INDIRECT_CALL,
 INDIRECT) = range(10)  # fmt: skip
"""Kinds of words: DONE and RETRY are trap returns, jumps that set no %o7 are indirect."""

FIRST_TRANSFER = CONDITIONAL
_MOVE_G1_TO_O7 = 0x9E100001
_BRANCHES = {1: 19, 2: 22, 5: 19, 6: 22}
"""op2 of a branch (other than BPr, which is 3) -> bits of its displacement."""
_CLASSIC = 18
"""The first minor version that predicts branches that are never taken as not taken."""


@dataclass(frozen=True, slots=True)
class Word:
    """What is predicted by an instruction word."""

    word: int
    kind: int
    annuls: bool
    """Whether a branch has its annul bit set."""
    displacement: int
    """From the instruction to the target of a branch or call, in bytes."""
    pops: bool
    """Whether in the delay slot of a call it makes it a tail call."""


@functools.lru_cache(maxsize=1 << 16)
def classify(word: int, minor: int) -> Word:
    """Return what rstzip 3.`minor` makes of an instruction word."""
    pops = word == _MOVE_G1_TO_O7 or word & 0xC1F80000 == 0x81E80000  # restore
    branch = _branch_bits(word)
    if branch:
        kind = _branch_kind(word, minor)
        return Word(word, kind, bool(word >> 29 & 1), _displacement(word, branch), pops)
    if word >> 30 == 1:
        return Word(word, CALL, False, _signed(word, 30) * 4, pops)
    return Word(word, _other_kind(word), False, 0, pops)


def _branch_bits(word: int) -> int:
    """Return the width of a branch's displacement; 0 if the word is no branch."""
    op2 = word >> 22 & 7
    if word >> 30:
        return 0
    if op2 == 3:  # BPr
        return 16 if not word >> 28 & 1 and word >> 25 & 3 else 0
    return _BRANCHES.get(op2, 0)


def _branch_kind(word: int, minor: int) -> int:
    """Return the kind of a branch by its condition; that of BPr is always a register's."""
    condition = word >> 25 & 15
    if word >> 22 & 3 == 3 or condition not in (0, 8):
        return CONDITIONAL
    if condition == 8:
        return ALWAYS
    return NEVER if minor >= _CLASSIC else CONDITIONAL


def _displacement(word: int, bits: int) -> int:
    if bits == 16:
        word = word >> 20 << 14 & 0xC000 | word & 0x3FFF
    return _signed(word, bits) * 4


def _signed(word: int, bits: int) -> int:
    low = word & (1 << bits) - 1
    return low - (low >> bits - 1 << bits)


def _other_kind(word: int) -> int:
    if word >> 30 == 3:
        return MEMORY
    if word & 0xFFF80000 in (0x81F00000, 0x83F00000):
        return TRAP_RETURN
    if word & 0xC1F80000 not in (0x81C00000, 0x81C80000):  # jmpl, return
        return PLAIN
    target, source = word >> 25 & 31, word >> 14 & 31
    if target == 0 and word & 0x1FFF == 8 and source in (15, 31):
        return RETURN
    return INDIRECT_CALL if target == 15 else INDIRECT
