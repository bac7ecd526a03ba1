"""`inst diff`: the differences between two traces; exit status as diff's."""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
import textwrap
from collections.abc import Iterator

from inst.common.notes import print_notes
from inst.common.progress import Progress
from inst.common.usage import nearest
from inst.diff.align import WINDOW, Difference
from inst.diff.ignore import IGNORE
from inst.errors import InstError
from inst.shown import shown
from inst.trace.compare import Block, Ignored
from inst.trace.ending import INCOMPLETE, STRICT_HELP
from inst.trace.model import Trace
from inst.trace.registry import codec_of


def parse_ignored(text: str) -> frozenset[str]:
    """Read a comma list of what to ignore."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in IGNORE:
            close = nearest(name, IGNORE, 0.5)
            hint = f"did you mean {close!r}?" if close else f"known are {', '.join(IGNORE)}"
            raise argparse.ArgumentTypeError(f"{name!r} cannot be ignored; {hint}")
    return frozenset(names)


def parse_limit(text: str) -> int:
    """Read a number of at least 1."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of at least 1")
    return int(text)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `inst diff`."""
    width = max(map(len, IGNORE))
    parser.epilog = "what can be ignored:\n" + "\n".join(
        textwrap.fill(f"  {name:{width}}  {what}", 96, subsequent_indent=" " * (width + 4))
        for name, what in IGNORE.items()
    )
    add = parser.add_argument
    add("old", metavar="A", help="a trace, compressed or not; - for stdin")
    add("new", metavar="B", help="the trace to compare with it")
    add(
        "--ignore",
        action="append",
        default=[],
        type=parse_ignored,
        metavar="WHAT[,...]",
        help="treat these as equal; see below",
    )
    add("--events", action="store_true", help="compare what happened: works across formats")
    add("-q", "--quiet", action="store_true", help="report only whether they differ")
    add("--strict", action="store_true", help=STRICT_HELP)
    add("--json", action="store_true", help="print one JSON object a line")
    add("--limit", type=parse_limit, metavar="N", help="stop after N differences")
    add(
        "--window",
        type=parse_limit,
        default=WINDOW,
        metavar="N",
        help=f"records looked ahead to find the traces equal again (default {WINDOW})",
    )


def run(arguments: argparse.Namespace) -> int:
    """Compare; return 0 when the traces are the same, 1 when not, 2 when one is unusable.

    With --strict, 3 when they are the same and one is incomplete.
    """
    try:
        with contextlib.ExitStack() as files:
            return _compare(arguments, files)
    except InstError as error:
        sys.stdout.flush()
        print(error.render(), file=sys.stderr)
        return 2


def _compare(arguments: argparse.Namespace, files: contextlib.ExitStack) -> int:
    from inst.diff.align import Side, differences

    if arguments.old == arguments.new == "-":
        raise InstError("standard input cannot be both traces")
    names = frozenset(name for names in arguments.ignore for name in names)
    paths, places = [arguments.old, arguments.new], None
    if "addresses" in names and "all-addresses" not in names:
        from inst.diff.twice import kept_input, places_of

        paths = [kept_input(path, files) for path in paths]
        places = places_of(paths[0], paths[1])
    traces = _opened(paths, arguments, files)
    if traces[0].format != traces[1].format and not arguments.events:
        formats = " and ".join(trace.format for trace in traces)
        raise InstError(
            f"the traces have different formats: {formats}",
            hint="--events compares the accesses both have",
        )
    ignored = [Ignored(names, side) for side in places or (None, None)]
    if arguments.quiet and not arguments.json:
        arguments.limit = 1
    sides = [Side(_blocks(traces, n, ignored[n], arguments.events)) for n in range(2)]
    found = differences(sides[0], sides[1], arguments.window)
    status = _report(found, traces, arguments)
    sys.stdout.flush()
    print_notes(f"{shown(trace.name)}: {note}" for trace in traces for note in trace.notes)
    incomplete = any(trace.incomplete for trace in traces)
    return status or (INCOMPLETE if incomplete and arguments.strict else 0)


def _opened(
    paths: list[str], arguments: argparse.Namespace, files: contextlib.ExitStack
) -> tuple[Trace, Trace]:
    """Open both traces; a copy of a pipe has the name of the pipe."""
    from inst.filter.inputs import open_input

    old, new = (open_input(path, files, Progress.PRINTS) for path in paths)
    for trace, path, given in zip((old, new), paths, (arguments.old, arguments.new), strict=True):
        if path != given:
            trace.name = "<stdin>" if given == "-" else given
    return old, new


def _blocks(
    traces: tuple[Trace, Trace], number: int, ignored: Ignored, events: bool
) -> Iterator[Block]:
    trace = traces[number]
    if events:
        from inst.diff.rows import event_blocks

        return event_blocks(trace, ignored, shared=traces[0].format != traces[1].format)
    return codec_of(trace).compared(trace, ignored)


def _report(
    found: Iterator[Difference], traces: tuple[Trace, Trace], arguments: argparse.Namespace
) -> int:
    from inst.diff import report

    old, new = (report.describer(trace, events=arguments.events) for trace in traces)
    count = deleted = inserted = 0
    try:
        for difference in found:
            count += 1
            deleted, inserted = deleted + difference.old.count, inserted + difference.new.count
            if not arguments.quiet:
                if arguments.json:
                    sys.stdout.write(report.as_json(difference, old, new))
                else:
                    if count == 1:
                        sys.stdout.write(report.header(traces[0].name, traces[1].name))
                    sys.stdout.write(report.as_text(difference, old, new))
            if count == arguments.limit:
                break
    finally:
        stopped = " (stopped there)" if count == arguments.limit else ""
        if count:
            _summary(count, deleted, inserted, stopped, traces, arguments)
    return 1 if count else 0


def _summary(
    count: int,
    deleted: int,
    inserted: int,
    stopped: str,
    traces: tuple[Trace, Trace],
    arguments: argparse.Namespace,
) -> None:
    if arguments.json:
        value = {"differences": count, "deleted": deleted, "inserted": inserted}
        print(json.dumps({"summary": {**value, "complete": not stopped}}))
    elif arguments.quiet:
        print(shown(f"{traces[0].name} and {traces[1].name} differ"))
    else:
        plural = "s" * (count != 1)
        print(f"{count} difference{plural}{stopped}: {deleted} records only in the old trace, "
              f"{inserted} only in the new one")  # fmt: skip
