"""What a newcomer types: the commands of the README's quick start and of the tutorial.

They are taken from the documents themselves, so that what is run here is what they say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.docs.console import examples

ROOT = Path(__file__).resolve().parents[2]
_SECTION = re.compile(r"^## Quick start\n(.*?)^## ", re.M | re.S)
_OWN_PROJECT = "A whole project:"
"""What follows is for a project of the reader's."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command of a document, and what it should print where the document says so."""

    place: str
    """File and line."""
    text: str
    wanted: str | None = None


def quick_start(readme: str) -> Iterator[Command]:
    """Yield the indented lines of the README's quick start."""
    section = _SECTION.search(readme)
    if section is None:
        raise ValueError("README.md has no section `## Quick start`")
    first = readme.count("\n", 0, section.start(1)) + 1
    for number, line in enumerate(section[1].splitlines(), first):
        if line.startswith(_OWN_PROJECT):
            return
        if line.startswith("    "):
            yield Command(f"README.md:{number}", line.strip())


def tutorial(page: str) -> Iterator[Command]:
    """Yield the examples of the tutorial with what they print."""
    for example in examples(page):
        yield Command(f"docs/start.md:{example.line}", example.command, example.wanted)


def newcomer(root: Path = ROOT) -> list[tuple[str, list[Command]]]:
    """Return the documents' commands, each with the directory where a reader would be."""
    return [
        ("/root/inst", list(quick_start((root / "README.md").read_text(encoding="utf-8")))),
        ("/root/tutorial", list(tutorial((root / "docs/start.md").read_text(encoding="utf-8")))),
    ]
