"""Damaged traces, programs, assembly and command lines, through every command.

Each mutant is made from its number, so a defect is found again by its kind and number.  Numbers
are tried in batches, each in a process with limits of time and memory for every command.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from inst.target.targets import TARGETS
from tests.campaign.rows import append_row, read_rows
from tests.hostile import assembly_case, elf_case, option_case, programs, trace_case
from tests.hostile.mutants import Mutant, changed

BATCH = 100
"""Mutants in a batch; one target or format each."""
_BATCHES_OF_PROCESS = 20
"""After so many batches a process is replaced, with whatever memory it holds."""
_REPORT_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Batch:
    """Mutants of one kind with consecutive numbers."""

    kind: str
    start: int

    @property
    def name(self) -> str:
        """Return the batch on one line."""
        return f"{self.kind} {self.start}"

    @property
    def number(self) -> int:
        """Return how many batches of the kind come before."""
        return self.start // BATCH


def run_hostile(results: Path, count: int, jobs: int, seconds: float) -> bool:
    """Try so many mutants of each kind; return whether no defect was found.

    `results` gets a line for each batch; those that are there already are not run again.
    """
    done = _read(results)
    ended = time.monotonic() + seconds
    batches = [Batch(kind, start) for start in range(0, count, BATCH) for kind in KINDS]
    waiting = [batch for batch in batches if batch.name not in done]
    print(f"{len(waiting)} batches of {BATCH} mutants to run, {len(done)} are done", flush=True)
    reported = time.monotonic()
    for batch, found in _results(waiting, jobs, ended):
        if found is None:
            print(f"a process died at {batch.name}, or beside it; see --resume", file=sys.stderr)
            return False
        _keep(results, batch, found)
        done[batch.name] = found
        if time.monotonic() > reported + _REPORT_SECONDS:
            reported = time.monotonic()
            print(_line(done), flush=True)
    print(_line(done), flush=True)
    return not any(done.values())


def _results(
    batches: list[Batch], jobs: int, ended: float
) -> Iterator[tuple[Batch, list[str] | None]]:
    """Yield each batch that there was time for, with its defects; None if its process died.

    Processes are replaced after a while, all of them at once: a pool that replaces its own one
    by one (`max_tasks_per_child`) waits for ever in Python 3.11 once all have reached the number.
    """
    size = jobs * _BATCHES_OF_PROCESS
    for start in range(0, len(batches), size):
        if time.monotonic() > ended:
            return
        with ProcessPoolExecutor(jobs, initializer=_prepare) as pool:
            some = batches[start : start + size]
            futures = {pool.submit(_tried, batch, ended): batch for batch in some}
            for future in as_completed(futures):
                try:
                    found = future.result()
                except BrokenProcessPool:
                    yield futures[future], None
                    return
                if found is not None:
                    yield futures[future], found


def _prepare() -> None:
    """Give a process low priority and nothing to read."""
    os.nice(5)
    os.dup2(os.open(os.devnull, os.O_RDONLY), sys.stdin.fileno())


def _tried(batch: Batch, ended: float) -> list[str] | None:
    """Return the defects that a batch shows; None if there is no time left for it."""
    if time.monotonic() > ended:
        return None
    before = os.getcwd()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        try:
            defects = KINDS[batch.kind](batch, Path(scratch))
            return [f"{batch.kind}: {text}" for text in defects]
        finally:
            os.chdir(before)


def _traces(batch: Batch, directory: Path) -> Iterator[str]:
    traces = trace_case.TRACES | trace_case.tables()
    kind = sorted(traces)[batch.number % len(traces)]
    data = traces[kind]
    case = trace_case.Case(directory, kind)
    for mutant in _mutants(batch, data, range(len(data))):
        yield from (f"{kind}: {text}" for text in case.defects(mutant))


def _programs(batch: Batch, directory: Path) -> Iterator[str]:
    names = sorted(TARGETS)
    name = names[batch.number % len(names)]
    program = _program(name)
    case = elf_case.Case(directory, program.trace)
    for mutant in _mutants(batch, program.data, program.places):
        yield from (f"{name}: {text}" for text in case.defects(mutant))


@cache
def _program(name: str) -> programs.Program:
    with tempfile.TemporaryDirectory() as directory:
        return programs.build(TARGETS[name], Path(directory))


def _mutants(batch: Batch, data: bytes, places: range | tuple[int, ...]) -> Iterator[Mutant]:
    """Yield a batch's mutants of a file; every tenth is the file cut at one of the places."""
    for number in range(batch.start, batch.start + BATCH):
        if number % 10 == 0:
            place = places[number * 7919 % len(places)]
            yield Mutant(f"{number}: cut at {place}", data[:place])
        else:
            yield next(changed(data, places, number, 1))


def _assembly(batch: Batch, directory: Path) -> Iterator[str]:
    names = [(name, level) for name in sorted(TARGETS) for level in ("-O0", "-O2")]
    name, level = names[batch.number % len(names)]
    data = _compiled(name, level)
    case = assembly_case.Case(directory, TARGETS[name])
    for number in range(batch.start, batch.start + BATCH):
        yield from case.defects(assembly_case.mutant(data, number))


@cache
def _compiled(name: str, level: str) -> bytes:
    return assembly_case.compile_source(TARGETS[name], level)


def _options(batch: Batch, directory: Path) -> Iterator[str]:
    case = option_case.Case(directory)
    for number in range(batch.start, batch.start + BATCH):
        yield from case.defects(number)


KINDS: dict[str, Callable[[Batch, Path], Iterator[str]]] = {
    "traces": _traces,
    "programs": _programs,
    "assembly": _assembly,
    "options": _options,
}
"""What is damaged."""


def _keep(results: Path, batch: Batch, defects: list[str]) -> None:
    append_row(results, {"batch": batch.name, "defects": defects})
    for text in defects:
        print(text, file=sys.stderr, flush=True)


def _read(results: Path) -> dict[str, list[str]]:
    """Return the defects by batch."""
    return {row["batch"]: row["defects"] for row in read_rows(results)}


def _line(done: dict[str, list[str]]) -> str:
    """Return the mutants tried and the defects found of each kind."""
    tried = Counter(name.split()[0] for name in done)
    defects = Counter(name.split()[0] for name, found in done.items() for _ in found)
    return ", ".join(
        f"{kind}: {tried[kind] * BATCH} mutants, {defects[kind]} defects" for kind in KINDS
    )
