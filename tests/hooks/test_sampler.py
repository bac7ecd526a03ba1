"""examples/hooks/sampler.c: its samples are those that a trace of the same program has."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from inst.program.program import Program
from inst.target.targets import Target
from inst.trace import open_trace
from inst.trace.model import Kind
from tests.conftest import ROOT, Shell

HERE = Path(__file__).parent
SAMPLER = ROOT / "examples" / "hooks" / "sampler.c"
EVERY = 7
ROW = re.compile(r"(\d+) (load|store) (\d+) 0x\w+.* at 0x\w+ (\w+)\+0x\w+ .*sampled\.c:(\d+)")
Row = tuple[str, int, str, int]
"""Load or store, the size, the function and the line."""


def traced(program: Path, trace: Path) -> list[Row]:
    """Return the accesses that a trace has of the function and of what it calls."""
    table, found = Program(program), []
    for event in open_trace(trace).objects():
        if event.kind not in (Kind.READ, Kind.WRITE) or event.pc is None:
            continue
        name = table.function(event.pc)[0]
        if name in ("work", "helper"):
            kind = "load" if event.kind == Kind.READ else "store"
            found.append((kind, event.size, name, table.source_line(event.pc)[1]))
    return found


@pytest.mark.rotated(turns=True)
def test_samples_are_those_of_the_trace(shell: Shell, target: Target) -> None:
    hooks = f"--inst-hooks={SAMPLER} -DSAMPLE=work -DSAMPLE_EVERY={EVERY}"
    command = (*target.compiler, "-g", "-O1", HERE / "sampled.c", "-static", "-o")
    shell.check("inst-cc", "--inst-functions", hooks, *command, "sampled")
    shell.check("inst-cc", "--inst-hooks=rst", *command, "program")
    shell.check("inst", "run", "-o", "program.rst", "./program")
    shell.check("inst", "run", "./sampled", SAMPLER_OUT="samples.txt")
    expected = traced(shell.directory / "program", shell.directory / "program.rst")
    text = (shell.directory / "samples.txt").read_bytes()
    first, *rows, last = shell.check("inst", "symbols", "./sampled", stdin=text).splitlines()
    assert first.startswith("samples of process ")
    assert last == f"4 calls, {len(expected)} accesses"
    matches = [ROW.fullmatch(row) for row in rows]
    assert all(matches), rows
    found = [match.groups() for match in matches if match]
    assert [int(number) for number, *_ in found] == [*range(EVERY, len(expected) + 1, EVERY)]
    for number, kind, size, name, line in found:
        assert (kind, int(size), name, int(line)) == expected[int(number) - 1]
