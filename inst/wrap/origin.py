"""Where a line of assembly came from: the user's file and line, if the compiler recorded it."""

from __future__ import annotations

import re

from inst.asm.places import MARKER, logical_lines
from inst.errors import ErrorList, InstError, Location

_FILE = re.compile(r'\s*\.file\s+(\d+)\s+(?:"((?:[^"\\]|\\.)*)"\s+)?"((?:[^"\\]|\\.)*)"')
_LOC = re.compile(r"\s*\.loc\s+(\d+)\s+(\d+)")
_OTHER_LINE = re.compile(r"\(line (\d+)\)")
"""Where a message names another line of the file."""


def find_origin(text: str, line: int) -> Location | None:
    """Return the user's location of a line of assembly, or None if it is not known."""
    files: dict[str, str] = {}
    marked: Location | None = None
    located: Location | None = None
    for number, content in enumerate(text.splitlines()[: line - 1], 1):
        stripped = content.lstrip()
        if stripped.startswith(("#", "!")):
            if marker := MARKER.match(stripped):
                name, first = marker[2], int(marker[1])
                # The compiler ends a marked piece with line 0 of no file.
                marked = Location(name, first + line - number - 1) if name and first else None
        elif stripped.startswith(".file"):
            if entry := _FILE.match(content):
                files[entry[1]] = _path(entry[2], entry[3])
        elif stripped.startswith(".loc") and (place := _LOC.match(content)):
            located = Location(files.get(place[1], ""), int(place[2]))
    return marked or (located if located and located.file else None)


def _path(directory: str | None, name: str) -> str:
    return f"{directory}/{name}" if directory and not name.startswith("/") else name


def point_at_user(error: InstError, text: str, file: str) -> InstError:
    """Return the error with locations in the assembly `file` turned into the user's lines."""
    if isinstance(error, ErrorList):
        return ErrorList([point_at_user(one, text, file) for one in error.errors])
    place = error.location
    if place is None or place.file != file or not place.line:
        return error
    origin = find_origin(text, place.line)
    if origin is None:
        return error

    def line(match: re.Match[str]) -> str:
        found = find_origin(text, int(match[1])) or Location(file, int(match[1]))
        return f"(line {found.line})" if found.file == origin.file else f"({found})"

    message = _OTHER_LINE.sub(line, error.message)
    return InstError(message, location=origin, source=error.source, hint=error.hint)


def keep_line_numbers(original: str, rewritten: str, file: str) -> str:
    """Add line markers to rewritten text, so that its lines count as the original's do.

    Used when the assembler itself generates line numbers (hand-written code with -g). Unedited
    lines are the same in both texts, so the two are walked through in parallel.
    """
    old = original.splitlines()
    places = logical_lines(old, file)
    result: list[str] = []
    position = 0
    expected: tuple[str, int] | None = None
    for line in rewritten.splitlines():
        found = _next_same(old, position, line)
        place = places[min(found if found is not None else position, len(places) - 1)]
        if place != expected and not line.startswith("#") and position < len(old):
            result.append(f'# {place[1]} "{place[0]}"')
        result.append(line)
        expected = (place[0], place[1] + 1)
        if found is not None:
            position = found + 1
    return "\n".join(result) + "\n"


_WINDOW = 12
"""How many lines of the original an edit may remove at one place."""


def _next_same(lines: list[str], start: int, wanted: str) -> int | None:
    for position in range(start, min(start + _WINDOW, len(lines))):
        if lines[position] == wanted:
            return position
    return None
