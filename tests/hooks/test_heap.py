"""examples/hooks/heap.c: its figures are those that a program counts itself, line by line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from inst.target.targets import Target
from tests.conftest import ROOT, Shell

HERE = Path(__file__).parent
HEAP = ROOT / "examples" / "hooks" / "heap.c"
ROW = re.compile(r"(\d+) +(\d+) +(\d+) +(\d+) +0x\w+ \S+ counted_heap.c:(\d+)")
Figures = dict[int, tuple[int, ...]]


def reported(text: str) -> list[tuple[Figures, tuple[int, ...]]]:
    """Return the rows by line, and the sums, of each process's report."""
    found = []
    for part in text.split("heap of process ")[1:]:
        _, _, *rows, last = part.strip().splitlines()
        matches = [ROW.fullmatch(row.strip()) for row in rows]
        assert all(matches), part
        numbers = [tuple(map(int, match.groups())) for match in matches if match]
        sums = tuple(map(int, last.removesuffix("in all").split()))
        found.append(({line: tuple(rest) for *rest, line in numbers}, sums))
    return found


def counted(text: str) -> list[Figures]:
    """Return what each process counted itself."""
    found = []
    for part in text.split("end\n")[:-1]:
        numbers = [tuple(map(int, line.split())) for line in part.splitlines()]
        found.append({line: tuple(rest) for line, *rest in numbers})
    return found


@pytest.mark.rotated(turns=True)
def test_figures_are_what_the_program_counts(shell: Shell, target: Target) -> None:
    options = ("-g", "-O1", "-w", "-fno-builtin", "-pthread")
    command = (*target.compiler, *options, HERE / "counted_heap.c", "-o", "program")
    shell.check("inst-cc", f"--inst-hooks={HEAP}", *command)
    own = counted(shell.check("inst", "run", "./program", HEAP_OUT="heap.txt"))
    text = (shell.directory / "heap.txt").read_bytes()
    found = reported(shell.check("inst", "symbols", "./program", stdin=text))
    assert [rows for rows, _ in found] == own
    for rows, sums in found:
        assert sums == tuple(sum(column) for column in zip(*rows.values(), strict=True))
