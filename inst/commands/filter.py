"""`inst filter`: a trace through a pipeline of filters."""

from __future__ import annotations

import argparse
import sys

from inst.common.notes import print_notes
from inst.errors import InstError
from inst.shown import shown
from inst.trace.ending import INCOMPLETE, STRICT_HELP


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `inst filter`."""
    add = parser.add_argument
    add("pipeline", nargs="?", metavar="PIPELINE", help="filters with | between; '' copies")
    add("files", nargs="*", metavar="FILE", help="inputs, then the output; - is stdin or stdout")
    add("--list", action="store_true", help="describe every filter, with examples")
    add(
        "--program",
        action="append",
        default=[],
        metavar="ELF",
        help="for source, function and fill-symbols; may be repeated",
    )
    add("--arch", default="", metavar="NAME", help="instruction set, where the trace names none")
    add("--strict", action="store_true", help=STRICT_HELP)
    add(
        "--salvage",
        action="store_true",
        help="keep the records before damage in an input (the status is still 2)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Filter; return 2 for a pipeline or an input that cannot be used, 3 with --strict for an
    incomplete input."""
    from inst.filter import pipeline, table

    if arguments.list:
        print(table.listing())
        return 0
    try:
        done = pipeline.run(_request(arguments))
    except InstError as error:
        print(error.render(), file=sys.stderr)
        return 2
    print_notes(map(shown, done.notes))
    return INCOMPLETE if done.incomplete and arguments.strict else 0


def _request(arguments: argparse.Namespace):  # type: ignore[no-untyped-def]
    from inst.filter.language import UsageError
    from inst.filter.pipeline import Request

    if arguments.pipeline is None:
        raise UsageError("no pipeline", hint="inst filter 'only load,store | head 100' IN OUT")
    files = arguments.files or ["-"]
    output = files.pop() if len(files) > 1 else "-"
    return Request(
        arguments.pipeline, files, output, arguments.program, arguments.arch, arguments.salvage
    )
