"""What `inst report` and `inst graph` share: reading a trace for its calls, and their options."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from inst.commands.traces import add_trace, final_status, programs_of
from inst.common.notes import print_notes
from inst.common.progress import Progress
from inst.errors import InstError
from inst.trace.ending import STRICT_HELP

if TYPE_CHECKING:
    from inst.calltree.profile import Profile
    from inst.trace.model import Trace


def add_trace_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the trace, its programs, and how they are read."""
    add = parser.add_argument
    add_trace(parser, "name functions, and follow their code where only accesses are known")
    add("--strict", action="store_true", help=STRICT_HELP)


def read_profile(arguments: argparse.Namespace) -> tuple[int, Profile | None, Trace | None]:
    """Return an exit status and what was done in which calls; None if nothing could be read.

    Damage in the trace is reported, and what is before it is counted.
    """
    from inst.calltree.calls import Calls
    from inst.calltree.profile import Profile
    from inst.trace import open_trace

    try:
        trace = open_trace(arguments.trace, progress=Progress.READS)
        programs = programs_of(arguments)
        profile = Profile(Calls(trace, programs, demangle=arguments.demangle))
    except InstError as error:
        print(error.render(), file=sys.stderr)
        return 2, None, None
    status = 0
    try:
        for rows in trace.events():
            if len(rows):
                profile.take(rows)
    except InstError as error:
        print(error.render(), file=sys.stderr)
        status = 2
    finally:
        trace.close()
    return status, profile, trace


def end(status: int, profile: Profile, trace: Trace, *, strict: bool) -> int:
    """Report what is not known about the trace and its calls; return the exit status."""
    note = profile.calls.note()
    print_notes((*trace.notes, *([note] if note else [])))
    locator = profile.calls.locator
    status = (locator.report() if locator else 0) or status
    return final_status(status, trace, strict=strict)
