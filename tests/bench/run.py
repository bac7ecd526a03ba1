"""The cost bench: what each way to watch a program costs, and the translator.

    python -m tests.bench [--target ppc32] [--program gzip] [--way rst] [--pairs 5] [--jobs 1]

prints one table for all targets, of geometric means over the programs, with what is to be
reached beside the figures; and writes build/bench.md, which has each program's figures too, and
build/bench.json.
Cells are kept in build/bench/cells: only those whose program has changed are measured again
(all of them: --again). The status is 1 if a cell could not be measured, or a program that is
watched did not print what the plain one prints.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path

from inst.target.targets import TARGETS
from tests import warm
from tests.bench import ROOT, table
from tests.bench.building import plugins
from tests.bench.cells import Cell, Measurement
from tests.bench.programs import PROGRAMS, WORK
from tests.bench.translator import as_markdown, measure_all
from tests.bench.ways import ROWS, Way, available

NOTES = """\
Geometric means over {programs}, compiled with -O2. Instructions are exact; CPU time is the
median of at most {pairs} pairs of runs. clang's ratios are over clang's plain build. The callbacks
of the compilers do not report accesses to variables on the stack whose address is not taken, and
no values; the plugin reports the C library's accesses too, and no values. Bytes are divided by
the accesses that the library `count` counts in the program. `rst` has a third of the others' input.
"""
_ABSENT = "Left out, because this inst-cc has no option --inst-{}: {}.\n"


def main(arguments: list[str]) -> int:
    """Measure and write the results."""
    chosen = _parser().parse_args(arguments)
    targets = chosen.target or sorted(TARGETS)
    programs = [name for name in PROGRAMS if name in (chosen.program or PROGRAMS)]
    ways = [way for way in available() if way.name in (chosen.way or [way.name])]
    WORK.mkdir(parents=True, exist_ok=True)
    if chosen.again:
        shutil.rmtree(WORK / "cells", ignore_errors=True)
    cells = _measure(targets, programs, ways, chosen)
    translator = measure_all(targets, chosen.jobs) if chosen.translator else {}
    text = _report(cells, targets, programs, chosen.pairs)
    more = [table.details(cells, target, programs) for target in targets]
    more += [as_markdown(translator)] if translator else []
    results = {"cells": {"/".join(key): cell for key, cell in cells.items()}}
    results |= {"translator": translator} if translator else {}
    (ROOT / "build" / "bench.json").write_text(json.dumps(results, indent=2) + "\n")
    (ROOT / "build" / "bench.md").write_text("\n".join([text, *more]))
    print(text)
    if translator:
        print(as_markdown(translator))
    print("Written to build/bench.md, which has each program's figures, and build/bench.json.")
    return int(bool(table.problems(cells)))


def _measure(
    targets: list[str], programs: list[str], ways: list[Way], chosen: argparse.Namespace
) -> dict[tuple[str, str, str], Cell]:
    """Measure the programs for the targets, several at once."""
    for name in programs:  # what all share is not made by several at once
        PROGRAMS[name].prepare()
        for size in PROGRAMS[name].sizes:
            PROGRAMS[name].arguments(size)
    made = plugins(WORK)
    with (
        tempfile.TemporaryDirectory() as temporary,
        warm.serving(Path(temporary)),  # starts inst-cc
        ThreadPoolExecutor(chosen.jobs) as pool,
    ):

        def of_one(place: tuple[str, str]) -> dict[tuple[str, str, str], Cell]:
            program, target = place
            one = Measurement(PROGRAMS[program], TARGETS[target], made, chosen.pairs)
            return {(target, program, way.name): _cell(one, way) for way in ways}

        found = pool.map(of_one, product(programs, targets))
        return {key: cell for cells in found for key, cell in cells.items()}


def _cell(one: Measurement, way: Way) -> Cell:
    """Measure a cell and say so, as the whole takes minutes."""
    start = time.monotonic()
    cell, measured = one.cell(way)
    how = cell["error"] or (f"{time.monotonic() - start:.1f} s" if measured else "kept")
    print(f"  {one.target.name} {one.program.name} {way.name}: {how}", file=sys.stderr, flush=True)
    return cell


def _report(
    cells: dict[tuple[str, str, str], Cell], targets: list[str], programs: list[str], pairs: int
) -> str:
    """Return the table, and what it leaves out."""
    notes = NOTES.format(programs=", ".join(programs), pairs=pairs)
    there = available()
    left = [way for way in ROWS if way not in there]
    absent = [_ABSENT.format(left[0].needs, "; ".join(way.title for way in left))] if left else []
    failed = [f"not measured: {line}" for line in table.problems(cells)]
    return "\n".join(
        ["# What it costs", "", table.summary(cells, targets, programs), notes, *absent, *failed]
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add = parser.add_argument
    add("--target", action="append", choices=sorted(TARGETS), help="default: all")
    add("--program", action="append", choices=list(PROGRAMS), help="default: all")
    add("--way", action="append", choices=[way.name for way in ROWS], help="default: all")
    add("--pairs", type=int, default=3, help="pairs of runs that are timed (default: 3)")
    add("--jobs", type=int, default=os.cpu_count(), help="measured at once (default: all cores)")
    add("--again", action="store_true", help="measure what is kept, too")
    add("--translator", action="store_true", help="measure the translator, too")
    return parser
