"""The tables of the 1994 paper: run time, overheads, how often each hook was called."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Measured:
    """What was measured on one target; keys are names of tasks and of variants."""

    target: str
    seconds: dict[tuple[str, str], float] = field(default_factory=dict)
    instructions: dict[tuple[str, str], int] = field(default_factory=dict)
    counts: dict[str, dict[str, int]] = field(default_factory=dict)
    """For each task how often each hook was called."""
    findings: dict[str, str] = field(default_factory=dict)
    """For each task what the check memory-sound said of its trace."""
    unsound: list[str] = field(default_factory=list)
    """The tasks with such loads."""
    different: list[str] = field(default_factory=list)
    """Runs whose output is not that of the plain program."""


def as_text(measured: Measured, tasks: list[str], variants: list[str]) -> str:
    """Return all tables of a target."""
    seconds = [[name] for name in variants]
    instructions = [[name] for name in variants]
    for task in tasks:
        for row, name in enumerate(variants):
            seconds[row] += _cells(measured.seconds, task, name, variants[0], "{:.2f}")
            instructions[row] += _cells(measured.instructions, task, name, variants[0], "{:,}")
    heading = ["", *(word for task in tasks for word in (task, "x"))]
    parts = []
    if measured.seconds:
        parts += [
            f"{measured.target}: user processor time in seconds, and times the plain program's"
        ]
        parts += _aligned([heading, *seconds])
        parts += ["", f"{measured.target}: executed instructions, and times the plain one's"]
        parts += _aligned([heading, *instructions])
    if measured.counts:
        parts += ["", f"{measured.target}: how often each hook was called"]
        parts += _aligned([["", *tasks], *_count_rows(measured, tasks)])
    if measured.findings:
        parts += ["", f"{measured.target}: memory-sound on traces of small inputs"]
        parts += [f"{task}: {measured.findings[task]}" for task in measured.findings]
    return "\n".join(parts)


def _cells(
    values: dict[tuple[str, str], float] | dict[tuple[str, str], int],
    task: str,
    name: str,
    plain: str,
    style: str,
) -> list[str]:
    value = values.get((task, name))
    if value is None:
        return ["-", ""]
    base = values[task, plain]
    return [style.format(value), f"{value / base:.2f}" if base and name != plain else ""]


def _count_rows(measured: Measured, tasks: list[str]) -> list[list[str]]:
    hooks = list(dict.fromkeys(hook for task in tasks for hook in measured.counts.get(task, ())))
    return [
        [hook, *(f"{measured.counts.get(task, {}).get(hook, 0):,}" for task in tasks)]
        for hook in hooks
    ]


def _aligned(rows: list[list[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if place else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
