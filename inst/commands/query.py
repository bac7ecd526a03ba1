"""`inst query`: a question in SQL, put to a trace."""

from __future__ import annotations

import argparse
import csv
import json
import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from inst.commands.traces import add_trace, final_status, programs_of
from inst.common.notes import print_notes
from inst.common.progress import Progress
from inst.errors import InstError
from inst.shown import shown
from inst.trace.ending import STRICT_HELP

Rows = Iterator[list[tuple[Any, ...]]]
WIDEST = 60
"""Characters of a column of the printed table at least, before its cells are no more aligned."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `inst query`."""
    from inst.convert.database import MACROS, VIEWS

    lines = [(view.name, view.what.replace("`", "")) for view in VIEWS]
    lines += [(shown, what) for shown, what, _ in MACROS.values()]
    width = max(len(name) for name, _ in lines)
    parser.epilog = "views, and what helps to read their numbers:\n" + "\n".join(
        textwrap.fill(f"  {name:{width}}  {what}", 96, subsequent_indent=" " * (width + 4))
        for name, what in lines
    )
    add = parser.add_argument
    parser.add_argument("sql", metavar="SQL", help="a statement of DuckDB's SQL")
    add_trace(parser, "name functions and source lines")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--csv", action="store_true", help="print comma-separated values")
    form.add_argument("--json", action="store_true", help="print one JSON object a line")
    add("--strict", action="store_true", help=STRICT_HELP)


def run(arguments: argparse.Namespace) -> int:
    """Print the answer; return 2 when the trace or the question is unusable."""
    from inst.convert.database import database, require_library
    from inst.trace import open_trace

    status, trace = 0, None
    try:
        require_library()
        trace = open_trace(arguments.trace, progress=Progress.READS)
        programs = tuple(programs_of(arguments))
        with database(trace, programs, demangle=arguments.demangle) as (link, failure):
            if failure is not None:
                print(failure.render(), file=sys.stderr)
                status = 2
            _print(link, arguments)
    except InstError as error:
        sys.stdout.flush()
        print(error.render(), file=sys.stderr)
        status = 2
    finally:
        if trace is not None:
            trace.close()
    print_notes(trace.notes if trace else ())
    return final_status(status, trace, strict=arguments.strict)


def _print(link: Any, arguments: argparse.Namespace) -> None:
    from inst.convert.database import answer

    names, rows = answer(link, arguments.sql)
    if arguments.json:
        _print_json(names, rows)
    elif arguments.csv:
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(names)
        for some in rows:
            writer.writerows(map(_shown_row, some) if sys.stdout.isatty() else some)
    else:
        _print_table(names, rows)


def _shown_row(row: Sequence[Any]) -> list[Any]:
    """Return a row whose texts command no terminal."""
    return [shown(value) if isinstance(value, str) else value for value in row]


def _print_json(names: list[str], rows: Rows) -> None:
    for some in rows:
        for row in some:
            print(json.dumps(dict(zip(names, row, strict=True)), default=str))


def _print_table(names: list[str], rows: Rows) -> None:
    """Print columns as wide as the first rows need; numbers stand at the right."""
    first = next(rows, [])
    cells = [[_cell(value) for value in row] for row in first]
    widths = [
        min(max([len(name), *(len(row[n]) for row in cells)]), WIDEST)
        for n, name in enumerate(names)
    ]
    right = [
        any(_is_number(row[n]) for row in first)
        and all(row[n] is None or _is_number(row[n]) for row in first)
        for n in range(len(names))
    ]
    _print_lines([names], widths, right)
    _print_lines(cells, widths, right)
    for some in rows:
        _print_lines(([_cell(value) for value in row] for row in some), widths, right)


def _print_lines(lines: Iterable[list[str]], widths: list[int], right: list[bool]) -> None:
    for line in lines:
        parts = [
            cell.rjust(width) if at_right else cell.ljust(width)
            for cell, width, at_right in zip(line, widths, right, strict=True)
        ]
        print("  ".join(parts).rstrip())


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _cell(value: object) -> str:
    """Return a value as text on one line."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.6g}"
    text = str(value)
    return text if text.isprintable() else ascii(text)[1:-1]
