"""The ring as text that the program writes to its console: all of it, or what is new."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from inst.program.program import Program
from inst.trace import open_trace
from inst.trace.model import Array, Kind, joined
from tests.board.boards import Board, running
from tests.conftest import Shell

Build = Callable[..., Path]

PROGRAM = """#include "board.h"
#include <inst/annotate.h>
volatile unsigned cells[4];
int main(void)
{
    for (unsigned n = 0; n < COUNT; n++) {
        cells[n & 3] = n;
        if (n % EACH == EACH - 1)
            INST_DRAIN(board_putchar);
    }
    INST_WAY(board_putchar);
    board_print("\\n");
    INST_PAUSE();
    board_halt();
}
"""
_OPTIONS = "INST=inst-cc --inst-runtime=bare --inst-ring-size=2K --inst-except=board_putchar"


def _built(shell: Shell, board: Board, directory: Path, count: int, each: int, way: str) -> Path:
    text = PROGRAM.replace("COUNT", str(count)).replace("EACH", str(each))
    (directory / "lines.c").write_text(text.replace("INST_WAY", way))
    shell.check("make", "-s", "-W", "lines.c", "-W", "board.c", "-W", f"{board.name}.c", "-C",
                directory, f"BOARD={board.name}", _OPTIONS, "lines.elf")  # fmt: skip
    return directory / "lines.elf"


def _stored(events: Array, program: Path) -> list[int]:
    """Return what was written to `cells`."""
    at, size = {name: (at, size) for at, size, name in Program(program).variables()}["cells"]
    inside = (events["address"] >= at) & (events["address"] < at + size)
    return [int(value) for value in events["value"][inside & (events["kind"] == Kind.WRITE)]]


def _events(path: Path) -> Array:
    return joined([*open_trace(path).events()])


def test_a_dump_is_what_memory_holds(board: Board, built: Build, shell: Shell) -> None:
    program = _built(shell, board, built(), 50, 1000, "INST_DUMP")
    with running(board, program) as run:
        shell.check("inst", "dump", "--gdb", run.where, "-o", "a.rst", program)
        (shell.directory / "log").write_text("boot\r\n" + run.output.replace("\n", "\r\n"))
    shell.check("inst", "dump", "-o", "b.rst", program, "log")
    there, sent = _events(shell.directory / "a.rst"), _events(shell.directory / "b.rst")
    assert there["kind"][-1] == Kind.GAP, "paused"
    assert sent["pc"].tolist() == there["pc"][:-1].tolist()[: len(sent)]
    assert sent["value"].tolist() == there["value"][: len(sent)].tolist()
    assert _stored(sent, program) == list(range(50))


def test_what_is_new_adds_up(board: Board, built: Build, shell: Shell) -> None:
    """Longer than the ring; drained often enough, nothing is lost."""
    program = _built(shell, board, built(), 200, 20, "INST_DRAIN")
    with running(board, program) as run:
        (shell.directory / "log").write_text(run.output)
    assert shell.run("inst", "dump", "-o", "t.rst", program, "log").stderr == b""
    events = _events(shell.directory / "t.rst")
    assert _stored(events, program) == list(range(200))
    assert np.count_nonzero(events["kind"] == Kind.GAP) == 1, "the start"


def test_what_came_too_late_is_counted(board: Board, built: Build, shell: Shell) -> None:
    program = _built(shell, board, built(), 300, 150, "INST_DRAIN")
    with running(board, program) as run:
        (shell.directory / "log").write_text(run.output)
    done = shell.run("inst", "dump", "-o", "t.rst", program, "log")
    events = _events(shell.directory / "t.rst")
    gaps = events[events["kind"] == Kind.GAP]
    lost, stored = int(gaps["value"].sum()), _stored(events, program)
    assert f"{lost} are not here: they were overwritten" in done.stderr.decode()
    assert lost > 300 - len(stored), "all stores, and the start of the program"
    assert (stored[-1], len(gaps), len(stored)) == (299, 2, 2 * 64)
    found = [value for value in stored if value < 150]
    assert found == list(range(found[0], 150)), "the newest before each drain"


def test_damaged_lines_are_counted(board: Board, built: Build, shell: Shell) -> None:
    program = _built(shell, board, built(), 50, 1000, "INST_DUMP")
    with running(board, program) as run:
        lines = run.output.split("\n")
    numbers = [n for n, line in enumerate(lines) if line.startswith("inst-ring ")]
    lines[numbers[10]] = lines[numbers[10]].replace("0", "1", 5)
    lines[numbers[11]] = lines[numbers[11]][:30]
    (shell.directory / "log").write_text("\n".join(lines))
    done = shell.run("inst", "dump", "-o", "t.rst", program, "log")
    assert done.returncode == 0
    assert "2 lines of the ring are damaged" in done.stderr.decode()
    assert "2 are not here" in done.stderr.decode()
    (shell.directory / "log").write_text("\n".join(lines[numbers[0] + 1 :]))
    done = shell.run("inst", "dump", "-o", "t.rst", program, "log")
    assert (done.returncode, b"no whole line has the head" in done.stderr) == (2, True)
