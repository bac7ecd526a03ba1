"""What re-execution looks up in a program's tables, which may be large."""

from __future__ import annotations

import time

import numpy as np

from inst.formats.rec.instrumented import Program
from inst.words.decode import words_of


def test_what_code_writes_is_found_by_searching() -> None:
    """Small pieces of a recording ask for it often, of programs with many instructions."""
    program = Program.__new__(Program)
    program.items = np.arange(4, 8_000_000, 8, "u8")
    asked = np.array([0, 4, 8, 12, 7_999_996, 8_000_004], "u8")
    start = time.process_time()
    for _ in range(300):
        found = program.are_items(asked)
    assert time.process_time() - start < 1
    assert found.tolist() == [False, True, False, True, True, False]
    program.items = np.zeros(0, "u8")
    assert not program.are_items(asked).any()


def test_what_is_moved_is_found_by_searching() -> None:
    """Each piece of a program's code is looked through once, and a large one has many pieces."""
    program = Program.__new__(Program)
    program.words = words_of("sparc")
    skips, access, moved = program.words.recorded.skips, 0xC4004000, 0x84004001
    program._accesses = np.arange(4, 8_000_000, 8, "u8")
    nop = program.words.recorded.nop
    start = time.process_time()
    for _ in range(300):
        words = np.array([skips, access, moved], "i8")
        found = program._in_place(words, np.array([0, 4, 8], "u8")).tolist()
    assert time.process_time() - start < 1
    assert found == [nop, moved, nop]
    words = np.array([skips, access, moved], "i8")
    assert program._in_place(words, np.array([4, 8, 12], "u8")).tolist() == words.tolist()
