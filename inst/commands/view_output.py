"""The output of `inst view`: lines, JSON, counts, colours, and a pager on a terminal."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from typing import IO, TYPE_CHECKING

import numpy as np

from inst.shown import shown
from inst.trace.rows import Block

if TYPE_CHECKING:
    from inst.commands.view_window import Window
    from inst.program.program import Locator
    from inst.trace.model import Array


COLOURS = {
    "instr": "", "mem-read": "", "mem-write": "", "load": "", "store": "", "instruction": "",
    "strdesc": "\033[32m", "trap": "\033[31m", "status": "\033[33m",
}  # fmt: skip
DIM, PLAIN = "\033[2m", "\033[0m"
COUNTED = 1 << 12
"""Most kinds of records that are counted separately: s-expressions may have any."""


def print_counts(
    chosen: Iterator[tuple[Block, Array]], arguments: argparse.Namespace, output: IO[str]
) -> None:
    counts: dict[str, int] = {}
    try:
        for block, rows in chosen:
            for kind, count in enumerate(np.bincount(block.kinds[rows]).tolist()):
                if count:
                    name = block.names[kind]
                    if name not in counts and len(counts) >= COUNTED:
                        name = "(others)"
                    counts[name] = counts.get(name, 0) + count
    finally:  # what was read before damage counts
        ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        if arguments.json:
            print(json.dumps(dict(ordered)), file=output)
        else:
            for name, count in ordered:
                print(f"{count:12} {shown(name)}", file=output)
            print(f"{sum(counts.values()):12} total", file=output)


def print_rows(
    chosen: Iterator[tuple[Block, Array]],
    locator: Locator | None,
    arguments: argparse.Namespace,
    output: IO[str],
    window: Window | None = None,
) -> None:
    """Print the chosen rows; of a window, the row that was asked for has a mark."""
    if arguments.style == "table" and not arguments.json:
        from inst.trace.event_text import TABLE_HEAD

        output.write(f"record {TABLE_HEAD}\n")
    for block, rows in chosen:
        if arguments.json:
            output.writelines(_json_lines(block, rows, locator))
        else:
            places = _places(block, rows, locator)
            lines = _lines(block, rows, places, _coloured(arguments), arguments.style)
            if window is not None:
                found = (block.records[rows] == window.found).tolist()
                marked = zip(found, lines, strict=True)
                lines = [f"{'>' if here else ' '}{line}" for here, line in marked]
            output.write("".join(lines))
    output.flush()


def _lines(block: Block, rows: Array, places: list[str], coloured: bool, style: str) -> list[str]:
    """Return the rows as lines: number, name, text and place."""
    names = [shown(name) for name in block.names]
    heads = [f"{name:<11}" if style == "table" else f"{name:<8}: " for name in names]
    if coloured:
        heads = [
            COLOURS.get(name, DIM) + head for name, head in zip(block.names, heads, strict=True)
        ]
        places = [f"{PLAIN}{DIM}{place}{PLAIN}" if place else PLAIN for place in places]
    numbers, kinds = block.records[rows].tolist(), block.kinds[rows].tolist()
    texts = block.texts(rows)
    if not "".join(texts).isprintable():
        texts = [shown(text) for text in texts]
    return [
        f"{number:6} {heads[kind]}{text}{place}\n"
        for number, kind, text, place in zip(numbers, kinds, texts, places, strict=True)
    ]


def _places(block: Block, rows: Array, locator: Locator | None) -> list[str]:
    """Return function, source line and original instruction of each row's pc."""
    if locator is None:
        return [""] * len(rows)
    result = []
    pcs = zip(block.pc.values[rows].tolist(), block.pc.known[rows].tolist(), strict=True)
    for pc, known in pcs:
        place = locator(pc) if known else None
        if place is None:
            result.append("")
        else:
            text = f" | {place.text.strip()}" if place.text else ""
            result.append(f"  ; {place}{text}")
    return result


def _json_lines(block: Block, rows: Array, locator: Locator | None) -> Iterator[str]:
    for row, text in zip(rows.tolist(), block.texts(rows), strict=True):
        name = block.names[int(block.kinds[row])]
        value = {"record": int(block.records[row]), "type": name, **block.fields(row), "text": text}
        thread, pc = block.thread.item(row), block.pc.item(row)
        if thread is not None:
            value["thread"] = thread
        place = locator(pc) if locator and pc is not None else None
        if place is not None:
            value |= {
                "function": place.function,
                "offset": place.offset,
                "file": place.file,
                "line": place.line,
                "original": place.text,
            }
        yield json.dumps(value) + "\n"


def _coloured(arguments: argparse.Namespace) -> bool:
    if arguments.color == "auto":
        return sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    return bool(arguments.color == "always")


@contextlib.contextmanager
def opened_output(arguments: argparse.Namespace) -> Iterator[IO[str]]:
    """Yield standard output, through a pager if it is a terminal."""
    pager = os.environ.get("PAGER", "less -FRX")
    plain = arguments.no_pager or arguments.json or not sys.stdout.isatty()
    if plain or not pager.strip() or not shutil.which(shlex.split(pager)[0]):
        yield sys.stdout
        return
    process = subprocess.Popen(pager, shell=True, stdin=subprocess.PIPE, text=True)
    assert process.stdin is not None
    try:
        yield process.stdin
    finally:
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()
        process.wait()


def forget_output() -> None:
    """Let the interpreter close a standard output whose reader has ended."""
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
