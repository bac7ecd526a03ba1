"""Source files that records and programs name, where they can be found here."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path

from inst.browse.lines import Line
from inst.shown import shown

LARGEST = 16 << 20
"""Bytes of a source file that is read."""
TAB = 8


class Sources:
    """Reads source files; the last one stays in memory."""

    def __init__(self, trace: str, programs: Sequence[str]) -> None:
        near = [Path(program).resolve().parent for program in (*programs, trace)]
        self._directories = list(dict.fromkeys([Path.cwd(), *near]))
        self._name = ""
        self._lines: list[str] | None = None

    def lines(self, file: str) -> list[str] | None:
        """Return the lines of a file as they may be shown; None if there is no such file."""
        if file != self._name:
            self._name, self._lines = file, self._read(file)
        return self._lines

    def _read(self, file: str) -> list[str] | None:
        for directory in self._directories:
            text = _content(directory / file)
            if text is not None:
                return [shown(line.expandtabs(TAB)) for line in text.split("\n")]
        return None


def _content(path: Path) -> str | None:
    """Return the text of a plain file of a usual size: a trace may name anything."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except (OSError, ValueError):
        return None
    with os.fdopen(file, "rb") as stream:
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode) or status.st_size > LARGEST:
            return None
        return stream.read(LARGEST).decode("utf-8", "replace")


def source_of(line: Line) -> tuple[str, int]:
    """Return the file and line that a row comes from; ("", 0) if they are not known."""
    if line.place is not None and line.place.line:
        return line.place.file, line.place.line
    file, colon, number = line.site.rpartition(":")
    return (file, int(number)) if colon and number.isdecimal() and len(number) < 10 else ("", 0)
