"""Displacements of memory instructions, against the disassembler."""

from __future__ import annotations

import random
import re

import numpy as np

from inst.arch.powerpc.words import accesses as powerpc
from inst.arch.sparc.words import accesses as sparc
from inst.words.decode import words_of
from inst.words.disassemble import disassembler


def differences(arch: str, words: list[int], shown: str) -> list[str]:
    """Return the words whose displacement is not the one that their text shows."""
    text = disassembler(arch)
    found = words_of(arch).recorded.displacements(np.array(words, "i8")).tolist()
    wrong = []
    for word, number in zip(words, found, strict=True):
        place = re.search(shown, text(word, 0x1000).replace(" ", ""))
        if place and int(place[1] or "0", 0) != number:
            wrong.append(f"{word:#010x} {text(word, 0x1000)}: {number}")
    return wrong


def test_powerpc() -> None:
    chance = random.Random(1)
    words = []
    for key, word in powerpc.samples().items():
        immediate = chance.getrandbits(16) & ~15 if key >= 1024 else 0
        words.append(word | immediate)
    assert differences("ppc64", words, r"[ ,](-?(?:0x)?[0-9a-f]+)\(r?4\)") == []
    indexed = [word for key, word in powerpc.samples().items() if key < 1024]
    assert not words_of("ppc").recorded.displacements(np.array(indexed, "i8")).any()
    assert words_of("ppc").recorded.displacements(np.array([0x8061FFFC, 0xE8610009])).tolist() == [
        -4,
        8,
    ]


def test_sparc() -> None:
    chance = random.Random(1)
    forms = [3 << 30 | 8 << 25 | op3 << 19 | 9 << 14 | 1 << 13 for op3 in sparc.ROWS if op3 < 16]
    words = [form | chance.getrandbits(13) for form in forms for _ in range(5)]
    assert differences("sparc-v9", words, r"%o1\+?(-?(?:0x)?[0-9a-f]*)\]") == []
    registers = [3 << 30 | op3 << 19 | 9 << 14 | 10 for op3 in sparc.ROWS]
    assert not words_of("sparc-v9").recorded.displacements(np.array(registers, "i8")).any()
