"""`inst view`: a trace as text, one record a line."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import IO, TYPE_CHECKING

import numpy as np

from inst.errors import InstError
from inst.trace.rows import STYLES, Block, blocks
from inst.trace.selection import (
    Count,
    Range,
    Selection,
    Selector,
    SourceLines,
    check_types,
)

if TYPE_CHECKING:
    from inst.trace.model import Array, Trace
    from inst.trace.program import Locator

COLOURS = {
    "instr": "", "mem-read": "", "mem-write": "", "load": "", "store": "", "instruction": "",
    "strdesc": "\033[32m", "trap": "\033[31m", "status": "\033[33m",
}  # fmt: skip
DIM, PLAIN = "\033[2m", "\033[0m"

COUNTED = 1 << 12
"""Kinds of records that are told apart: s-expressions may have any."""

Writer = Callable[[Block, "Array"], list[str]]


def parse_range(text: str) -> Range:
    """Read `a` or `a,b`, hexadecimal with or without 0x."""
    first, comma, last = text.partition(",")
    try:
        start = int(first, 16)
        return Range(start, int(last, 16) if comma else start)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not ADDRESS or FIRST,LAST in hex") from None


def parse_count(text: str) -> Count:
    """Read `N` or `Ni`."""
    digits = text.removesuffix("i")
    if not digits.isdigit():
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a number of records, or of instructions as 20i"
        )
    return Count(int(digits), text != digits)


def parse_numbers(text: str) -> tuple[Range, ...]:
    """Read `m,n-q`: decimal numbers and closed ranges."""
    ranges = []
    for part in text.split(","):
        first, dash, last = part.partition("-")
        if not first.isdigit() or (dash and not last.isdigit()):
            raise argparse.ArgumentTypeError(f"{text!r} is not a list like 0,2-5")
        ranges.append(Range(int(first), int(last or first)))
    return tuple(ranges)


def parse_source(text: str) -> SourceLines:
    """Read `FILE`, `FILE:LINE` or `FILE:FIRST-LAST`; FILE may be a pattern."""
    file, colon, lines = text.rpartition(":")
    first, dash, last = lines.partition("-")
    if not colon or not first.isdecimal():
        return SourceLines(text, None)
    if dash and not last.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not FILE, FILE:LINE or FILE:FIRST-LAST")
    return SourceLines(file, Range(int(first), int(last or first)))


def parse_names(text: str) -> tuple[str, ...]:
    """Read `name,name`."""
    return tuple(text.lower().split(","))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `inst view`."""
    add = parser.add_argument
    add("trace", metavar="FILE", help="trace of any format, also gzip, zstd, xz; - for stdin")
    add("elf", nargs="*", default=[], metavar="PROGRAM", help="the same as --program PROGRAM")
    add(
        "--program",
        action="append",
        default=[],
        metavar="ELF",
        help="add function, source line and original instruction; may be repeated",
    )
    add(
        "-n",
        dest="number",
        type=parse_count,
        metavar="N[i]",
        help="print at most N records (Ni: N instructions)",
    )
    add(
        "-s",
        "--skip",
        type=parse_count,
        default=Count(0, False),
        metavar="N[i]",
        help="leave out the first N records (Ni: N instructions)",
    )
    add("--pc", type=parse_range, metavar="A[,B]", help="only records with a pc in the range (hex)")
    add(
        "--ea",
        type=parse_range,
        metavar="A[,B]",
        help="only records that access an address in the range (hex)",
    )
    add("--thread", type=parse_numbers, metavar="M,N-Q", help="only these threads")
    add("--cpu", type=parse_numbers, metavar="M,N-Q", help="only these cpus")
    add("--type", type=parse_names, metavar="A,B", help="only records of these types (see -c)")
    add(
        "--source",
        type=parse_source,
        metavar="FILE[:A[-B]]",
        help="only what comes from this source file, or these lines of it; FILE may have *",
    )
    add("-i", "--instructions", action="store_true", help="only instructions")
    add("-c", "--counts", action="store_true", help="print only how many records of each kind")
    add(
        "--as",
        dest="style",
        choices=STYLES,
        default="",
        help="show events as RST lines, s-expressions, STF lines or a table "
        "(default: records as their own format shows them)",
    )
    add(
        "--color",
        choices=("auto", "always", "never"),
        default="auto",
        help="colours (auto: on a terminal, unless NO_COLOR is set)",
    )
    add("--no-disassembly", action="store_true", help="print instruction words as numbers")
    add("--json", action="store_true", help="print one JSON object a line")
    add("--no-pager", action="store_true", help="write straight to the terminal")  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    """View a trace; return 2 when it is damaged or unreadable, after printing what is whole."""
    from inst.trace import open_trace

    status = 0
    trace: Trace | None = None
    _check(arguments)
    with _output(arguments) as output:
        try:
            trace = open_trace(arguments.trace)
            _view(trace, arguments, output)
        except BrokenPipeError:
            _forget_output()
        except InstError as error:
            status = 2
            output.flush()
            print(error.render(), file=sys.stderr)
    for note in trace.notes if trace else ():
        print(f"inst: note: {note}", file=sys.stderr)
    return status


