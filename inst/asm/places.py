"""Where statements came from: by `.file` and `.loc`, and by the line markers of preprocessors."""

from __future__ import annotations

import re

from inst.asm.model import Kind, Statement

MARKER = re.compile(r'[#!]\s*(?:line\s+)?(\d+)\s+"((?:[^"\\]|\\.)*)"')
"""A line marker without blanks before it: the number and file of the line behind it."""
_FILE = re.compile(r'(\d+)\s+"((?:[^"\\]|\\.)*)"(?:\s+"((?:[^"\\]|\\.)*)")?')


class Places:
    """Follows a file from statement to statement."""

    def __init__(self) -> None:
        self.files: dict[str, str] = {}
        self.current: tuple[str, int] | None = None
        self.marked: tuple[str, int] | None = None
        """The file of the last line marker, and what lines have less there than here."""

    def of(self, statements: list[Statement]) -> list[tuple[str, int] | None]:
        """Return the source file and line of each statement; None where nothing says it."""
        places: list[tuple[str, int] | None] = []
        for statement in statements:
            if statement.kind == Kind.DIRECTIVE:
                if statement.name == ".loc":
                    number, line, *_ = [*statement.operands.split(None, 2), "0"]
                    self.current = (self.files.get(number, "?"), int(line))
                elif statement.name == ".file":
                    match = _FILE.match(statement.operands)
                    if match:
                        self.files[match[1]] = _joined(match[2], match[3])
            elif statement.kind == Kind.BLANK and (match := MARKER.match(statement.text.lstrip())):
                # The compiler ends a marked piece with line 0 of no file.
                name, first = match[2], int(match[1])
                self.marked = (name, statement.line + 1 - first) if name and first else None
            place = self.current
            if place is None and self.marked is not None:
                place = self.marked[0], statement.line - self.marked[1]
            places.append(place)
        return places


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
            name, number = marker[2], int(marker[1]) - 1
    return places or [(file, 1)]
