"""Interrupts at any instruction, with two tasks: every record is there, whole and in its place.

Two tasks and the handler of the timer have functions of their own. What each of them recorded is
compared with what the emulator saw it do; between them an access of the emulator's record and its
record may change places, since an interrupt may come between the two.  The emulator counts
instructions as time: interrupts come between any two of them, and in each run at the same ones.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from truth.emulator import ACCESS, Plugins, write_ranges

from inst.program.program import Program
from inst.program.sitetable import read_sites
from inst.trace import open_trace
from inst.trace.model import Array, Kind, joined
from tests.board.boards import Board, running
from tests.conftest import Shell

CONTEXTS = ("first_task", "second_task", "board_tick", "board_interrupt_after", "main")
"""Functions that each run in one task, or in the handler only."""
COUNTS_AS_TIME = ("-icount", "shift=5,sleep=off")
"""Options of the emulator: an instruction takes 32 nanoseconds."""
Row = tuple[int, int, int, int]


def _by_function(program: Program, columns: list[Array]) -> dict[str, list[Row]]:
    """Return the rows (pc, address, size, store) of each function of `CONTEXTS`."""
    found: dict[str, list[Row]] = {name: [] for name in CONTEXTS}
    names = {int(pc): program.function(int(pc))[0] for pc in np.unique(columns[0])}
    for row in zip(*(column.tolist() for column in columns), strict=True):
        found.setdefault(names[row[0]], []).append(row)
    return found


def _run(board: Board, program: Path, plugins: Plugins, shell: Shell) -> tuple[Array, Array, str]:
    """Run the tasks; return the emulator's record, the trace's events, and the dump's notes."""
    sites = [(site.address, site.address + 4) for site in read_sites(program)]
    log = shell.directory / "log"
    option = f"{plugins.memlog},out={log},only={write_ranges(log, sites)}"
    with running(board, program, (*COUNTS_AS_TIME, "-plugin", option)) as run:
        done = shell.run("inst", "dump", "--gdb", run.where, "-o", "t.rst", program)
    said = done.stderr.decode()
    assert done.returncode == 0, said
    events = joined([*open_trace(shell.directory / "t.rst").events()])
    return np.fromfile(log, ACCESS)[1:], events, said


@pytest.mark.parametrize("size", ["1M", "16K"])
def test_tasks_and_their_interrupts(
    size: str,
    board: Board,
    built: Callable[..., Path],
    plugins: Plugins,
    shell: Shell,
) -> None:
    program = built(f"RING={size}") / "tasks.elf"
    log, events, said = _run(board, program, plugins, shell)
    assert "not complete" not in said
    accesses = events[np.isin(events["kind"], (Kind.READ, Kind.WRITE))]
    stores = (accesses["kind"] == Kind.WRITE).astype("u2")
    elf = Program(program)
    recorded = [accesses["pc"], accesses["address"], accesses["size"], stores]
    ours = _by_function(elf, recorded)
    theirs = _by_function(elf, [log["pc"], log["address"], log["size"], log["store"]])
    lost = int(events["value"][0]) if "overwritten" in said else 0
    assert lost + len(accesses) + (0 if lost else 1) == len(log) + 1
    assert len(theirs["board_tick"]) > 1000, "200 interrupts"
    for name, rows in theirs.items():
        kept = ours.get(name, [])
        assert kept == rows[len(rows) - len(kept) :], name
    assert lost or len(accesses) == len(log)
