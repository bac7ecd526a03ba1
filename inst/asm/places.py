"""Where statements came from: by `.file` and `.loc`, and by the line markers of preprocessors."""

from __future__ import annotations

import re

from inst.asm.model import Kind, Statement

MARKER = re.compile(r'[#!]\s*(?:line\s+)?(\d+)\s+"((?:[^"\\]|\\.)*)"')
"""A line marker without blanks before it: the number and file of the line after it."""
_TRANSLATED = re.compile(r'^\s*\.file\s+"([^"]+)"', re.MULTILINE)
_FILE = re.compile(r'(\d+)\s+"((?:[^"\\]|\\.)*)"(?:\s+"((?:[^"\\]|\\.)*)")?')

_LOCATION = re.compile(r"(?:(\w+)|\(\s*(\w+)\s*\))(?:\s*(?:(\w+)|\(\s*(\w+)\s*\))(?=\s|$))?")
"""File and line of a `.loc`, which may be in parentheses; other expressions are ignored."""


def translated_file(text: str) -> str:
    """Return the file that a compiler has translated, as its `.file` names it; empty without."""
    found = _TRANSLATED.search(text)
    return found[1] if found else ""


class Places:
    """Follows a file from statement to statement."""

    def __init__(self) -> None:
        self.files: dict[int, str] = {}
        self.current: tuple[str, int] | None = None
        self.marked: tuple[str, int] | None = None
        """The file of the last line marker, and the difference of line numbers there and here."""

    def of(self, statements: list[Statement]) -> list[tuple[str, int] | None]:
        """Return the source file and line of each statement; None where it is unknown."""
        places: list[tuple[str, int] | None] = []
        for statement in statements:
            if statement.kind == Kind.DIRECTIVE:
                if statement.name == ".loc":
                    self._follow(statement.operands)
                elif statement.name == ".file":
                    match = _FILE.match(statement.operands)
                    if match:
                        self.files[_value(match[1])] = _joined(match[2], match[3])
            elif statement.kind == Kind.BLANK and (match := MARKER.match(statement.text.lstrip())):
                # The compiler ends a marked piece with line 0 of no file.
                name, first = match[2], _value(match[1])
                self.marked = (name, statement.line + 1 - first) if name and first else None
            place = self.current
            if place is None and self.marked is not None:
                place = self.marked[0], statement.line - self.marked[1]
            places.append(place)
        return places

    def _follow(self, operands: str) -> None:
        """Take file and line of a `.loc`; without a line it is 0, as the assembler has it."""
        found = _LOCATION.match(operands)
        if found:
            name = self.files.get(_value(found[1] or found[2]), "?")
            self.current = name, _value(found[3] or found[4] or "0")


def _value(text: str) -> int:
    """Return the value of a literal; 0 for one that is too large for a line number."""
    digits = text.lower()
    try:
        base = 0 if digits[:2] in ("0x", "0b") else 8 if digits.startswith("0") else 10
        value = int(digits, base)
    except ValueError:
        return 0
    return value if value < 1 << 64 else 0


def _joined(first: str, second: str | None) -> str:
    """Join directory and name of a `.file`; with one string it is the name."""
    if second is None or second.startswith("/"):
        return second or first
    return f"{first}/{second}"


def logical_lines(lines: list[str], file: str) -> list[tuple[str, int]]:
    """Return the user's file and line of each line, by the markers among them."""
    places: list[tuple[str, int]] = []
    name, number = file, 0
    for line in lines:
        number += 1
        places.append((name, number))
        if line.startswith("#") and (marker := MARKER.match(line)):
            name, number = marker[2], _value(marker[1]) - 1
    return places or [(file, 1)]
