"""`inst report`: what each function and each thread did."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING

from inst.commands.profile import add_trace_arguments, end, read_profile
from inst.errors import InstError

if TYPE_CHECKING:
    from inst.calltree.profile import FunctionRow, Profile, ThreadRow

SORTS = {
    "accesses": "accesses",
    "total": "total_accesses",
    "bytes": "bytes",
    "calls": "calls",
    "depth": "depth",
}
"""How functions can be ordered, and the column of each."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `inst report`."""
    add_trace_arguments(parser)
    add = parser.add_argument
    add("--function", action="append", default=[], metavar="NAME",
        help="only functions of this name, which may have *; may be repeated")  # fmt: skip
    add("--below", action="store_true", help="with --function: also the functions called from them")
    add("--sort", choices=list(SORTS), default="accesses", help="what comes first (most accesses)")
    add("--top", type=_count, default=0, metavar="N", help="list only the first N functions")
    add("--json", action="store_true", help="print one JSON object")


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 on")
    return int(text)


def run(arguments: argparse.Namespace) -> int:
    """Print the tables; return 2 when the trace is damaged or unreadable."""
    if arguments.below and not arguments.function:
        error = InstError("--below selects nothing by itself", hint="--function NAME goes with it")
        error.exit_status = 2
        raise error
    status, profile, trace = read_profile(arguments)
    if profile is None or trace is None:
        return status
    functions = _chosen(profile, arguments)
    threads = sorted(profile.threads.values(), key=lambda row: row.thread)
    if arguments.json:
        summary = {"calls": profile.calls.how, "functions": [asdict(row) for row in functions]}
        summary |= {} if arguments.function else {"threads": [asdict(row) for row in threads]}
        print(json.dumps(summary, indent=2))
    else:
        lines = _functions(functions)
        lines += [] if arguments.function else ["", *_threads(threads)]
        print("\n".join(lines))
    return end(status, profile, trace, strict=arguments.strict)


def _chosen(profile: Profile, arguments: argparse.Namespace) -> list[FunctionRow]:
    from inst.calltree.names import Wanted

    wanted = Wanted(profile.tree, tuple(arguments.function), below=arguments.below)
    rows = profile.functions(wanted.nodes() if arguments.function else None)
    column = SORTS[arguments.sort]
    rows.sort(key=lambda row: (-getattr(row, column), row.name))
    return rows[: arguments.top or None]


def _functions(rows: Iterable[FunctionRow]) -> list[str]:
    from inst.shown import shown

    lines = ["       calls     accesses        total        bytes        total  depth  function"]
    for row in rows:
        calls = f"{row.calls}{'' if row.exact else '+'}" if row.depth else "-"
        lines.append(
            f"{calls:>12} {row.accesses:12} {row.total_accesses:12} {row.bytes:12}"
            f" {row.total_bytes:12} {row.depth:6}  {shown(row.name)}"
        )
    return lines


def _threads(rows: Iterable[ThreadRow]) -> list[str]:
    lines = ["      thread        calls     accesses        bytes  depth"]
    return lines + [
        f"{row.thread:12} {row.calls:12} {row.accesses:12} {row.bytes:12} {row.depth:6}"
        for row in rows
    ]
