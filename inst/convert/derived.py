"""Columns that follow from events: opcode, function, source line, physical address."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from inst.program.longer import Longer
from inst.program.program import Locator
from inst.trace.model import Array, Flag
from inst.trace.registry import codec_of
from inst.trace.writing import Job

OPCODES = 1 << 16
"""Instruction words whose mnemonics are remembered."""

Texts = tuple[Array, list[str]]
"""Numbers of texts, and the texts; the first is "" for none."""
Numbers = tuple[Array, Array]
"""Numbers, and which of them are known."""


@dataclass(frozen=True, slots=True)
class Columns:
    """What a batch of events has in the derived columns, by name."""

    texts: dict[str, Texts]
    numbers: dict[str, Numbers]


class Derived:
    """Makes the derived columns of the events of a job; to be made before the first is read."""

    def __init__(self, job: Job) -> None:
        trace = self._trace = job.trace
        programs = list(job.programs)
        self._locate = Locator(programs, trace, demangle=job.demangle) if programs else None
        codec = codec_of(trace)
        self._physical = codec.part("physical")(trace) if codec.offers("physical") else None
        self._longer = Longer(trace, self._locate)
        self._text: Callable[[int, int], str] | None = None
        self._opcodes: dict[int, str] = {}

    def of(self, events: Array) -> Columns:
        """Return the columns of a batch."""
        file, line, function = self._places(events)
        texts = {"opcode": self._opcode(events), "function": function, "file": file}
        texts["arch"] = np.ones(len(events), "i4"), ["", self._trace.facts.arch]
        physical = np.zeros(len(events), "u8"), np.zeros(len(events), bool)
        if self._physical is not None:
            physical = self._physical.of(events)
        return Columns(texts, {"physical": physical, "line": line})

    def _opcode(self, events: Array) -> Texts:
        known, column = events["flags"] & int(Flag.HAS_WORD) != 0, events["word"]
        rows, longer = self._longer.of(events)
        if len(rows):
            column = column.astype("u8")
            column[rows], known[rows] = longer, True
        if not known.any():
            return np.zeros(len(events), "i4"), [""]
        words, places = np.unique(column[known], return_inverse=True)
        return _numbered(len(events), known, [self._mnemonic(w) for w in words.tolist()], places)

    def _mnemonic(self, word: int) -> str:
        if self._text is None:
            from inst.words.disassemble import disassembler

            self._text = disassembler(self._trace.facts.arch, remembered=0)
        if word not in self._opcodes:
            if len(self._opcodes) >= OPCODES:
                self._opcodes.clear()
            self._opcodes[word] = self._text(word, 0).partition(" ")[0]
        return self._opcodes[word]

    def _places(self, events: Array) -> tuple[Texts, Numbers, Texts]:
        """Return files, lines and functions: from the programs, else from the sites."""
        keys, coded = events["site"].astype("u8"), events["site"] != 0
        if self._locate is not None:
            at_pc = (events["flags"] & int(Flag.HAS_PC) != 0) & ~coded
            keys = np.where(at_pc, events["pc"], keys)
        else:
            at_pc = np.zeros(len(events), bool)
        found: list[tuple[str, int, str]] = []
        numbers = np.zeros(len(events), "i8")
        for rows, look in ((coded, self._of_site), (at_pc, self._of_pc)):
            if rows.any():
                distinct, places = np.unique(keys[rows], return_inverse=True)
                numbers[rows] = places + len(found) + 1
                found += [look(key) for key in distinct.tolist()]
        lines = np.array([0, *(line for _, line, _ in found)], "u4")[numbers]
        rows = numbers != 0
        file = _numbered(len(events), rows, [file for file, _, _ in found], numbers[rows] - 1)
        names = [name for _, _, name in found]
        function = _numbered(len(events), rows, names, numbers[rows] - 1)
        return file, (lines, lines != 0), function

    def _of_site(self, number: int) -> tuple[str, int, str]:
        """Return file and line that a site names."""
        text = self._trace.sites.texts[number]
        file, colon, line = text.rpartition(":")
        if colon and line.isdecimal() and len(line) < 10:
            return file, int(line), ""
        return "", 0, ""

    def _of_pc(self, pc: int) -> tuple[str, int, str]:
        place = self._locate(pc) if self._locate else None
        return (place.file, place.line, place.function) if place else ("", 0, "")


def _numbered(count: int, rows: Array, texts: list[str], places: Array) -> Texts:
    """Return texts of some rows, each once, with a number for each row; 0 for the others."""
    numbers = {"": 0}
    mapped = np.array([numbers.setdefault(text, len(numbers)) for text in texts], "i4")
    result = np.zeros(count, "i4")
    if len(texts):
        result[rows] = mapped[places]
    return result, list(numbers)
