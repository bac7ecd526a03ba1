"""An object through assembly and back: the text whose object is the same."""

from __future__ import annotations

import os
import re
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from inst.arch.registry import architecture
from inst.common.process import run
from inst.errors import InstError
from inst.objects.compare import Difference, differences
from inst.objects.growing import GrowingWriter, without_debugging
from inst.objects.model import ObjectFile
from inst.objects.parts import Objects
from inst.objects.read import read_object
from inst.objects.text import Levels, Text, Writer
from inst.target.model import Target
from inst.target.targets import TARGETS
from inst.target.tools import compiler_tool

_MESSAGE = re.compile(r"^[^:\n]*:(\d+): (?:Error|Fatal error|Warning): ?(.*)$", re.MULTILINE)
_ROUNDS = 12
"""Texts of a place that can be tried, and rounds in which errors hide others."""
_SHOWN = 3
"""Differences or messages that an error names."""


class NotTheSame(InstError):
    """An object that no text was found for."""


@dataclass(slots=True)
class Assembler:
    """The assembler of one target, and what it was found to make of texts."""

    target: Target
    program: str = ""
    known: dict[tuple[str, ...], Levels] = field(default_factory=dict)
    """Options -> what was learned of words with them."""

    def assemble(self, text: bytes, options: list[str]) -> tuple[bytes, str]:
        """Return the object of a text and the assembler's messages; no object if it failed."""
        if not self.program:
            self.program = compiler_tool(list(self.target.compiler), "as")
        handle, name = tempfile.mkstemp(suffix=".o")
        os.close(handle)
        try:
            command = [self.program, *options, "-o", name, "-"]
            done = run(command, text=text, keep_output=True, keep_errors=True)
            messages = done.errors.decode(errors="replace")
            return (Path(name).read_bytes() if not done.status else b""), messages
        finally:
            Path(name).unlink(missing_ok=True)

    def levels(self, options: list[str]) -> Levels:
        """Return a choice of texts that begins with what is known of words."""
        known = self.known.setdefault(tuple(options), Levels())
        return Levels(words=known.words)


@dataclass(frozen=True, slots=True)
class Result:
    """An object's text and the object that was made of it."""

    text: Text
    content: bytes
    levels: Levels
    """Which texts it has."""
    rounds: int
    """How often the assembler ran."""


def target_of(found: ObjectFile) -> Target:
    """Return the target that an object is for; raise InstError for others."""
    for target in TARGETS.values():
        if target.is_of(found.machine, found.byte_order) and target.bits == found.bits:
            return target
    raise InstError(
        f"{found.name} is for another machine: e_machine {found.machine}, {found.bits} bits, "
        f"{found.byte_order}-endian",
        hint=f"inst reads objects of {', '.join(TARGETS)}",
    )


def same_object(found: ObjectFile, assembler: Assembler) -> Result:
    """Return the text whose object equals the one that was read.

    Raises InstError where none was found, with the first differences.
    """
    part = architecture(assembler.target.isa).part(Objects)
    options = part.options(found)
    levels = assembler.levels(options)
    for rounds in range(1, _ROUNDS + 1):
        text = Writer(found, assembler.target.isa, levels).text()
        content, messages = assembler.assemble(text.content(), options)
        if not content:
            if not _refuse_lines(text, levels, messages):
                raise _failed(found, [m[1] for m in _MESSAGE.findall(messages)] or [messages])
            continue
        wrong = list(differences(found, read_object(found.name, content)))
        if not wrong:
            return Result(text, content, levels, rounds)
        if not _refuse_places(text, levels, wrong):
            raise _failed(found, [one.message for one in wrong])
    raise _failed(found, ["too many words have other texts than expected"])


def growing_text(found: ObjectFile, assembler: Assembler) -> Text:
    """Return the text of an object into which code can be inserted.

    As long as nothing is, it makes the same object, but for what describes the code. Raises
    InstError where a distance cannot be distinguished from a number, and NotTheSame.
    """
    levels = same_object(found, assembler).levels
    text = GrowingWriter(found, assembler.target, levels).text()
    content = assembled(found, text.content(), assembler)
    again = without_debugging(read_object(found.name, content))
    if wrong := list(differences(without_debugging(found), again)):
        raise _failed(found, [one.message for one in wrong])
    return text


def assembled(found: ObjectFile, text: bytes, assembler: Assembler) -> bytes:
    """Return the object of a text that was made of one; raise NotTheSame with what is wrong."""
    part = architecture(assembler.target.isa).part(Objects)
    content, messages = assembler.assemble(text, part.options(found))
    if not content:
        raise _failed(found, [m[1] for m in _MESSAGE.findall(messages)] or [messages])
    return content


def _failed(found: ObjectFile, reasons: list[str]) -> NotTheSame:
    shown = "; ".join(reasons[:_SHOWN])
    more = f"; and {len(reasons) - _SHOWN} more" if len(reasons) > _SHOWN else ""
    return NotTheSame(
        f"{found.name}: its assembly does not make the same object: {shown}{more}",
        hint="no object was written",
    )


def _refuse_lines(text: Text, levels: Levels, messages: str) -> bool:
    """Take the next text where the assembler has reported an error; return if there is one."""
    places = {text.places.get(int(found[1])) for found in _MESSAGE.finditer(messages)}
    return _refuse(text, levels, [one for one in places if one is not None])


def _refuse_places(text: Text, levels: Levels, wrong: list[Difference]) -> bool:
    """Take the next text where the object differs; return if there is one."""
    places = set()
    for one in wrong:
        for distance in range(8):
            where = one.section, one.offset - distance
            if where in text.chosen:
                places.add(where)
                break
    return _refuse(text, levels, list(places))


def _refuse(text: Text, levels: Levels, places: list[tuple[int, int]]) -> bool:
    found = False
    for where in places:
        chosen, count = text.chosen[where]
        if chosen + 1 < count:
            levels.refuse(where, chosen)
            found = True
    return found
