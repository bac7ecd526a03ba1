"""Instruction words as text: capstone, and what capstone does not know."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from inst.arch.registry import producer
from inst.words.model import Words

CACHE = 1 << 16
"""Distinct (word, pc) pairs remembered: a loop's body is decoded once."""


def disassembler(arch: str, remembered: int = CACHE) -> Callable[[int, int], str]:
    """Return a function from (word, pc) to text for a producer's architecture word.

    So many results are `remembered`. Words that nothing decodes come out as `.word 0x...`.
    """
    decode = producer(arch).part(Words).text(arch)

    @lru_cache(maxsize=remembered)
    def text(word: int, pc: int) -> str:
        return decode(word, pc) or f".word 0x{word:0{16 if word >> 32 else 8}x}"

    return text
