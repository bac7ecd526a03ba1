"""What the commands that read a trace have alike: its arguments, its exit status."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from inst.program.demangle import add_option
from inst.trace.ending import INCOMPLETE

if TYPE_CHECKING:
    from inst.trace.model import Trace

FORMATS = "a trace of any format, also compressed with gzip, zstd or xz"


def add_trace(
    parser: argparse.ArgumentParser, programs: str, trace: str = f"{FORMATS}; - for stdin"
) -> None:
    """Add a trace and the programs that ran; `programs` is what they are for."""
    add = parser.add_argument
    add("trace", metavar="FILE", help=trace)
    add("elf", nargs="*", default=[], metavar="PROGRAM", help="the same as --program PROGRAM")
    add(
        "--program",
        action="append",
        default=[],
        metavar="ELF",
        help=f"{programs}; may be repeated",
    )
    add_option(parser)


def programs_of(arguments: argparse.Namespace) -> list[str]:
    """Return the programs that were named either way."""
    return [*arguments.elf, *arguments.program]


def final_status(status: int, trace: Trace | None, *, strict: bool) -> int:
    """Return the exit status: INCOMPLETE for a trace that is otherwise all right, if asked for."""
    incomplete = strict and trace is not None and trace.incomplete
    return status or (INCOMPLETE if incomplete else 0)
