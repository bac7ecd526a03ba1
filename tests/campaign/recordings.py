"""Programs of the bench recorded for re-execution, held against the emulator's own record.

Each is compiled at -O2 with `--inst-record=loads` and run on its short input. The trace that
re-execution gives has to be what the emulator saw of the same run, access for access, and the
loads have to bring what was stored before (`truth.harness`).
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from truth.emulator import build_plugins
from truth.harness import Build, check_program

from inst.target.targets import TARGETS
from tests.bench.programs import PROGRAMS, WORK
from tests.campaign.rows import append_row, read_rows

_BY_ADDRESSES = frozenset(("lua",))
"""Programs that hash addresses: the plain and the recorded one do not run the same."""


@dataclass(frozen=True, slots=True)
class _Cell:
    """One program on one target."""

    program: str
    target: str

    @property
    def name(self) -> str:
        """Return what it is called among the results."""
        return f"{self.target} {self.program}"


def run_recordings(
    results: Path,
    targets: Iterable[str],
    programs: Iterable[str],
    jobs: int,
    seconds: float,
) -> bool:
    """Run the cells that have no result yet until the time is over; return whether all agree.

    `programs` are words of which a program's name must contain one; none: all programs.
    """
    done = {row["case"]: row for row in read_rows(results)}
    words = tuple(programs)
    cells = [cell for cell in _cells(targets, words) if cell.name not in done]
    end = time.monotonic() + seconds
    for row in _judged(cells, results.parent, jobs, end):
        done[row["case"]] = row
        append_row(results, row)
        print(_line(row), flush=True)
    failed = [row for row in done.values() if row["problems"]]
    print(f"recordings: {len(done) - len(failed)} agree, {len(failed)} do not", flush=True)
    return not failed


def _cells(targets: Iterable[str], words: tuple[str, ...]) -> Iterator[_Cell]:
    for program in PROGRAMS:
        if not words or any(word in program for word in words):
            yield from (_Cell(program, target) for target in targets)


def _judged(cells: list[_Cell], directory: Path, jobs: int, end: float) -> Iterator[dict[str, Any]]:
    """Yield results as they come; cells whose turn comes after the end are left out."""
    for cell in cells:  # what several cells build from is made once
        PROGRAMS[cell.program].prepare()
        PROGRAMS[cell.program].arguments(PROGRAMS[cell.program].sizes[1])
    with ProcessPoolExecutor(jobs, initializer=os.nice, initargs=(5,)) as pool:
        pending = [pool.submit(_judge, cell, directory, end) for cell in cells]
        for future in as_completed(pending):
            row = future.result()
            if row is not None:
                yield row


def _judge(cell: _Cell, directory: Path, end: float) -> dict[str, Any] | None:
    """Compare one cell; None if the time is over."""
    start = time.monotonic()
    if start > end:
        return None
    place = directory / "recordings" / cell.name.replace(" ", "-")
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    try:
        accesses, problems = _compare(cell, place)
    except Exception as error:  # what a defect of ours raises is a result as well
        accesses, problems = 0, f"{type(error).__name__}: {error}"
    finally:
        shutil.rmtree(place)
    took = round(time.monotonic() - start)
    return {"case": cell.name, "accesses": accesses, "problems": problems, "seconds": took}


def _compare(cell: _Cell, place: Path) -> tuple[int, str]:
    """Return how many accesses agree, and what does not."""
    program, target = PROGRAMS[cell.program], TARGETS[cell.target]
    sources = program.sources(target)
    flags = ("-O2", *sources.flags)
    build = Build(target, flags, sources.libraries, "record", "loads", in_process=True, record=True)
    os.chdir(WORK)  # arguments are names in it
    first, *more = sources.files
    verdict = check_program(
        build_plugins(place),
        build,
        first,
        place,
        program.arguments(program.sizes[1]),
        more,
        alike=cell.program not in _BY_ADDRESSES,
    )
    if verdict.plain is None or verdict.plain.status:
        return verdict.accesses, f"the plain program gave {verdict.plain}"
    return verdict.accesses, "\n".join(verdict.problems[:8])


def _line(row: dict[str, Any]) -> str:
    said = row["problems"] or "all agree"
    return f"{row['case']}: {row['accesses']:,} accesses, {row['seconds']} s: {said}"
