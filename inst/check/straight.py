"""Whether other code can have run between two instructions, by the program's own words.

An access trace shows accesses of instrumented code only. Between two of them a function of
the C library may have run, unless the words between hold nothing but plain instructions and
the probes' own calls.
"""

from __future__ import annotations

import numpy as np

from inst.arch.registry import is_little
from inst.errors import InstError
from inst.program.program import Program
from inst.trace.model import Array, Flag, Image, Trace
from inst.words.decode import transfers_of

REACH = 256
"""Bytes between two instructions that are looked through at most."""


class Code:
    """The words of the programs a trace names, where their files can still be read."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._programs: dict[Image, tuple[Program, bytes, int] | None] = {}
        self._answers: dict[tuple[int, int], bool] = {}
        self._words: dict[int, int] = {}
        self._functions: dict[int, int] = {}

    def is_straight(self, first: int, last: int) -> bool:
        """Return that nothing but probes can have run from one instruction to the other."""
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

    def function(self, place: int) -> int:
        """Return where the function begins that a run-time address is in; 0 if not known."""
        if place not in self._functions:
            self._functions[place] = self._function_at(place)
        return self._functions[place]

    def words(self, rows: Array, which: Array) -> Array:
        """Return instruction words of rows; s-expressions have none: the program has."""
        word = rows["word"]
        unknown = rows["flags"] & int(Flag.HAS_WORD | Flag.HAS_PC) == int(Flag.HAS_PC)
        asked = np.flatnonzero(which & unknown)
        if len(asked) == 0:
            return word
        places, inverse = np.unique(rows["pc"][asked], return_inverse=True)
        found = np.array([self.word(place) for place in places.tolist()], "u4")
        words: Array = word.copy()
        words[asked] = found[inverse]
        return words

    def _look(self, first: int, last: int) -> bool:
        found = self._text_at(first, last)
        if found is None:
            return False
        program, text, offset, start = found
        words = np.frombuffer(text, self._word_type(), (last - first) // 4 - 1, offset + 4)
        addresses = np.arange(len(words), dtype="u8") * np.uint64(4) + np.uint64(start + offset + 4)
        control = transfers_of(words, addresses, self._trace.facts.arch)
        calls = control.is_call & control.is_direct & ~control.is_conditional
        if ((control.is_transfer & ~calls) | control.leaves).any():
            return False
        targets = control.target[calls].tolist()
        return all(program.function(target)[0].startswith("inst.") for target in targets)

    def _function_at(self, place: int) -> int:
        for image in self._trace.facts.images:
            loaded = self._load(image)
            if loaded is None:
                continue
            program = loaded[0]
            bias = image.base - program.start if program.relocatable else 0
            if program.start <= place - bias < program.end:
                name, offset = program.function(place - bias)
                return place - offset if name else 0
        return 0

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
        return int(np.frombuffer(text, self._word_type(), 1, at)[0])

    def _word_type(self) -> str:
        return "<u4" if is_little(self._trace.facts.arch) else ">u4"

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
