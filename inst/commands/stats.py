"""`inst stats`: what a trace holds, in numbers."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

from inst.errors import InstError

if TYPE_CHECKING:
    from inst.trace.program import Locator
    from inst.trace.statistics import Statistics

WORD_OF_KIND = {"READ": "load", "WRITE": "store", "RESERVE": "load-reserve"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `inst stats`."""
    add = parser.add_argument
    add("trace", metavar="FILE", help="a trace in any format `inst view` reads; - for stdin")
    add("elf", nargs="*", metavar="PROGRAM", help="the same as --program PROGRAM")
    add(
        "--program",
        action="append",
        default=[],
        metavar="ELF",
        help="name functions and source lines; may be repeated",
    )
    add("--top", type=int, default=10, metavar="N", help="hottest sites to list (default 10)")
    add("--json", action="store_true", help="print one JSON object")  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    """Print the statistics; return 2 when the trace is damaged or unreadable."""
    from inst.trace import open_trace
    from inst.trace.program import Locator
    from inst.trace.statistics import gather

    try:
        trace = open_trace(arguments.trace)
        programs = [*arguments.elf, *arguments.program]
        locator = Locator(programs, trace) if programs else None
    except InstError as error:
        print(error.render(), file=sys.stderr)
        return 2
    status, statistics = 0, None
    try:
        statistics = gather(trace)
    except InstError as error:
        status, statistics = 2, getattr(error, "partial", None)
        print(error.render(), file=sys.stderr)
    if statistics is not None:
        summary = summarise(statistics, locator, arguments.top)
        print(json.dumps(summary, indent=2) if arguments.json else render(summary))
    for note in trace.notes:
        print(f"inst: note: {note}", file=sys.stderr)
    return status


def summarise(statistics: Statistics, locator: Locator | None, top: int) -> dict[str, Any]:
    """Return the statistics as plain data, the form `--json` prints."""
    kinds = [
        {"kind": WORD_OF_KIND.get(kind.name, kind.name.lower()), "size": size, "count": count}
        for (kind, size), count in sorted(statistics.kinds.items())
    ]
    sites = []
    for pc, source, count in statistics.sites[:top]:
        site: dict[str, Any] = {"count": count}
        if source:
            site["source"] = source
        else:
            site["pc"] = f"0x{pc:x}"
        place = locator(pc) if locator and not source else None
        if place is not None:
            site |= {"function": place.function, "file": place.file, "line": place.line}
        sites.append(site)
    return {
        "events": statistics.events,
        "with_value": statistics.with_value,
        "threads": {str(thread): count for thread, count in statistics.threads.items()},
        "kinds": kinds,
        "distinct_sites": statistics.distinct_sites,
        "hottest_sites": sites,
        "working_set": {"lines_of_64": statistics.lines, "pages_of_4096": statistics.pages},
    }


def render(summary: dict[str, Any]) -> str:
    """Return the summary as text."""
    lines = [f"{summary['events']} events, {summary['with_value']} with a value"]
    lines.append(f"{len(summary['threads'])} threads")
    lines += ["", "       count  kind          size"]
    for row in summary["kinds"]:
        size = row["size"] or "-"
        lines.append(f"{row['count']:12}  {row['kind']:<12}  {size:>4}")
    lines += ["", f"hottest of {summary['distinct_sites']} sites"]
    for site in summary["hottest_sites"]:
        where = site.get("source") or site["pc"]
        place = " ".join(filter(None, (site.get("function"), _source_of(site))))
        lines.append(f"{site['count']:12}  {where}  {place}".rstrip())
    working = summary["working_set"]
    lines += [
        "",
        f"working set: {working['lines_of_64']} lines of 64 bytes, "
        f"{working['pages_of_4096']} pages of 4096 bytes",
    ]
    return "\n".join(lines)


def _source_of(site: dict[str, Any]) -> str:
    return f"{site['file']}:{site['line']}" if site.get("line") else ""
