"""Statistics as one HTML page with plots that needs no network.

The plots are drawn by Vega in the reader's browser; its JavaScript is written into the page.
"""

from __future__ import annotations

import html
import json
from collections.abc import Sequence
from typing import Any

from inst.errors import InstError
from inst.statistics.page_text import STYLE, heading, tables, title

WIDTH = "container"
"""Plots are as wide as their place in the page."""
LISTED = 20
"""Bars of a plot at most."""


def require_plots() -> None:
    """Raise InstError with what to install if the plotting library is missing."""
    try:
        import altair  # noqa: F401
        import vl_convert  # noqa: F401  (it holds the JavaScript)
    except ImportError as error:
        raise InstError(
            f"plots need a library that is not installed: {error.name}",
            hint="pip install 'inst[plots]', or leave --html out",
        ) from error


def page(summary: dict[str, Any], programs: Sequence[str] = ()) -> str:
    """Return the page for the statistics that `inst stats --json` prints, of these programs."""
    require_plots()
    import altair

    plots = [_bars(altair, rows, title, "events") for title, rows in _bar_plots(summary) if rows]
    if summary["reuse"]["histogram"]:
        plots += [_reuse(altair, summary["reuse"]), _hit_rates(altair, summary["reuse"])]
    places = "\n".join(
        f'<section><div class="plot" id="plot{number}"></div></section>'
        for number in range(1, len(plots) + 1)
    )
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{html.escape(title(summary, programs))} - inst stats</title>\n"
        f"<style>{STYLE}</style>\n{_scripts(plots)}</head>\n<body>\n"
        f"{heading(summary, programs)}\n<main>\n{tables(summary, programs)}\n{places}\n</main>\n"
        f"{_drawing(plots)}</body>\n</html>\n"
    )


def _scripts(plots: list[Any]) -> str:
    """Return Vega's JavaScript, if there is anything to draw."""
    if not plots:
        return ""
    import vl_convert

    version = ".".join(plots[0].to_dict()["$schema"].rpartition("/v")[2].split(".")[:2])
    library = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", version)
    return f"<script>{library}</script>\n"


def _drawing(plots: list[Any]) -> str:
    """Return the script that draws each plot in its place."""
    options = {"actions": {"export": True, "source": True, "editor": False, "compiled": False}}
    lines = [f"const draw = (place, plot) => vegaEmbed('#' + place, plot, {json.dumps(options)});"]
    for number, plot in enumerate(plots, 1):
        # A name in the trace may hold what ends a script.
        specification = json.dumps(plot.to_dict()).replace("</", "<\\/")
        lines.append(f'draw("plot{number}", {specification});')
    return "<script>\n" + "\n".join(lines) + "\n</script>\n" if plots else ""


def _bar_plots(summary: dict[str, Any]) -> list[tuple[str, list[tuple[str, int]]]]:
    kinds = [
        (f"{row['kind']} {row['size']}" if row["size"] else row["kind"], row["count"])
        for row in summary["kinds"]
    ]
    opcodes = [(row["mnemonic"], row["count"]) for row in summary["opcodes"]]
    calls = [(row["name"], row["count"]) for row in summary["system_calls"]]
    signals = [(row["name"], row["count"]) for row in summary["signals"]]
    functions = [(row["function"], row["count"]) for row in summary["hottest_functions"]]
    sites = [(site_name(row), row["count"]) for row in summary["hottest_sites"]]
    return [
        ("Kinds and sizes of events", kinds),
        ("Instructions by opcode", opcodes),
        ("System calls", calls),
        ("Signals", signals),
        ("Hottest functions", functions),
        ("Hottest sites", sites),
    ]


def site_name(site: dict[str, Any]) -> str:
    """Return the best short name of a site: source line, else address."""
    if site.get("source"):
        return str(site["source"])
    if site.get("line"):
        return f"{site['pc']} {str(site['file']).rpartition('/')[2]}:{site['line']}"
    return str(site["pc"])


def _bars(altair: Any, rows: list[tuple[str, int]], title: str, unit: str) -> Any:
    values = [{"name": name, unit: count} for name, count in rows[:LISTED]]
    return (
        altair.Chart(altair.Data(values=values), title=title, width=WIDTH)
        .mark_bar()
        .encode(
            x=altair.X(f"{unit}:Q"),
            y=altair.Y("name:N", sort=None, title=None, axis=altair.Axis(labelLimit=280)),
            tooltip=["name:N", f"{unit}:Q"],
        )
    )


def _reuse(altair: Any, reuse: dict[str, Any]) -> Any:
    rows = [(_span(row), row["count"]) for row in reuse["histogram"]]
    rows += [(f"over {reuse['bound'] - 1}", reuse["farther"]), ("first", reuse["first"])]
    values = [{"lines between": name, "touches": count} for name, count in rows]
    return (
        altair.Chart(altair.Data(values=values), title="Reuse distances", width=WIDTH)
        .mark_bar()
        .encode(
            x=altair.X("lines between:N", sort=None, title="other lines touched in between"),
            y="touches:Q",
            tooltip=["lines between:N", "touches:Q"],
        )
    )


def _span(row: dict[str, int]) -> str:
    return str(row["from"]) if row["from"] == row["to"] else f"{row['from']}-{row['to']}"


def _hit_rates(altair: Any, reuse: dict[str, Any]) -> Any:
    """Plot hit rates: a cache of N lines hits every touch with a distance below N."""
    hits, values = 0, []
    for row in reuse["histogram"]:
        hits += row["count"]
        values.append({"lines": row["to"] + 1, "hits": 100 * hits / reuse["touches"]})
    return (
        altair.Chart(
            altair.Data(values=values),
            title="Hits of a fully associative cache by its size",
            width=WIDTH,
        )
        .mark_line(point=True)
        .encode(
            x=altair.X("lines:Q", scale=altair.Scale(type="log", base=2), title="lines"),
            y=altair.Y("hits:Q", scale=altair.Scale(domain=[0, 100]), title="hits in percent"),
            tooltip=["lines:Q", "hits:Q"],
        )
    )
