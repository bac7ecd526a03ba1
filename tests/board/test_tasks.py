"""Interrupts at any instruction, with two tasks: every record is there, whole and in its place.

Two tasks and the handler of the timer have functions of their own. What each of them recorded is
compared with what the emulator saw it do; between them an access of the emulator's record and its
record may change places, since an interrupt may come between the two.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from truth.emulator import Plugins

from inst.program.program import Program
from tests.board.boards import Board
from tests.board.recorded import accesses_of, accesses_seen, by_function, recorded
from tests.conftest import Shell

CONTEXTS = ("first_task", "second_task", "board_tick", "board_interrupt_after", "main")
"""Functions that each run in one task, or in the handler only."""


@pytest.mark.parametrize("size", ["1M", "16K"])
def test_tasks_and_their_interrupts(
    size: str,
    board: Board,
    built: Callable[..., Path],
    plugins: Plugins,
    shell: Shell,
) -> None:
    program = built(f"RING={size}") / "tasks.elf"
    log, events, said = recorded(board, program, plugins, shell)
    assert "not complete" not in said
    elf, columns = Program(program), accesses_of(events)
    ours = by_function(elf, columns, CONTEXTS)
    theirs = by_function(elf, accesses_seen(log), CONTEXTS)
    number = len(columns[0])
    lost = int(events["value"][0]) if "overwritten" in said else 0
    assert lost + number + (0 if lost else 1) == len(log) + 1
    assert len(theirs["board_tick"]) > 1000, "200 interrupts"
    for name, rows in theirs.items():
        kept = ours.get(name, [])
        assert kept == rows[len(rows) - len(kept) :], name
    assert lost or number == len(log)
