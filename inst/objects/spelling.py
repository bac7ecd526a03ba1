"""Texts of instruction words with the relocations and labels that belong to them."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from inst.arch.registry import architecture
from inst.objects.model import ObjectFile, Relocation
from inst.objects.names import Targets
from inst.objects.parts import Form, Objects
from inst.words.disassemble import disassembler
from inst.words.model import NOWHERE, Words

_DISTANCE = re.compile(r"(?<![\w.])\.(?:\+|(?=-))(-?\d+)\b")
_ADDRESS = re.compile(r"\b0x([0-9a-f]{7,8})\b")
_FARTHEST = 1 << 27
_NUMBER = re.compile(r"-?\b(?:0x[0-9a-f]+|\d+)\b")


class Speller:
    """The texts of one object's words, the likelier first."""

    def __init__(self, isa: str, found: ObjectFile, targets: Targets) -> None:
        part = architecture(isa).part(Objects)
        self.forms = part.forms(found)
        self.targets = targets
        self._texts = _texts(isa, part.producer(found))

    def plain(self, word: int, label: Callable[[int], str]) -> list[str]:
        """Return texts of a word without relocations; `label` names a distance in bytes."""
        return [_with_label(text, label) for text in self._texts(word)]

    def relocated(self, word: int, offset: int, rows: list[Relocation]) -> list[str]:
        """Return texts that express all relocations of a word."""
        forms = [self.forms.get(row.kind) for row in rows]
        if not rows or len(rows) > 2 or any(form is None or form.directive for form in forms):
            return []
        form, row = forms[-1], rows[-1]
        assert form is not None
        more = offset - row.offset if "-." in form.text else 0
        inner = self.targets.of(row, more)
        if len(rows) == 2:
            marker = forms[0]
            assert marker is not None
            if marker.text or not form.field:
                return []
            inner += marker.appended.format(self.targets.of(rows[0]))
        if word & form.field:
            return []
        operand = form.text.format(inner) + (f"{row.extra:+d}" if row.extra else "")
        found = (
            _with_operand(text, operand, form, word) for text in self._texts(word | form.field)
        )
        return [f"{text}{form.appended.format(inner)}" for text in found if text]


def _with_label(text: str, label: Callable[[int], str]) -> str:
    """Replace the target of a branch, which was decoded at `NOWHERE`, by a label."""
    found = _DISTANCE.search(text)
    if found:
        return text[: found.start()] + label(int(found[1])) + text[found.end() :]
    for found in _ADDRESS.finditer(text):
        distance = int(found[1], 16) - NOWHERE
        if abs(distance) < _FARTHEST:
            return text[: found.start()] + label(distance) + text[found.end() :]
    return text


def _with_operand(text: str, operand: str, form: Form, word: int) -> str:
    """Return the text with the operand in the place of the field; "" if it does not show."""
    if form.last:
        head, comma, _ = text.rpartition(",")
        return f"{head}, {operand}" if comma else ""
    if not form.text:
        return text
    shown = {form.field, NOWHERE + form.field, NOWHERE + form.field * 4}
    for found in _NUMBER.finditer(text):
        if int(found[0], 0) in shown:
            start = found.start()
            if text[start - 2 : start] == ".+":
                start -= 2
            return text[:start] + operand + text[found.end() :]
    return ""


@lru_cache(maxsize=8)
def _texts(isa: str, producer: str) -> Callable[[int], list[str]]:
    words, spelled = architecture(isa).part(Words), architecture(isa).part(Objects).spelled
    candidates = words.candidates(producer, disassembler(producer))

    @lru_cache(maxsize=1 << 16)
    def texts(word: int) -> list[str]:
        found = [
            spelled(f"{name} {operands}".rstrip(), producer, word)
            for name, operands in candidates(word)
            if name
        ]
        return [text for text in dict.fromkeys(found) if not text.startswith(".word")]

    return texts
