"""`inst graph`: which functions call which, as text, as a graph, or as a flame graph."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path, PurePath

from inst.commands.profile import add_trace_arguments, end, read_profile
from inst.commands.traces import programs_of
from inst.common.wholefile import refuse_input, whole_file
from inst.errors import InstError

FORMS = ("tree", "dot", "collapsed", "svg")
WEIGHTS = ("accesses", "bytes", "calls")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `inst graph`."""
    add_trace_arguments(parser)
    add = parser.add_argument
    add(
        "--as",
        dest="form",
        choices=FORMS,
        default="tree",
        help="tree: a line for each chain of callers (the default); dot: the call graph for "
        "Graphviz; collapsed: stacks for flame graph tools; svg: a flame graph",
    )
    add("--weight", choices=WEIGHTS, default="accesses", help="what is counted (accesses)")
    add("-o", "--output", metavar="FILE", help="write to FILE instead of standard output")


def run(arguments: argparse.Namespace) -> int:
    """Print the graph; return 2 when the trace is damaged or unreadable."""
    if arguments.output:
        try:
            inputs = (arguments.trace, *programs_of(arguments))
            refuse_input(arguments.output, inputs)
        except InstError as error:
            print(error.render(), file=sys.stderr)
            return 2
    status, profile, trace = read_profile(arguments)
    if profile is None or trace is None:
        return status
    from inst.calltree.drawing import FORMS as DRAWN
    from inst.shown import shown

    title = f"Calls in {PurePath(trace.name).name}"
    lines = [shown(line) for line in DRAWN[arguments.form](profile, arguments.weight, title)]
    if arguments.output and not _written(Path(arguments.output), lines):
        return 2
    if not arguments.output:
        print("\n".join(lines))
    return end(status, profile, trace, strict=arguments.strict)


def _written(path: Path, lines: list[str]) -> bool:
    """Write the file whole or not at all; return whether it is there."""
    try:
        with whole_file(path) as stream:
            stream.write("".join(f"{line}\n" for line in lines).encode())
    except OSError as error:
        print(InstError(f"cannot write {path}: {error.strerror}").render(), file=sys.stderr)
        return False
    return True