def _check(arguments: argparse.Namespace) -> None:
    """Refuse what no record can answer, before a pager starts."""
    try:
        check_types(arguments.type or ())
    except InstError as error:
        error.exit_status = 2  # type: ignore[attr-defined]
        raise


def _view(trace: Trace, arguments: argparse.Namespace, output: IO[str]) -> None:
    from inst.trace.program import Locator

    programs = [*arguments.elf, *arguments.program]
    if arguments.source and not programs and trace.format != "sexp":
        raise InstError(
            "records of this trace name no source file", hint="name the program: --program ELF"
        )
    locator = Locator(programs, trace) if programs else None
    selector = Selector(_selection(arguments), locator)
    chosen = _chosen(trace, arguments, selector)
    if arguments.counts:
        _print_counts(chosen, arguments, output)
    else:
        _print_rows(chosen, locator, arguments, output)


def _selection(arguments: argparse.Namespace) -> Selection:
    return Selection(
        arguments.pc,
        arguments.ea,
        arguments.cpu or (),
        arguments.thread or (),
        arguments.type or (),
        arguments.source,
        arguments.instructions,
        arguments.skip,
        arguments.number,
    )


def _chosen(
    trace: Trace, arguments: argparse.Namespace, selector: Selector
) -> Iterator[tuple[Block, Array]]:
    """Yield blocks and which of their rows the options ask for, until there are enough."""
    if selector.done:
        return
    disassembly = not (arguments.no_disassembly or arguments.counts)
    for block in blocks(trace, style=arguments.style, disassembly=disassembly):
        rows = selector.choose(block)
        if len(rows):
            yield block, rows
        if selector.done:
            return


def _print_counts(
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
                print(f"{count:12} {name}", file=output)
            print(f"{sum(counts.values()):12} total", file=output)


def _print_rows(
    chosen: Iterator[tuple[Block, Array]],
    locator: Locator | None,
    arguments: argparse.Namespace,
    output: IO[str],
) -> None:
    if arguments.style == "table" and not arguments.json:
        from inst.trace.event_text import TABLE_HEAD

        output.write(f"record {TABLE_HEAD}\n")
    for block, rows in chosen:
        if arguments.json:
            output.writelines(_json_lines(block, rows, locator))
        else:
            places = _places(block, rows, locator)
            lines = _lines(block, rows, places, _coloured(arguments), arguments.style)
            output.write("".join(lines))
    output.flush()


def _lines(block: Block, rows: Array, places: list[str], coloured: bool, style: str) -> list[str]:
    """Return the rows as lines: number, name, text and place."""
    heads = [f"{name:<11}" if style == "table" else f"{name:<8}: " for name in block.names]
    if coloured:
        heads = [
            COLOURS.get(name, DIM) + head for name, head in zip(block.names, heads, strict=True)
        ]
        places = [f"{PLAIN}{DIM}{place}{PLAIN}" if place else PLAIN for place in places]
    numbers, kinds = block.records[rows].tolist(), block.kinds[rows].tolist()
    return [
        f"{number:6} {heads[kind]}{text}{place}\n"
        for number, kind, text, place in zip(numbers, kinds, block.texts(rows), places, strict=True)
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
def _output(arguments: argparse.Namespace) -> Iterator[IO[str]]:
    """Give standard output, through a pager when it is a terminal."""
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


def _forget_output() -> None:
    """Let the interpreter close a standard output whose reader has gone."""
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
