"""`inst convert`: a trace in another format."""

from __future__ import annotations

import argparse
import contextlib
import shutil
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING, BinaryIO, cast

from inst.common.notes import print_notes
from inst.common.progress import Progress
from inst.common.wholefile import refuse_input
from inst.errors import InstError
from inst.program.demangle import add_option
from inst.shown import shown
from inst.trace.ending import IncompleteTraceError

if TYPE_CHECKING:
    from inst.convert import Target
    from inst.filter.output import Output
    from inst.trace.model import Trace
    from inst.trace.writing import Losses


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `inst convert`."""
    from inst.convert import TARGETS

    formats = ", ".join(f"{each.name} ({each.ending}: {each.what})" for each in TARGETS)
    parser.epilog = textwrap.fill(
        f"Formats: {formats}. A further ending .gz, .zst or .xz compresses the output; .rz3 is "
        "RST compressed by rstzip. What the "
        "format cannot hold is reported once for each kind, with a count, on standard error.",
        78,
    )
    add = parser.add_argument
    add(
        "trace",
        metavar="A",
        help="a trace in any format `inst view` reads, or a table; - for stdin",
    )
    add("output", metavar="B", help="the file to write; its ending names the format; - for stdout")
    add("--to", choices=[each.name for each in TARGETS], help="the format, whatever B's ending")
    add("--strict", action="store_true", help="fail, and leave no output, if anything is lost "
        "(exit status 1) or if A is incomplete: cut, killed, stopped ... (3)")  # fmt: skip
    add("--partial", action="store_true", help="keep the records before damage in A")
    add(
        "--program",
        action="append",
        default=[],
        metavar="ELF",
        help="name functions and source lines, for chrome, Parquet and CSV; may be repeated",
    )  # fmt: skip
    add_option(parser)


def run(arguments: argparse.Namespace) -> int:
    """Convert; return 1 or 3 when --strict refuses, 2 when the trace is damaged or unreadable."""
    from inst.convert import BY_NAME, format_of
    from inst.convert.tables import open_input
    from inst.trace.writing import Losses, Refused

    losses = Losses(arguments.strict)
    trace: Trace | None = None
    try:
        if arguments.to is None and arguments.output == "-":
            raise InstError("standard output has no extension", hint="name the format with --to")
        target = BY_NAME[arguments.to] if arguments.to else format_of(arguments.output)
        refuse_input(arguments.output, (arguments.trace, *arguments.program))
        progress = Progress.PRINTS if arguments.output == "-" else Progress.READS
        trace = open_input(arguments.trace, progress)
        status = _convert(trace, target, losses, arguments)
    except Refused as refusal:
        print(refusal.render(), file=sys.stderr)
        return 1
    except IncompleteTraceError as error:
        print(error.render(), file=sys.stderr)
        status = error.exit_status
    except InstError as error:
        print(error.render(), file=sys.stderr)
        status = 2
    finally:
        if trace:
            trace.close()
    print_notes(trace.notes if trace else ())
    return status


def _convert(trace: Trace, target: Target, losses: Losses, arguments: argparse.Namespace) -> int:
    from inst.convert import convert
    from inst.filter.output import Output
    from inst.trace.writing import Job, Refused

    output = Output(arguments.output)
    status = 0
    try:
        output.require(target.name)
        with _stream(output, arguments) as stream:
            try:
                programs = tuple(arguments.program)
                job = Job(trace, stream, losses, programs, arguments.demangle)
                convert(job, target)
            except Refused:
                raise
            except InstError as error:
                if not arguments.partial:
                    raise
                print(error.render(), file=sys.stderr)
                status = 2
            _require_whole(trace, strict=arguments.strict and not status)
        output.keep()
    finally:
        output.discard()
    for what, count in losses.counts.items():
        print(f"inst: not in {target.name}: {shown(what)} ({count})", file=sys.stderr)
    return status


def _require_whole(trace: Trace, *, strict: bool) -> None:
    if strict and trace.incomplete:
        raise IncompleteTraceError(
            f"{trace.name} is incomplete (see the notes above)",
            hint="without --strict what it holds is converted",
        )


@contextlib.contextmanager
def _stream(output: Output, arguments: argparse.Namespace) -> Iterator[BinaryIO]:
    """Yield the stream to write to.

    Output to a pipe or a device cannot be undone: with --strict it first goes to a file.
    """
    if not (output.direct and arguments.strict):
        yield cast(BinaryIO, output)
        return
    with tempfile.TemporaryFile() as held:
        yield cast(BinaryIO, held)
        held.seek(0)
        shutil.copyfileobj(held, output)
