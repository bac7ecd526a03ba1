"""`inst stats`: statistics of a trace."""

from __future__ import annotations

import argparse
import itertools
import json
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inst.commands.traces import add_trace, final_status, programs_of
from inst.common.notes import print_notes
from inst.common.progress import Progress
from inst.common.wholefile import refuse_input, whole_file
from inst.errors import InstError
from inst.shown import shown
from inst.trace.ending import STRICT_HELP

if TYPE_CHECKING:
    from inst.program.program import Locator
    from inst.statistics.statistics import Statistics
    from inst.statistics.timeline import Timeline
    from inst.trace.model import Kind, Trace

WORD_OF_KIND = {"READ": "load", "WRITE": "store", "RESERVE": "load-reserve"}


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 on")
    return int(text)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `inst stats`."""
    add = parser.add_argument
    add_trace(parser, "name functions and source lines")
    add("--top", type=_count, default=10, metavar="N", help="hottest sites to list (default 10)")
    add("--line", type=_count, default=64, metavar="BYTES", help="bytes of a line (default 64)")
    add("--page", type=_count, default=4096, metavar="BYTES", help="bytes of a page (default 4096)")
    add("--strict", action="store_true", help=STRICT_HELP)
    add("--json", action="store_true", help="print one JSON object")
    add("--html", metavar="PAGE", help="write a page with plots, which needs no network to open")


def run(arguments: argparse.Namespace) -> int:
    """Print the statistics; return 2 when the trace is damaged or unreadable."""
    from inst.program.program import Locator
    from inst.trace import open_trace

    try:
        if arguments.html:
            from inst.statistics.page import require_plots

            require_plots()
            refuse_input(arguments.html, (arguments.trace, *programs_of(arguments)))
        trace = open_trace(arguments.trace, progress=Progress.READS)
        programs = programs_of(arguments)
        locator = (
            Locator(programs, trace, lenient=True, demangle=arguments.demangle)
            if programs
            else None
        )
    except InstError as error:
        print(error.render(), file=sys.stderr)
        return 2
    timeline = None
    if arguments.html:
        from inst.statistics.timeline import Timeline

        timeline = Timeline()
    status, statistics = _gather(trace, arguments, locator, timeline)
    if statistics is not None:
        summary = summarise(statistics, locator, arguments.top, trace)
        if timeline and not _write_page(summary, programs, timeline, Path(arguments.html)):
            return 2
        if arguments.json or not arguments.html:
            print(json.dumps(summary, indent=2) if arguments.json else render(summary))
    print_notes(trace.notes)
    status = (locator.report() if locator else 0) or status
    return final_status(status, trace, strict=arguments.strict)


def _gather(
    trace: Trace,
    arguments: argparse.Namespace,
    locator: Locator | None,
    timeline: Timeline | None,
) -> tuple[int, Statistics | None]:
    from inst.statistics.statistics import gather

    line, page, top = arguments.line, arguments.page, arguments.top
    try:
        return 0, gather(trace, line=line, page=page, top=top, locator=locator, timeline=timeline)
    except InstError as error:
        print(error.render(), file=sys.stderr)
        return 2, getattr(error, "partial", None)
    finally:
        trace.close()


def _write_page(
    summary: dict[str, Any], programs: list[str], timeline: Timeline, path: Path
) -> bool:
    """Write the page beside its place and move it there when it is whole; return whether it is."""
    from inst.statistics.page import page

    text = page(summary, programs, timeline)
    try:
        with whole_file(path) as stream:
            stream.write(text.encode())
    except OSError as error:
        print(InstError(f"cannot write {path}: {error.strerror}").render(), file=sys.stderr)
        return False
    return True


def summarise(
    statistics: Statistics, locator: Locator | None, top: int, trace: Trace
) -> dict[str, Any]:
    """Return the statistics as plain data, the form `--json` prints."""
    from inst.calls import system_names

    kinds = [
        {"kind": _word(kind), "size": size, "count": count}
        for (kind, size), count in sorted(statistics.kinds.items())
    ]
    kinds += [
        {"kind": f"{WORD_OF_KIND[kind.name]} range", "size": 0, "count": count, "bytes": size}
        for kind, (count, size) in sorted(statistics.ranges.items())
    ]
    kinds += [
        {"kind": f"{_word(kind)} of other sizes", "size": 0, "count": count}
        for kind, count in sorted(statistics.other_sizes.items())
    ]
    arch = trace.facts.arch
    return {
        "trace": trace.name,
        "format": trace.format,
        "producer": _producer(trace),
        "events": statistics.events,
        "with_value": statistics.with_value,
        "by_hooks": trace.called,
        "distinct_threads": statistics.distinct_threads,
        "threads": {str(thread): count for thread, count in statistics.threads.items()},
        "other_threads": statistics.other_threads,
        "kinds": kinds,
        "system_calls": _named(statistics.calls, arch, system_names.system_call),
        "other_system_calls": statistics.other_calls,
        "signals": _named(statistics.signals, arch, system_names.signal),
        "other_signals": statistics.other_signals,
        "opcodes": [
            {"mnemonic": mnemonic, "count": count} for mnemonic, count in statistics.opcodes.items()
        ],
        "distinct_sites": statistics.distinct_sites,
        "hottest_sites": [_site(*site, locator) for site in statistics.sites[:top]],
        "hottest_functions": [
            {"function": name, "count": count}
            for name, count in itertools.islice(statistics.functions.items(), top)
        ],
        "working_set": {
            f"lines_of_{statistics.line}": statistics.lines,
            f"pages_of_{statistics.page}": statistics.pages,
        },
        "reuse": _reuse(statistics),
        "estimates": [
            {"text": str(estimate)} | asdict(estimate) for estimate in statistics.estimates
        ],
    }


def _word(kind: Kind) -> str:
    return WORD_OF_KIND.get(kind.name, kind.name.lower())


def _named(
    counts: dict[int, int], arch: str, name: Callable[[str, int], str]
) -> list[dict[str, Any]]:
    """Return system calls or signals with their names, the most frequent first."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [
        {"number": number, "name": name(arch, number), "count": count} for number, count in ordered
    ]


