"""The cost bench's arithmetic and its table: medians of ratios, and geometric means."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.bench.ways import ROWS, Way

Cell = Mapping[str, Any]
Cells = Mapping[tuple[str, str, str], Cell]
"""Target, program and way -> what was measured."""


@dataclass(frozen=True, slots=True)
class Measure:
    """One figure of a cell, and what is to be reached: the least of it is the best."""

    name: str
    title: str
    goals: Mapping[str, Mapping[str, float]]
    """Way -> target (or "" for all) -> what its mean should not exceed."""


_TARGETS = ("ppc32", "sparc-v8", "sparc-v9", "ppc64", "ppc64le")


def _goals(*values: float) -> dict[str, float]:
    return dict(zip(_TARGETS, values, strict=True))


MEASURES = (
    Measure(
        "instructions",
        "instructions over plain",
        {
            "record-loads": _goals(1.35, 1.5, 1.5, 1.5, 1.5),
            "record-addresses": _goals(1.55, 1.65, 1.7, 1.7, 1.7),
            "record-values": _goals(1.85, 1.95, 2.0, 2.0, 2.0),
            "count": {"": 5},
            "rst": {"": 12},
        },
    ),
    Measure(
        "seconds",
        "CPU time over plain, under the emulator",
        {"record-values": _goals(1.8, 2.0, 2.0, 2.0, 2.0)},
    ),
    Measure("user", "the same without the time of the operating system", {}),
    Measure(
        "bytes",
        "bytes an access on disk",
        {"record-loads": {"": 0.7}, "record-addresses": {"": 0.6}, "record-values": {"": 1.2}},
    ),
    Measure("packed", "the same by zstd -3", {}),
    Measure("reported", "accesses that are reported over those of the program's own objects", {}),
)


_KEYS = {"user": "seconds"}
"""What a measure is called in a cell, where it is called otherwise."""


def figure(cell: Cell, measure: str) -> float | None:
    """Return one figure of a cell; None where it has none."""
    if cell.get("error") or _KEYS.get(measure, measure) not in cell:
        return None
    if measure == "instructions":
        return float(cell["instructions"] / cell["base_instructions"])
    if measure == "seconds":
        return median_of_ratios([map(sum, pair) for pair in cell["seconds"]])
    if measure == "user":
        return median_of_ratios([[user for user, _ in pair] for pair in cell["seconds"]])
    return float(cell[measure] / cell["accesses"])


def median_of_ratios(pairs: Iterable[Iterable[float]]) -> float:
    """Return the median of what the second of each pair is over the first."""
    return statistics.median(second / first for first, second in pairs)


def mean(cells: Iterable[Cell], measure: str) -> tuple[float | None, int]:
    """Return the geometric mean of a figure, and how many cells have it."""
    figures = [found for cell in cells if (found := figure(cell, measure)) is not None]
    return (statistics.geometric_mean(figures) if figures else None), len(figures)


def summary(cells: Cells, targets: Sequence[str], programs: Sequence[str]) -> str:
    """Return the table of geometric means over the programs, with the goals beside them."""
    lines = [f"| | {' | '.join(targets)} |", "|---|" + "---|" * len(targets)]
    for measure in MEASURES:
        rows = [(way, _means(cells, measure, way, targets, programs)) for way in ROWS]
        shown = [(way, row) for way, row in rows if any(text != "-" for text in row)]
        if shown:
            lines.append(f"| **{measure.title}** |{' |' * len(targets)}")
        lines += [f"| {way.title} | {' | '.join(row)} |" for way, row in shown]
    return "\n".join([*lines, ""])


def _means(
    cells: Cells, measure: Measure, way: Way, targets: Sequence[str], programs: Sequence[str]
) -> list[str]:
    return [_mean_text(cells, measure, way, target, programs) for target in targets]


def _mean_text(
    cells: Cells, measure: Measure, way: Way, target: str, programs: Sequence[str]
) -> str:
    """Return a mean with its goal, and of how many programs it is where some have no figure."""
    there = [cells.get((target, program, way.name), {}) for program in programs]
    value, count = mean(there, measure.name)
    if value is None:
        return "-"
    goals = measure.goals.get(way.name, {})
    goal = goals.get(target, goals.get(""))
    text = number(value) + (f" (goal {goal:g})" if goal else "")
    return text if count == len(programs) else f"{text}, {count} of {len(programs)} programs"


def details(cells: Cells, target: str, programs: Sequence[str]) -> str:
    """Return a target's figures of each program."""
    lines = [f"## {target}", ""]
    for measure in MEASURES:
        rows = [f"| {way.title} | {' | '.join(row)} |" for way in ROWS
                if any(row := _row(cells, measure.name, way, target, programs))]  # fmt: skip
        if rows:
            lines += [f"| {measure.title} | {' | '.join(programs)} |"]
            lines += ["|---|" + "---|" * len(programs), *rows, ""]
    return "\n".join(lines)


def _row(cells: Cells, measure: str, way: Way, target: str, programs: Sequence[str]) -> list[str]:
    found = [figure(cells.get((target, name, way.name), {}), measure) for name in programs]
    return ["" if value is None else number(value) for value in found]


def number(value: float) -> str:
    """Return three digits that count."""
    value = float(f"{value:.3g}")  # 9.999 is as long as 10
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def problems(cells: Cells) -> list[str]:
    """Return what could not be measured, a line each."""
    return [
        f"{target} {program} {way}: {cell['error'].strip().splitlines()[-1]}"
        for (target, program, way), cell in sorted(cells.items())
        if cell.get("error")
    ]
