"""A program's run on a board as the ring has it, and as the emulator does.

The emulator counts instructions as time: interrupts come between any two of them, and in each run
at the same ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
from truth.emulator import ACCESS, Plugins, write_ranges

from inst.program.program import Program
from inst.program.sitetable import read_sites
from inst.trace import open_trace
from inst.trace.model import Array, Kind, joined
from tests.board.boards import Board, running
from tests.conftest import Shell

COUNTS_AS_TIME = ("-icount", "shift=5,sleep=off")
"""Options of the emulator: an instruction takes 32 nanoseconds."""
Row = tuple[int, int, int, int]


def accesses_of(events: Array) -> list[Array]:
    """Return the columns pc, address, size, store of a trace's accesses."""
    found = events[np.isin(events["kind"], (Kind.READ, Kind.WRITE))]
    stores = (found["kind"] == Kind.WRITE).astype("u2")
    return [found["pc"], found["address"], found["size"], stores]


def accesses_seen(log: Array) -> list[Array]:
    """Return the same columns of what the emulator saw."""
    return [log["pc"], log["address"], log["size"], log["store"]]


def by_function(
    program: Program, columns: list[Array], contexts: Iterable[str]
) -> dict[str, list[Row]]:
    """Return the rows (pc, address, size, store) of each of some functions."""
    found: dict[str, list[Row]] = {name: [] for name in contexts}
    names = {int(pc): program.function(int(pc))[0] for pc in np.unique(columns[0])}
    for row in zip(*(column.tolist() for column in columns), strict=True):
        found.setdefault(names[row[0]], []).append(row)
    return found


def recorded(
    board: Board,
    program: Path,
    plugins: Plugins,
    shell: Shell,
    expected: str = "",
    console: str = "",
    meanwhile: Callable[[str], None] | None = None,
) -> tuple[Array, Array, str]:
    """Run a program; return the emulator's record, the trace's events, and the dump's notes.

    The program's output has to have what is expected; it is written to the file `console`.
    `meanwhile` is called before the program has begun, with HOST:PORT of the emulator's gdb stub;
    then the emulator does not count instructions: with that it cannot return from all interrupts.
    """
    sites = [(site.address, site.address + 4) for site in read_sites(program)]
    log = shell.directory / "log"
    option = f"{plugins.memlog},out={log},only={write_ranges(log, sites)}"
    timing = ("-S",) if meanwhile else COUNTS_AS_TIME
    options = (*timing, "-plugin", option)
    with running(board, program, options, meanwhile or (lambda _where: None)) as run:
        assert expected in run.output
        if console:
            (shell.directory / console).write_text(run.output)
        done = shell.run("inst", "dump", "--gdb", run.where, "-o", "t.rst", program)
    said = done.stderr.decode()
    assert done.returncode == 0, said
    events = joined([*open_trace(shell.directory / "t.rst").events()])
    return np.fromfile(log, ACCESS)[1:], events, said
