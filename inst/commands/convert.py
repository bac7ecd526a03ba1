"""`inst convert`: a trace in another format."""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import sys
import tempfile
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from inst.common.wholefile import refuse_input
from inst.errors import InstError
from inst.program.demangle import add_option
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
        f"Formats: {formats}. A further ending .gz, .zst or .xz compresses the output. What the "
        "format cannot carry is said once for each kind, with a count, on standard error.",
        78,
    )
    add = parser.add_argument
    add("trace", metavar="A", help="a trace in any format `inst view` reads; - for stdin")
    add("output", metavar="B", help="the file to write; its ending names the format; - for stdout")
    add("--to", choices=[each.name for each in TARGETS], help="the format, whatever B's ending")
    add("--strict", action="store_true", help="fail, and leave no output, if anything is lost "
        "(exit status 1) or if A is incomplete: cut, killed, stopped ... (3)")  # fmt: skip
    add("--partial", action="store_true", help="keep what stands before damage in A")
    add(
        "--program",
        action="append",
        default=[],
        metavar="ELF",
        help="name functions, for chrome; may be repeated",
    )  # fmt: skip
    add_option(parser)


def run(arguments: argparse.Namespace) -> int:
    """Convert; return 1 or 3 when --strict refuses, 2 when the trace is damaged or unreadable."""
    from inst.convert import BY_NAME, format_of
    from inst.trace import open_trace
    from inst.trace.writing import Losses, Refused

    losses = Losses(arguments.strict)
    trace: Trace | None = None
    source: Source | None = None
    try:
        if arguments.to is None and arguments.output == "-":
            raise InstError("standard output has no ending", hint="name the format with --to")
        target = BY_NAME[arguments.to] if arguments.to else format_of(arguments.output)
        refuse_input(arguments.output, (arguments.trace, *arguments.program))
        source = _source(arguments.trace)
        if source:
            trace = open_trace(cast(BinaryIO, source), name=arguments.trace)
        else:
            trace = open_trace(arguments.trace)
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
        if source:
            source.close()
    for note in trace.notes if trace else ():
        print(f"inst: note: {note}", file=sys.stderr)
    return status


def _convert(trace: Trace, target: Target, losses: Losses, arguments: argparse.Namespace) -> int:
    from inst.convert import convert
    from inst.filter.output import Output
    from inst.trace.writing import Job, Refused

    output = Output(arguments.output)
    status = 0
    try:
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
        print(f"inst: not in {target.name}: {what} ({count})", file=sys.stderr)
    return status


def _require_whole(trace: Trace, *, strict: bool) -> None:
    if strict and trace.incomplete:
        raise IncompleteTraceError(
            f"{trace.name} is incomplete, as its notes say",
            hint="without --strict what it holds is converted",
        )


@contextlib.contextmanager
def _stream(output: Output, arguments: argparse.Namespace) -> Iterator[BinaryIO]:
    """Yield the stream to write to: output to a pipe or a device could not be withdrawn.

    With --strict it is held in a file until all has succeeded.
    """
    if not (output.direct and arguments.strict):
        yield cast(BinaryIO, output)
        return
    with tempfile.TemporaryFile() as held:
        yield cast(BinaryIO, held)
        held.seek(0)
        shutil.copyfileobj(held, output)


def _source(name: str) -> Source | None:
    """Open a file; None for what is not a file, which opening the trace reports."""
    path = Path(name)
    try:
        return Source(path) if name != "-" and path.is_file() else None
    except OSError as error:
        raise InstError(f"cannot open the trace {name}: {error.strerror}") from error


class Source:
    """A file that shows on a terminal how much of it was read, four times a second."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("rb", buffering=0)
        self._size = os.fstat(self._file.fileno()).st_size
        self._read = 0
        self._talks = sys.stderr.isatty()
        self._said = time.monotonic()

    def read(self, count: int) -> bytes:
        """Return the next bytes, as a file does."""
        data = self._file.read(count)
        self._read += len(data)
        if self._talks and time.monotonic() - self._said >= 0.25:
            self._said = time.monotonic()
            share = 100 * self._read // max(self._size, 1)
            sys.stderr.write(f"\r{share:3} % of {self._size >> 20} MiB read")
            sys.stderr.flush()
        return data

    def close(self) -> None:
        """Close the file and clear the line."""
        self._file.close()
        if self._talks:
            sys.stderr.write("\r\033[K")
