"""The text and tables of a page of statistics: trace, programs, functions, sites."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

STYLE = """
body { font: 15px/1.4 sans-serif; margin: 1.5rem auto; padding: 0 1.5rem; max-width: 110rem; }
h1 { font-size: 1.6rem; margin: 0 0 0.8rem; }
h2 { font-size: 1rem; margin: 0 0 0.4rem; }
main { display: grid; gap: 1.5rem 2.5rem;
       grid-template-columns: repeat(auto-fit, minmax(min(100%, 30rem), 1fr)); }
section { min-width: 0; overflow-x: auto; }
.wide { grid-column: 1 / -1; }
.plot { width: 100%; }
.totals { display: flex; flex-wrap: wrap; gap: 0.6rem; margin: 0 0 1rem; padding: 0; }
.totals li { list-style: none; border: 1px solid #d5d9e0; border-radius: 4px;
             padding: 0.3rem 0.9rem; }
.totals b { display: block; font-size: 1.25rem; }
details { margin: 0 0 1.5rem; }
summary { cursor: pointer; }
table { border-collapse: collapse; }
th, td { text-align: left; padding: 0.1rem 1rem 0.1rem 0; overflow-wrap: anywhere;
         vertical-align: top; }
th { white-space: nowrap; }
.number { text-align: right; white-space: nowrap; }
"""
"""The page uses the window's width: plots and tables are side by side if there is space."""
THREADS = 20
"""Threads in the table."""


def title(summary: dict[str, Any], programs: Sequence[str]) -> str:
    """Return the name of the page: which trace, of which program."""
    names = ", ".join(Path(program).name for program in programs)
    program = names or summary["producer"].get("command", "")
    trace = Path(summary["trace"]).name
    return f"{trace} of {program}" if program else trace


def heading(summary: dict[str, Any], programs: Sequence[str]) -> str:
    """Return the page's text: the trace, its programs, its producer, the working set."""
    rows = [("trace", summary["trace"])]
    rows += [("program", program) for program in programs]
    rows += [*summary["producer"].items()]
    rows += [("estimated", row["text"]) for row in summary["estimates"]]
    cells = "\n".join(
        f"<tr><th>{html.escape(str(name))}</th><td>{html.escape(str(value))}</td></tr>"
        for name, value in rows
    )
    name = html.escape(title(summary, programs))
    return (
        f"<h1>{name}</h1>\n{_totals(summary)}\n"
        "<details open><summary>Where it comes from</summary>\n"
        f"<table>\n{cells}\n</table></details>"
    )


def _totals(summary: dict[str, Any]) -> str:
    """Return the figures of the whole trace."""
    counts: dict[str, int] = {"events": summary["events"]}
    for row in summary["kinds"]:
        name = {"load": "loads", "store": "stores"}.get(row["kind"])
        if name:
            counts[name] = counts.get(name, 0) + row["count"]
    counts["threads"] = summary["distinct_threads"]
    counts |= {f"{key.replace('_', ' ')} bytes": n for key, n in summary["working_set"].items()}
    items = "".join(f"<li><b>{count:,}</b>{name}</li>" for name, count in counts.items())
    return f'<ul class="totals">{items}</ul>'


def tables(summary: dict[str, Any], programs: Sequence[str]) -> str:
    """Return the hottest functions, each with a link to its sites, and the hottest sites."""
    sites, functions = summary["hottest_sites"], summary["hottest_functions"]
    anchors = _anchors(sites)
    parts = []
    if functions:
        rows = [
            (f"{row['count']:,}", _link(row["function"], f"#{anchors[row['function']]}"))
            if row["function"] in anchors
            else (f"{row['count']:,}", html.escape(row["function"]))
            for row in functions
        ]
        parts.append(_table("Hottest functions", ("events", "function"), rows))
    if sites:
        columns = ("events", "site", "function", "source")
        named = list(_site_rows(sites, anchors, programs))
        parts.append(_table("Hottest sites", columns, named))
    if summary.get("threads"):
        parts.append(_threads(summary))
    return "\n".join(parts)


def _threads(summary: dict[str, Any]) -> str:
    """Return the most active threads, and how many events are not theirs."""
    ordered = sorted(summary["threads"].items(), key=lambda item: -item[1])
    total = max(summary["events"], 1)
    rows = [
        (f"{count:,}", html.escape(thread), f"{100 * count / total:.1f} %")
        for thread, count in ordered[:THREADS]
    ]
    others = sum(count for _, count in ordered[THREADS:]) + summary.get("other_threads", 0)
    rows += [(f"{others:,}", "others", f"{100 * others / total:.1f} %")] * bool(others)
    return _table("Threads", ("events", "thread", "share"), rows)


def _anchors(sites: Iterable[dict[str, Any]]) -> dict[str, str]:
    """Return an anchor for each function that has a site in the table."""
    functions = dict.fromkeys(site["function"] for site in sites if site.get("function"))
    return {name: f"function-{number}" for number, name in enumerate(functions, 1)}


def _site_rows(
    sites: Iterable[dict[str, Any]], anchors: dict[str, str], programs: Sequence[str]
) -> Iterable[tuple[str, ...]]:
    reached: set[str] = set()
    for site in sites:
        function = site.get("function") or ""
        shown = html.escape(function)
        if function and function not in reached:
            shown = f'<span id="{anchors[function]}">{shown}</span>'
            reached.add(function)
        where = html.escape(str(site.get("source") or site["pc"]))
        yield f"{site['count']:,}", where, shown, _source(site, programs)


def _source(site: dict[str, Any], programs: Sequence[str]) -> str:
    """Return a site's source line, with a link to the file where it is there to be opened."""
    if not site.get("line"):
        return ""
    name = f"{site['file']}:{site['line']}"
    for directory in (Path(program).resolve().parent for program in programs):
        path = directory / site["file"]
        if path.is_file():
            return _link(name, path.as_uri())
    return html.escape(name)


def _link(name: str, target: str) -> str:
    return f'<a href="{html.escape(target)}">{html.escape(name)}</a>'


def _table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a section with a table; its cells are HTML already."""
    first, *rest = columns
    names = f'<th class="number">{first}</th>' + "".join(f"<th>{name}</th>" for name in rest)
    lines = [
        f'<tr><td class="number">{first}</td>{"".join(f"<td>{cell}</td>" for cell in others)}</tr>'
        for first, *others in rows
    ]
    body = "\n".join(lines)
    return f"<section><h2>{title}</h2>\n<table>\n<tr>{names}</tr>\n{body}\n</table></section>"