def _producer(trace: Trace) -> dict[str, str]:
    """Return the trace's own information about its making, by name; unnamed texts are numbered."""
    facts = trace.facts
    found = {"version": facts.version} if facts.version else {}
    found |= facts.producer
    others = (text for text in facts.strings if text.partition("=")[0].strip() not in found)
    return found | {f"string {number}": text for number, text in enumerate(others, 1)}


def _site(pc: int, source: str, count: int, locator: Locator | None) -> dict[str, Any]:
    site: dict[str, Any] = {"count": count}
    if source:
        return site | {"source": source}
    site["pc"] = f"0x{pc:x}"
    place = locator(pc) if locator else None
    if place is not None:
        site |= {"function": place.function, "file": place.file, "line": place.line}
    return site


def _reuse(statistics: Statistics) -> dict[str, Any]:
    histogram = [
        {"from": 1 << n >> 1, "to": max((1 << n) - 1, 0), "count": count}
        for n, count in enumerate(statistics.reuse)
    ]
    return {
        "line": statistics.line,
        "bound": statistics.reuse_bound,
        "touches": statistics.line_accesses,
        "first": statistics.lines,
        "farther": statistics.reuse_farther,
        "histogram": histogram,
    }


def _threads(count: int) -> str:
    return "1 thread" if count == 1 else f"{count} threads"


def render(summary: dict[str, Any]) -> str:
    """Return the summary as text."""
    lines = [f"{name}: {value}" for name, value in summary["producer"].items()]
    lines += [""] * bool(lines)
    lines.append(f"{summary['events']} events, {summary['with_value']} with a value")
    if summary["by_hooks"]:
        lines.append(
            f"{summary['by_hooks']} accesses recorded by calls of hooks, not inline: those of code "
            "compiled with -fPIC, atomic ones and a few others"
        )
    lines.append(f"{_about(summary, 'threads')}{_threads(summary['distinct_threads'])}")
    lines += ["", "       count  kind          size"]
    for row in summary["kinds"]:
        size = row["size"] or "-"
        total = f"  {row['bytes']} bytes in all" if "bytes" in row else ""
        lines.append(f"{row['count']:12}  {row['kind']:<12}  {size:>4}{total}")
    for title, key in (("system call", "system_calls"), ("signal", "signals")):
        if summary[key]:
            lines += ["", f"       count  {title}"]
            lines += [f"{row['count']:12}  {row['name']}" for row in summary[key]]
            others = summary[f"other_{key}"]
            lines += [f"{others:12}  others"] * bool(others)
    if summary["opcodes"]:
        lines += ["", "       count  opcode"]
        lines += [f"{row['count']:12}  {row['mnemonic']}" for row in summary["opcodes"]]
    lines += ["", f"hottest of {_about(summary, 'sites')}{summary['distinct_sites']} sites"]
    for site in summary["hottest_sites"]:
        where = site.get("source") or site["pc"]
        place = " ".join(filter(None, (site.get("function"), _source_of(site))))
        lines.append(f"{site['count']:12}  {where}  {place}".rstrip())
    if summary["hottest_functions"]:
        lines += ["", "hottest functions"]
        lines += [f"{row['count']:12}  {row['function']}" for row in summary["hottest_functions"]]
    lines += ["", _render_working_set(summary)]
    lines += [*_render_reuse(summary), *_render_estimates(summary)]
    return "\n".join(map(shown, lines))


def _about(summary: dict[str, Any], figure: str) -> str:
    """Return "about " for figures that are estimated."""
    return "about " if any(row["figure"] == figure for row in summary["estimates"]) else ""


def _render_working_set(summary: dict[str, Any]) -> str:
    parts = []
    for key, count in summary["working_set"].items():
        unit, _, size = key.partition("_of_")
        what = f"{unit} of {size} bytes"
        parts.append(f"{_about(summary, what)}{count} {what}")
    return f"working set: {', '.join(parts)}"


def _render_reuse(summary: dict[str, Any]) -> list[str]:
    reuse = summary["reuse"]
    if not reuse["touches"]:
        return []
    rows = [
        (
            str(row["from"]) if row["from"] == row["to"] else f"{row['from']}-{row['to']}",
            row["count"],
        )
        for row in reuse["histogram"]
    ]
    note = ", about" if _about(summary, f"lines of {reuse['line']} bytes") else ""
    rows += [(f"over {reuse['bound'] - 1}{note}", reuse["farther"])] * bool(reuse["farther"])
    rows.append((f"first{note}", reuse["first"]))
    lines = ["", f"       count  other lines of {reuse['line']} bytes touched in between"]
    return lines + [f"{count:12}  {name}" for name, count in rows]


def _render_estimates(summary: dict[str, Any]) -> list[str]:
    """Report which of the figures above are not exact."""
    texts = [row["text"] for row in summary["estimates"]]
    return ["", "estimated, with their errors", *(f"  {text}" for text in texts)] if texts else []


def _source_of(site: dict[str, Any]) -> str:
    return f"{site['file']}:{site['line']}" if site.get("line") else ""
