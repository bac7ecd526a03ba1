"""Statistics as one HTML page with plots that needs no network.

The plots are drawn by Vega in the reader's browser; its JavaScript is written into the page.
"""

from __future__ import annotations

import html
import json
from collections.abc import Sequence
from functools import cache
from typing import Any

from inst.errors import InstError
from inst.statistics import plots as drawings
from inst.statistics.page_text import STYLE, heading, tables, title
from inst.statistics.timeline import Timeline


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


def page(
    summary: dict[str, Any], programs: Sequence[str] = (), timeline: Timeline | None = None
) -> str:
    """Return the page for the statistics that `inst stats --json` prints, of these programs."""
    require_plots()
    plots, wide = _plots(summary, timeline)
    places = "\n".join(
        f'<section{" class=wide" * (number <= wide)}><div class="plot" id="plot{number}"></div>'
        "</section>"
        for number in range(1, len(plots) + 1)
    )
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{html.escape(title(summary, programs))} - inst stats</title>\n"
        f"<style>{STYLE}</style>\n{_scripts(plots)}</head>\n<body>\n"
        f"{heading(summary, programs)}\n<main>\n{places}\n{tables(summary, programs)}\n</main>\n"
        f"{_drawing(plots)}</body>\n</html>\n"
    )


def _plots(summary: dict[str, Any], timeline: Timeline | None) -> tuple[list[Any], int]:
    """Return the plots, and how many of the first ones are as wide as the page."""
    import altair

    plots = []
    if timeline is not None and timeline.events:
        plots.append(drawings.activity(altair, timeline))
        if timeline.rows():
            plots.append(drawings.heat_map(altair, timeline))
    wide = len(plots)
    for name, rows in _bar_plots(summary):
        if rows:
            plots.append(drawings.bars(altair, rows, name, "events"))
    if summary["reuse"]["histogram"]:
        plots.append(drawings.reuse(altair, summary["reuse"]))
        plots.append(drawings.hit_rates(altair, summary["reuse"]))
    return plots, wide


def _scripts(plots: list[Any]) -> str:
    """Return Vega's JavaScript, if there is anything to draw."""
    if not plots:
        return ""
    version = ".".join(plots[0].to_dict()["$schema"].rpartition("/v")[2].split(".")[:2])
    return f"<script>{_library(version)}</script>\n"


@cache
def _library(version: str) -> str:
    """Return Vega's JavaScript for a version of its language; it takes two seconds to make."""
    import vl_convert

    made: str = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", version)
    return made


def _drawing(plots: list[Any]) -> str:
    """Return the script that draws each plot in its place."""
    options = {"actions": {"export": True, "source": False, "editor": False, "compiled": False}}
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
