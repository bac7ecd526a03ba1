"""`inst view`: a trace as text, one record a line."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

from inst.errors import InstError

if TYPE_CHECKING:
    from inst.trace.model import Trace
    from inst.trace.program import Locator
    from inst.trace.rows import Row

BATCH = 512
"""Lines written at once."""

COLOURS = {"instr": "", "strdesc": "\033[32m", "trap": "\033[31m", "status": "\033[33m"}
DIM, PLAIN = "\033[2m", "\033[0m"


@dataclass(frozen=True, slots=True)
class Range:
    """A closed range of addresses; one value is a range of one."""

    first: int
    last: int

    def holds(self, value: int | None) -> bool:
        return value is not None and self.first <= value <= self.last


@dataclass(frozen=True, slots=True)
class Count:
    """A number of records, or of instructions (`100i`)."""

    number: int
    instructions: bool


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
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of records or, as 20i, ...")
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


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `inst view`."""
    add = parser.add_argument
    add("trace", metavar="FILE", help="RST or s-expression trace, also gzip, zstd, xz; - for stdin")
    add("elf", nargs="*", metavar="PROGRAM", help="the same as --program PROGRAM")
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
    add("-i", "--instructions", action="store_true", help="only instructions")
    add("-c", "--counts", action="store_true", help="print only how many records of each kind")
    add("--no-disassembly", action="store_true", help="print instruction words as numbers")
    add("--json", action="store_true", help="print one JSON object a line")
    add("--no-pager", action="store_true", help="write straight to the terminal")  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    """View a trace; return 2 when it is damaged or unreadable, after printing what is whole."""
    from inst.trace import open_trace
    from inst.trace.program import Locator
    from inst.trace.rows import rows

    status = 0
    trace: Trace | None = None
    with _output(arguments) as output:
        try:
            trace = open_trace(arguments.trace)
            programs = [*arguments.elf, *arguments.program]
            locator = Locator(programs, trace) if programs else None
            selected = select(rows(trace, disassembly=not arguments.no_disassembly), arguments)
            if arguments.counts:
                _print_counts(selected, arguments, output)
            else:
                _print_rows(selected, locator, arguments, output)
        except BrokenPipeError:
            _forget_output()
        except InstError as error:
            status = 2
            print(error.render(), file=sys.stderr)
    for note in trace.notes if trace else ():
        print(f"inst: note: {note}", file=sys.stderr)
    return status


def select(rows: Iterable[Row], arguments: argparse.Namespace) -> Iterator[Row]:
    """Yield the rows that the options ask for."""
    chosen = (row for row in rows if _wanted(row, arguments))
    skip: Count = arguments.skip
    limit: Count | None = arguments.number
    skipped = taken = 0
    for row in chosen:
        if skipped < skip.number:
            skipped += row.instruction or not skip.instructions
            continue
        if limit is not None:
            if taken >= limit.number:
                return
            taken += row.instruction or not limit.instructions
        yield row
        if limit is not None and taken >= limit.number:
            return


def _wanted(row: Row, arguments: argparse.Namespace) -> bool:
    if arguments.instructions and not row.instruction:
        return False
    if arguments.pc and not arguments.pc.holds(row.pc):
        return False
    if arguments.ea and not arguments.ea.holds(row.address):
        return False
    if arguments.cpu and not any(each.holds(row.cpu) for each in arguments.cpu):
        return False
    return not arguments.thread or any(each.holds(row.thread) for each in arguments.thread)


def _print_counts(rows: Iterable[Row], arguments: argparse.Namespace, output: IO[str]) -> None:
    counts: dict[str, int] = {}
    try:
        for row in rows:
            counts[row.name] = counts.get(row.name, 0) + 1
    finally:  # what was read before damage counts
        ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        if arguments.json:
            print(json.dumps(dict(ordered)), file=output)
        else:
            for name, count in ordered:
                print(f"{count:12} {name}", file=output)
            print(f"{sum(counts.values()):12} total", file=output)


def _print_rows(
    rows: Iterable[Row], locator: Locator | None, arguments: argparse.Namespace, output: IO[str]
) -> None:
    colour = output.isatty() or (sys.stdout.isatty() and output is not sys.stdout)
    write = _json_line if arguments.json else _coloured_line if colour else _line
    lines = (write(row, locator) for row in rows)
    waiting: list[str] = []
    try:
        for line in lines:
            waiting.append(line)
            if len(waiting) >= BATCH:
                output.write("".join(waiting))
                waiting.clear()
    finally:  # records before damage are delivered
        output.write("".join(waiting))
        output.flush()


def _line(row: Row, locator: Locator | None) -> str:
    return f"{row.record:6} {row.name:<8}: {row.text}{_place(row, locator)}\n"


def _coloured_line(row: Row, locator: Locator | None) -> str:
    colour = COLOURS.get(row.name, DIM)
    place = _place(row, locator)
    return f"{row.record:6} {colour}{row.name:<8}: {row.text}{PLAIN}{DIM}{place}{PLAIN}\n"


def _place(row: Row, locator: Locator | None) -> str:
    place = locator(row.pc) if locator and row.pc is not None else None
    if place is None:
        return ""
    text = f" | {place.text.strip()}" if place.text else ""
    return f"  ; {place}{text}"


def _json_line(row: Row, locator: Locator | None) -> str:
    value = {"record": row.record, "type": row.name, **row.fields(), "text": row.text}
    if row.thread is not None:
        value["thread"] = row.thread
    place = locator(row.pc) if locator and row.pc is not None else None
    if place is not None:
        value |= {
            "function": place.function,
            "offset": place.offset,
            "file": place.file,
            "line": place.line,
            "original": place.text,
        }
    return json.dumps(value) + "\n"


@contextlib.contextmanager
def _output(arguments: argparse.Namespace) -> Iterator[IO[str]]:
    """Give standard output, through a pager when it is a terminal."""
    pager = os.environ.get("PAGER", "less -FRX")
    if arguments.no_pager or arguments.json or not sys.stdout.isatty() or not pager:
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
