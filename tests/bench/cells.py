"""Measure one cell of the cost bench: a program, built in one way, for a target.

Instructions are counted by the emulator's plugin, in a run of its own. Processor time is that of
pairs of runs, the plain program's first. Every run must end and print as the plain program's.
A cell is kept under the digest of the programs that were run and of what they were given.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from inst.target.emulator import command_for
from inst.target.model import Target
from tests.bench.building import build, digest
from tests.bench.programs import WORK, Program
from tests.bench.ways import WAYS, Way

SECONDS = 2.0
"""A cell that has taken so much processor time gets no further pair of runs."""
_FORM = "2"
"""Changes when cells of an earlier form cannot be used."""
_ACCESSES = ("ldb", "ldh", "ldw", "ldd", "ldq", "stb", "sth", "stw", "std", "stq", "ll", "stblock")
"""The events of the library `count` that are accesses of the program itself."""

Cell = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Run:
    """How a run ended."""

    output: str
    """A digest of its standard output and its status."""
    user: float
    system: float
    """Seconds of processor time, of the program's process and those it started."""


@dataclass(slots=True)
class Measurement:
    """What all cells of a program for a target share."""

    program: Program
    target: Target
    plugins: dict[str, Path]
    pairs: int = 3
    _counted: dict[tuple[str, bool], tuple[int, Run]] = field(default_factory=dict)
    _accesses: dict[tuple[bool, str], int] = field(default_factory=dict)

    def cell(self, way: Way) -> tuple[Cell, bool]:
        """Return a cell, and whether it was measured now; one that cannot be built says why."""
        try:
            made, base = self._build(way), self._build(WAYS[way.against])
            kept = WORK / "cells" / f"{self._title(way)}.json"
            key = self._key(way, made, base)
            if kept.exists() and (cell := json.loads(kept.read_text()))["key"] == key:
                return cell, False
            cell = {"key": key, **self._measure(way, made, base)}
        except RuntimeError as error:
            return {"error": str(error)}, True
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps(cell, indent=2) + "\n")
        return cell, True

    def _build(self, way: Way) -> Path:
        return build(self.program, way, self.target)

    def _title(self, way: Way) -> str:
        return f"{self.target.name}-{self.program.name}-{way.name}"

    def _key(self, way: Way, made: Path, base: Path) -> str:
        words = self._arguments(way.short)
        given = [Path(WORK, word) for word in words]
        files = [made, base, *self.plugins.values(), *filter(Path.is_file, given)]
        if way.trace or way.static:  # what is divided by what it counts
            files.append(self._build(WAYS["count"]))
        return digest(files, [_FORM, str(self.pairs), *words])

    def _arguments(self, short: bool) -> list[str]:
        return self.program.arguments(self.program.sizes[short])

    def _measure(self, way: Way, made: Path, base: Path) -> Cell:
        cell: Cell = {"error": ""}
        if not way.plugin:
            plain, wanted = self._count(way.against, base, way.short)
            instructions, run = self._count(way.name, made, way.short)
            self._hold(run, wanted)
            cell |= {"instructions": instructions, "base_instructions": plain}
        cell["seconds"] = self._time(way, made, base, cell)
        if way.trace or way.static:
            cell["accesses"] = self.accesses(way.short)
        if way.static:
            cell["reported"] = self.accesses(way.short, way.name)
        return cell

    def _count(self, name: str, made: Path, short: bool) -> tuple[int, Run]:
        """Run a program with its instructions counted."""
        if (name, short) not in self._counted:
            with tempfile.TemporaryDirectory(dir=WORK) as temporary:
                log = Path(temporary, "count")
                plugin = f"{self.plugins['insncount']},out={log}"
                run = self._run(made, short, Path(temporary, "trace"), plugin)
                self._counted[name, short] = int(log.read_text().split()[1]), run
        return self._counted[name, short]

    def _time(self, way: Way, made: Path, base: Path, cell: Cell) -> list[list[list[float]]]:
        """Run pairs; what a trace takes on disk goes into the cell."""
        pairs: list[list[list[float]]] = []
        spent = 0.0
        while len(pairs) < self.pairs and (not pairs or spent < SECONDS):
            with tempfile.TemporaryDirectory(dir=WORK) as temporary:
                trace = Path(temporary, f"trace.{way.trace}")
                plugin = f"{self.plugins['access16']},out={trace}" if way.plugin else ""
                plain = self._run(base, way.short, Path(temporary, "none"))
                run = self._run(made, way.short, trace, plugin)
                self._hold(run, plain)
                if way.trace and not pairs:
                    cell |= _sizes(trace, packed=bool(way.hooks))
            pairs.append([[round(one.user, 4), round(one.system, 4)] for one in (plain, run)])
            spent += sum(map(sum, pairs[-1]))
        return pairs

    def accesses(self, short: bool, way: str = "count") -> int:
        """Return how many accesses the library `count` counts in the program of a way."""
        if (short, way) not in self._accesses:
            with tempfile.TemporaryDirectory(dir=WORK) as temporary:
                table = Path(temporary, "table")
                self._run(self._build(WAYS[way]), short, table)
                self._accesses[short, way] = accesses_in(table.read_text())
        return self._accesses[short, way]

    def _run(self, made: Path, short: bool, trace: Path, plugin: str = "") -> Run:
        # The program's own name would be a difference between two runs.
        options = ("-0", "program", *(("-plugin", plugin) if plugin else ()))
        command = command_for(made, self._arguments(short), options)
        environment = {"INST_OUT": str(trace), "CALLBACKS_OUT": str(trace)}
        return run_alone(command, environment)

    def _hold(self, run: Run, plain: Run) -> None:
        if run.output != plain.output:
            raise RuntimeError("the program's output or status is not the plain program's")


def run_alone(command: list[str], environment: dict[str, str]) -> Run:
    """Run a command in `WORK` and return how it ended."""
    with (
        tempfile.TemporaryFile() as output,
        subprocess.Popen(
            command,
            cwd=WORK,
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.DEVNULL,
        ) as process,
    ):
        _, status, usage = os.wait4(process.pid, 0)  # of this process alone, unlike RUSAGE_CHILDREN
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        said = digest([], [str(process.returncode), output.read().hex()])
    return Run(said, usage.ru_utime, usage.ru_stime)


def accesses_in(table: str) -> int:
    """Return the accesses in what the library `count` writes."""
    counts = dict(line.split() for line in table.splitlines())
    return sum(int(counts[kind]) for kind in _ACCESSES)


def _sizes(trace: Path, *, packed: bool) -> Cell:
    """Return the bytes of a trace, and those that `zstd -3` makes of it."""
    sizes = {"bytes": trace.stat().st_size}
    if packed:
        command = ["zstd", "-3", "-T1", "-q", "--rm", str(trace)]
        subprocess.run(command, check=True)
        sizes["packed"] = trace.with_name(f"{trace.name}.zst").stat().st_size
    return sizes
