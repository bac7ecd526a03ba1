"""`inst view`: a trace as text, one record a line."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import IO, TYPE_CHECKING

from inst.commands.selection import (
    Count,
    Range,
    Selection,
    Selector,
    SourceLines,
    check_types,
)
from inst.commands.traces import add_trace, final_status, programs_of
from inst.commands.view_functions import within
from inst.commands.view_output import forget_output, opened_output, print_counts, print_rows
from inst.commands.view_window import CONTEXT_LIMIT, Window
from inst.common.notes import print_notes
from inst.common.progress import Progress
from inst.errors import InstError
from inst.trace.ending import STRICT_HELP
from inst.trace.event_text import STYLES, blocks
from inst.trace.registry import codec_of
from inst.trace.rows import Block

if TYPE_CHECKING:
    from inst.program.program import Locator
    from inst.trace.model import Array, Trace


def parse_range(text: str) -> Range:
    """Read `a` or `a,b`, hexadecimal with or without 0x."""
    first, comma, last = text.partition(",")
    try:
        ends = int(first, 16), int(last if comma else first, 16)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not ADDRESS or FIRST,LAST in hex") from None
    if not all(0 <= end < 1 << 64 for end in ends):
        raise argparse.ArgumentTypeError(f"{text!r} is not in the 64 bits of an address")
    return Range(*ends)


def parse_count(text: str) -> Count:
    """Read `N` or `Ni`."""
    digits = text.removesuffix("i")
    if not digits.isdecimal():
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a number of records, or of instructions as 20i"
        )
    return Count(int(digits), text != digits)


def parse_record(text: str) -> int:
    """Read the number of a record."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not the number of a record, from 0")
    return int(text)


def parse_context(text: str) -> int:
    """Read a number of rows."""
    if not text.isdecimal() or int(text) > CONTEXT_LIMIT:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of rows up to {CONTEXT_LIMIT}")
    return int(text)


def parse_numbers(text: str) -> tuple[Range, ...]:
    """Read `m,n-q`: decimal numbers and closed ranges."""
    ranges = []
    for part in text.split(","):
        first, dash, last = part.partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()):
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
    add_trace(parser, "add function, source line and original instruction")
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
        help="leave out the first N records (Ni: N instructions); without a selection, those whose "
        "number is below N",
    )
    add(
        "--record",
        type=parse_record,
        metavar="N",
        help="only the record of this number, as findings name it, and rows around it",
    )
    add(
        "--context",
        type=parse_context,
        default=3,
        metavar="N",
        help="rows before and after the one of --record (default 3)",
    )
    add_selecting(parser)
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
    add("--strict", action="store_true", help=STRICT_HELP)
    add("--json", action="store_true", help="print one JSON object a line")
    add("--no-pager", action="store_true", help="write straight to the terminal")  # fmt: skip


def add_selecting(parser: argparse.ArgumentParser) -> None:
    """Add the options that select records by what they hold."""
    add = parser.add_argument
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
    add(
        "--function",
        action="append",
        default=[],
        metavar="NAME",
        help="only what happened in functions of this name, which may have *; may be repeated",
    )
    add("--below", action="store_true", help="with --function: also in what they called")
    add("-i", "--instructions", action="store_true", help="only instructions")


def run(arguments: argparse.Namespace) -> int:
    """View a trace; return 2 if it is damaged or unreadable, after printing what is intact."""
    from inst.trace import open_trace

    status = 0
    locator: Locator | None = None
    trace: Trace | None = None
    check_selecting(arguments)
    with opened_output(arguments) as output:
        try:
            trace = open_trace(arguments.trace, progress=Progress.PRINTS)
            locator = _locator(trace, arguments)
            _view(trace, locator, arguments, output)
        except BrokenPipeError:
            forget_output()
        except InstError as error:
            status = 2
            output.flush()
            print(error.render(), file=sys.stderr)
        finally:
            if trace is not None:
                trace.close()
    print_notes(trace.notes if trace else ())
    status = (locator.report() if locator else 0) or status
    return final_status(status, trace, strict=arguments.strict)


def check_selecting(arguments: argparse.Namespace) -> None:
    """Refuse selections that no record can match, before a pager starts."""
    try:
        check_types(arguments.type or ())
        if arguments.below and not arguments.function:
            raise InstError(
                "--below selects nothing by itself", hint="--function NAME goes with it"
            )
        if arguments.record is not None and (arguments.number or arguments.skip.number):
            raise InstError("--record shows one record: -n and -s do not go with it",
                            hint="--context N shows N rows before and after it")  # fmt: skip
    except InstError as error:
        error.exit_status = 2
        raise


def _locator(trace: Trace, arguments: argparse.Namespace) -> Locator | None:
    """Open the programs; damaged ones are an error only if records are selected by them."""
    from inst.program.program import Locator

    programs = programs_of(arguments)
    if arguments.source and not programs and not codec_of(trace).names_sources:
        raise InstError(
            "records of this trace name no source file", hint="name the program: --program ELF"
        )
    return (
        Locator(programs, trace, lenient=not arguments.source, demangle=arguments.demangle)
        if programs
        else None
    )


def _view(
    trace: Trace, locator: Locator | None, arguments: argparse.Namespace, output: IO[str]
) -> None:
    selector = Selector(selection_of(arguments), locator)
    chosen = _chosen(trace, arguments, selector)
    window = None
    if arguments.record is not None:
        window = Window(arguments.record, arguments.context)
        chosen = window.around(chosen, trace)
    if arguments.counts:
        print_counts(chosen, arguments, output)
    else:
        print_rows(chosen, locator, arguments, output, window)


def selection_of(arguments: argparse.Namespace) -> Selection:
    """Return what the options select."""
    return Selection(
        arguments.pc,
        arguments.ea,
        arguments.cpu or (),
        arguments.thread or (),
        arguments.type or (),
        arguments.source,
        within(arguments) if arguments.function else None,
        arguments.instructions,
        arguments.skip,
        arguments.number,
    )


def _chosen(
    trace: Trace, arguments: argparse.Namespace, selector: Selector
) -> Iterator[tuple[Block, Array]]:
    """Yield blocks and which of their rows the options select, until there are enough."""
    if selector.done:
        return
    disassembly = not (arguments.no_disassembly or arguments.counts)
    for block in blocks(trace, style=arguments.style, disassembly=disassembly):
        rows = selector.choose(block)
        if len(rows):
            yield block, rows
        if selector.done:
            return
