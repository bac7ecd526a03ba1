"""What a newcomer types: the quick start, the README's examples and the tutorial.

They are taken from the documents themselves, so that what is run here is what they say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.docs.console import examples, varying

ROOT = Path(__file__).resolve().parents[2]
_SECTION = re.compile(r"^## Quick start\n(.*?)^## ", re.M | re.S)
START = "docs/start.md"
"""The page with the quick start and the tutorial."""
README = "README.md"


@dataclass(frozen=True, slots=True)
class Command:
    """A command of a document, and what it should print where the document says so."""

    place: str
    """File and line."""
    text: str
    wanted: str | None = None


def quick_start(page: str) -> Iterator[Command]:
    """Yield the indented lines of the quick start."""
    section = _SECTION.search(page)
    if section is None:
        raise ValueError(f"{START} has no section `## Quick start`")
    first = page.count("\n", 0, section.start(1)) + 1
    for number, line in enumerate(section[1].splitlines(), first):
        if line.startswith("    "):
            yield Command(f"{START}:{number}", line.strip())


def tutorial(page: str) -> Iterator[Command]:
    """Yield the examples of the tutorial with what they print."""
    for example in examples(page):
        yield Command(f"{START}:{example.line}", example.command, example.wanted)


def front_page(page: str) -> Iterator[Command]:
    """Yield the examples of the README, whose outputs show the numbers of one run."""
    for example in examples(page):
        yield Command(f"{README}:{example.line}", example.command, varying(example.wanted))


def newcomer(root: Path = ROOT) -> list[tuple[str, list[Command]]]:
    """Return the documents' commands, each with the directory where a reader would be."""
    start, readme = ((root / name).read_text(encoding="utf-8") for name in (START, README))
    return [
        ("/root/inst", list(quick_start(start))),
        ("/root/readme", list(front_page(readme))),
        ("/root/tutorial", list(tutorial(start))),
    ]
