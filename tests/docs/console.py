"""The examples of the documentation: blocks of ```console, run in order, page by page.

A line `$ COMMAND` is given to sh, with lines `> ...` that go on with it; the lines below it are
what it prints, standard error included. `...` stands for anything, as in doctest. All blocks of
a page share a directory, and so do the files they make.
"""

from __future__ import annotations

import doctest
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.M | re.S)


@dataclass(frozen=True, slots=True)
class Example:
    """A command and what it should print."""

    line: int
    """Where it stands in the page, from 1."""
    shown: tuple[str, ...]
    """The command's lines as the page has them."""
    command: str
    wanted: str


def examples(text: str) -> Iterator[Example]:
    """Yield the examples of a page in order."""
    for block in _BLOCK.finditer(text):
        first = text.count("\n", 0, block.start(1)) + 1
        lines = block[1].splitlines()
        starts = [n for n, line in enumerate(lines) if line.startswith("$ ")]
        for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
            body = start + 1
            while body < end and lines[body].startswith("> "):
                body += 1
            shown = tuple(lines[start:body])
            command = "\n".join(line[2:] for line in shown)
            wanted = "".join(f"{line}\n" for line in lines[body:end])
            yield Example(first + start, shown, command, wanted)


def whole_lines(text: str) -> str:
    """Return an output with a newline at its end, as a page shows it."""
    return text if not text or text.endswith("\n") else f"{text}\n"


_WAITING = re.compile(r"inst: note: waiting for another inst-cc.*\n")
"""Printed where another test builds the library that a command needs."""


def matches(wanted: str, got: str) -> bool:
    """Return whether the output is what the page says, whether or not a library is being built."""
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    return doctest.OutputChecker().check_output(wanted, _WAITING.sub("", got), flags)


_VARYING = re.compile(r"0x[0-9a-f]+|(?<=\s)\d+(?=[\s:])|\b\d{3,}\b")
"""Numbers that differ from run to run: addresses, values, distances in code, threads, records."""


def varying(output: str) -> str:
    """Return an output that is shown with its numbers as `matches` takes it, without them."""
    return _VARYING.sub("...", output)


def renewed(text: str, run: Callable[[str], str]) -> str:
    """Return a page with the outputs that the commands print now, where they differ."""
    for example in examples(text):
        got = whole_lines(run(example.command))
        if not matches(example.wanted, got):
            head = "\n".join(example.shown) + "\n"
            text = text.replace(head + example.wanted, head + got, 1)
    return text


def with_numbers(root: Path) -> list[Path]:
    """Return the pages whose examples show the numbers of one run."""
    return [root / "README.md"]


def pages(root: Path) -> list[Path]:
    """Return the other pages that have examples."""
    found = sorted((root / "docs").rglob("*.md")) + sorted((root / "examples/hooks").glob("*.md"))
    return [page for page in found if _BLOCK.search(page.read_text(encoding="utf-8"))]
