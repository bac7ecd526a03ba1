"""The plots of a page of statistics, as specifications of Vega-Lite."""

from __future__ import annotations

from typing import Any

from inst.statistics.timeline import BINS, Timeline

WIDTH = "container"
"""Plots are as wide as their place in the page."""
LISTED = 20
"""Bars of a plot at most."""
NAME_PIXELS = 220
ROW_PIXELS = 12


def _number_axis(altair: Any, title: str | None) -> Any:
    """Return an axis whose labels are short and do not meet."""
    return altair.Axis(
        title=title, format="~s", tickCount=5, labelOverlap="greedy", labelSeparation=8,
        labelBound=True,
    )  # fmt: skip


def bars(altair: Any, rows: list[tuple[str, int]], title: str, unit: str) -> Any:
    """Return bars by name, the largest number of them first."""
    values = [{"name": name, unit: count} for name, count in rows[:LISTED]]
    return (
        altair.Chart(altair.Data(values=values), title=title, width=WIDTH)
        .mark_bar()
        .encode(
            x=altair.X(f"{unit}:Q", axis=_number_axis(altair, unit)),
            y=altair.Y(
                "name:N", sort=None, title=None,
                axis=altair.Axis(labelLimit=NAME_PIXELS, labelOverlap=False),
            ),
            tooltip=["name:N", altair.Tooltip(f"{unit}:Q", format=",")],
        )
    )  # fmt: skip


def activity(altair: Any, timeline: Timeline) -> Any:
    """Return what each thread did over time."""
    names = [name for name, _ in timeline.threads()]
    values = [
        {"since": part * timeline.width, "thread": name, "events": int(count)}
        for name, counts in timeline.threads()
        for part, count in enumerate(counts[: _parts(timeline)].tolist())
    ]
    return (
        altair.Chart(
            altair.Data(values=values), title="Events of threads over time", width=WIDTH, height=180
        )
        .mark_area(interpolate="step-after")
        .encode(
            x=_time(altair, timeline),
            y=altair.Y("events:Q", axis=_number_axis(altair, "events")),
            color=altair.Color(
                "thread:N", sort=names, legend=altair.Legend(orient="bottom", columns=5)
            ),
            tooltip=["thread:N", "since:Q", "events:Q"],
        )
    )


def heat_map(altair: Any, timeline: Timeline) -> Any:
    """Return which addresses were accessed when: rows of addresses, the highest at the top."""
    rows = timeline.rows()[::-1]
    values = [
        {
            "since": part * timeline.width,
            "to": min((part + 1) * timeline.width, timeline.events),
            "address": f"{row.first:#x}",
            "last": f"{row.last:#x}",
            "accesses": int(count),
        }
        for row in rows
        for part, count in enumerate(row.counts[: _parts(timeline)].tolist())
        if count
    ]
    order = [f"{row.first:#x}" for row in rows]
    return (
        altair.Chart(
            altair.Data(values=values), title="Addresses accessed over time", width=WIDTH,
            height=altair.Step(ROW_PIXELS),
        )
        .mark_rect()
        .encode(
            x=_time(altair, timeline),
            x2="to:Q",
            y=altair.Y("address:O", sort=order, title="address"),
            color=altair.Color(
                "accesses:Q", scale=altair.Scale(type="log", scheme="viridis"),
                legend=altair.Legend(
                    orient="bottom", format="~s", gradientLength=200, tickCount=4,
                ),
            ),
            tooltip=["address:N", "last:N", "since:Q", altair.Tooltip("accesses:Q", format=",")],
        )
    )  # fmt: skip


def _time(altair: Any, timeline: Timeline) -> Any:
    """Return the axis of the time, from the trace's first event to its last."""
    scale = altair.Scale(domain=[0, timeline.events], nice=False)
    axis = _number_axis(altair, "events since the start")
    return altair.X("since:Q", scale=scale, axis=axis)


def _parts(timeline: Timeline) -> int:
    """Return how many parts of the time there are."""
    return min(BINS, -(-timeline.events // timeline.width))


def reuse(altair: Any, found: dict[str, Any]) -> Any:
    """Return how many other lines were touched between two touches of a line."""
    rows = [(span(row), row["count"]) for row in found["histogram"]]
    rows += [(f"over {found['bound'] - 1}", found["farther"])] * bool(found["farther"])
    rows.append(("first", found["first"]))
    values = [{"lines between": name, "touches": count} for name, count in rows]
    return (
        altair.Chart(altair.Data(values=values), title="Reuse distances", width=WIDTH, height=220)
        .mark_bar()
        .encode(
            x=altair.X(
                "lines between:N", sort=None, title="other lines touched in between",
                axis=altair.Axis(labelAngle=-45, labelOverlap=False),
            ),
            y=altair.Y("touches:Q", axis=_number_axis(altair, "touches")),
            tooltip=["lines between:N", altair.Tooltip("touches:Q", format=",")],
        )
    )  # fmt: skip


def span(row: dict[str, int]) -> str:
    """Return the name of a range of distances."""
    return str(row["from"]) if row["from"] == row["to"] else f"{row['from']}-{row['to']}"


def hit_rates(altair: Any, found: dict[str, Any]) -> Any:
    """Plot hit rates: a cache of N lines hits every touch with a distance below N."""
    hits, values = 0, []
    for row in found["histogram"]:
        hits += row["count"]
        values.append({"lines": row["to"] + 1, "hits": 100 * hits / found["touches"]})
    return (
        altair.Chart(
            altair.Data(values=values),
            title="Hits of a fully associative cache by its size",
            width=WIDTH,
            height=220,
        )
        .mark_line(point=True)
        .encode(
            x=altair.X(
                "lines:Q", scale=altair.Scale(type="log", base=2), title="lines",
                axis=altair.Axis(format="~s", labelOverlap="greedy", labelSeparation=8),
            ),
            y=altair.Y(
                "hits:Q", scale=altair.Scale(domain=[0, 100]), title="hits in percent",
                axis=altair.Axis(tickCount=5),
            ),
            tooltip=["lines:Q", altair.Tooltip("hits:Q", format=".1f")],
        )
    )  # fmt: skip
