"""The programs of the truth test and what they need to be built."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

SOURCES = Path(__file__).resolve().parent / "programs"
_FIELD = re.compile(r"(Targets|Flags|Libraries): ([^*\n]*)")


@dataclass(frozen=True, slots=True)
class Program:
    """One C file; the comment at its head says what is special about it."""

    name: str
    source: Path
    flags: tuple[str, ...]
    libraries: tuple[str, ...]
    targets: tuple[str, ...]
    """Targets it is for; empty when it is portable, and runs on this machine too."""

    def runs_on(self, target: str) -> bool:
        """Return whether the program is for a target."""
        return not self.targets or target in self.targets


EXTRA_FLAGS = {
    "ppc64le": ("-mblock-compare-inline-limit=0", "-mstring-compare-inline-limit=0"),
}
"""What keeps code from going by the addresses of data (strcmp near the end of a page)."""


def read_programs() -> list[Program]:
    """Return all programs in the order of their names."""
    return [_read(source) for source in sorted(SOURCES.glob("*.c"))]


def _read(source: Path) -> Program:
    head = source.read_text().split("*/", 1)[0]
    fields = {name: tuple(words.split()) for name, words in _FIELD.findall(head)}
    return Program(
        source.stem,
        source,
        fields.get("Flags", ()),
        fields.get("Libraries", ()),
        fields.get("Targets", ()),
    )
