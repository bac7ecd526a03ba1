"""Can other code have run between two instructions? Asked of the program's own words.

An access trace shows accesses of instrumented code only. Between two of them a function of
the C library may have run, unless the words between hold nothing but plain instructions and
the probes' own calls.
"""

from __future__ import annotations

from typing import Any

from inst.errors import InstError
from inst.program.program import Program
from inst.trace.model import Image, Trace
from inst.words import decode

REACH = 256
"""Bytes between two instructions that are looked through at most."""


class Code:
    """The words of the programs a trace names, where their files can still be read."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._programs: dict[Image, tuple[Program, bytes, int] | None] = {}
        self._answers: dict[tuple[int, int], bool] = {}
        self._words: dict[int, int] = {}

    def is_straight(self, first: int, last: int) -> bool:
        """Tell that nothing but probes can have run from one instruction to the other."""
        if not first < last <= first + REACH:
            return False
        if (first, last) not in self._answers:
            self._answers[first, last] = self._look(first, last)
        return self._answers[first, last]

    def word(self, place: int) -> int:
        """Return the instruction word at a run-time address; 0 where none can be read."""
        if place not in self._words:
            found = self._text_at(place, place)
            self._words[place] = self._word(found[1], found[2]) if found else 0
        return self._words[place]

    def _look(self, first: int, last: int) -> bool:
        found = self._text_at(first, last)
        if found is None:
            return False
        program, text, offset, start = found
        return all(
            self._is_harmless(program, at + start, self._word(text, at))
            for at in range(offset + 4, offset + last - first, 4)
        )

    def _text_at(self, first: int, last: int) -> tuple[Program, bytes, int, int] | None:
        """Return the program with both instructions, its text, where that has the first, and
        the text's own address."""
        for image in self._trace.facts.images:
            loaded = self._load(image)
            if loaded is None:
                continue
            program, text, start = loaded
            bias = image.base - program.start if program.relocatable else 0
            offset = first - bias - start
            if offset >= 0 and last - bias - start + 4 <= len(text):
                return program, text, offset, start
        return None

    def _word(self, text: bytes, at: int) -> int:
        return int.from_bytes(text[at : at + 4], self._order())

    def _order(self) -> Any:
        return "little" if self._trace.facts.arch.endswith("le") else "big"

    def _is_harmless(self, program: Program, address: int, word: int) -> bool:
        if decode.family(self._trace.facts.arch) == "powerpc":
            target = _powerpc_target(address, word)
        else:
            target = _sparc_target(address, word)
        if target is None:
            return True
        return target >= 0 and program.function(target)[0].startswith("inst.")

    def _load(self, image: Image) -> tuple[Program, bytes, int] | None:
        if image not in self._programs:
            self._programs[image] = _load(image.path)
        return self._programs[image]


def _load(path: str) -> tuple[Program, bytes, int] | None:
    try:
        program = Program(path, [])
        text = program.section(".text")
    except InstError:
        return None
    return (program, *text) if text else None


def _powerpc_target(address: int, word: int) -> int | None:
    """Return where a call goes, -1 for other transfers, None for what goes on to the next."""
    primary = word >> 26
    if primary == 18 and word & 1:
        offset = word & 0x3FFFFFC
        offset -= (offset & 0x2000000) << 1
        return (offset if word & 2 else address + offset) & 0xFFFFFFFF
    return -1 if primary in (16, 17, 18, 19) else None


def _sparc_target(address: int, word: int) -> int | None:
    operation = word >> 30
    if operation == 1:
        return (address + (word << 2)) & 0xFFFFFFFF
    branch = operation == 0 and word >> 22 & 7 not in (0, 4)
    jump = operation == 2 and word >> 19 & 0x3F in (0x38, 0x39, 0x3A)
    return -1 if branch or jump else None
