"""Several processors, each with its ring: their events in the order in which they happened."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from inst.program.program import Program
from inst.trace import open_trace
from inst.trace.model import Array, Kind, joined
from tests.board.boards import BOARDS, Board, running
from tests.conftest import ROOT, Shell, require_tools

FILES = Path(__file__).parent / "files"
SHARED, TURNS = 8, 400
TWO = replace(
    BOARDS["mpc8544ds"],
    emulator=("qemu-system-ppc64", "-accel", "tcg,thread=multi", "-M", "mpc8544ds", "-nic", "none"),
)
"""The board in the emulator that has a thread of its own for each processor."""


def make(shell: Shell, board: Board, name: str, bug: str = "") -> Path:
    """Build a program of `FILES` or of the examples for two processors."""
    require_tools("make", board.emulator[0], board.compiler[0])
    shutil.copytree(ROOT / "examples/board", shell.directory, dirs_exist_ok=True)
    for file in FILES.glob("two*"):
        shutil.copy(file, shell.directory)
    script = shell.directory / f"{board.name}.ld"
    script.write_text(script.read_text().replace("LENGTH = 1M", "LENGTH = 4M"))
    with (shell.directory / "Makefile").open("a") as makefile:
        makefile.write("\ntwo.elf: two-start.o\n")
    variables = (f"BOARD={board.name}", "RING=2M", "OPTIONS=--inst-cpus=2", f"BUG={bug}")
    shell.check("make", "-s", *variables, f"{name}.elf")
    return shell.directory / f"{name}.elf"


def dumped(shell: Shell, board: Board, program: Path, *options: str) -> tuple[Array, str]:
    """Run a program and dump its rings; return the events, and the program's output."""
    with running(board, program, options) as run:
        shell.check("inst", "dump", "--gdb", run.where, "-o", "t.rst", program)
        return joined([*open_trace(shell.directory / "t.rst").events()]), run.output


def findings(shell: Shell, program: Path) -> str:
    """Return what `inst check` says."""
    return shell.run("inst", "check", "--program", program, "t.rst").stdout.decode()


def test_order_of_two_processors(shell: Shell) -> None:
    """What a lock protects is read as it was written last, in the order of the trace."""
    program = make(shell, TWO, "two")
    events, output = dumped(shell, TWO, program, "-smp", "2")
    assert "right" in output
    places = events["value"][events["kind"] == Kind.ORDER]
    assert places.tolist() == [*range(1, len(places) + 1)], "of two whole rings"
    start = next(row[0] for row in Program(program).variables() if row[2] == "shared")
    of_lock = (events["address"] >= start) & (events["address"] < start + 4 * SHARED)
    accesses = events[of_lock & np.isin(events["kind"], (Kind.READ, Kind.WRITE))]
    held: dict[int, int] = {}
    for kind, address, value in accesses[["kind", "address", "value"]].tolist():
        if kind == Kind.WRITE:
            held[address] = value
        else:
            assert value == held.get(address, 0)
    assert set(held.values()) == {2 * TURNS}
    turns = np.flatnonzero(np.diff(accesses["thread"]))
    assert len(turns) > TURNS // 20, "the processors have taken turns"
    assert "error" not in findings(shell, program)


def test_race_of_two_processors(shell: Shell) -> None:
    program = make(shell, TWO, "two", bug="-DBUG_NO_LOCK")
    dumped(shell, TWO, program, "-smp", "2")
    said = findings(shell, program)
    assert "[race]" in said and "two.c" in said


@pytest.mark.parametrize("name", sorted(BOARDS))
def test_places_of_one_processor(name: str, shell: Shell) -> None:
    """The start, each lock and each atomic access have one."""
    board = BOARDS[name]
    (shell.directory / "places.c").write_text(PLACES)
    program = make(shell, board, "places")
    _, output = dumped(shell, board, program)
    assert "done" in output
    events = [*open_trace(shell.directory / "t.rst").objects()]
    orders = [one for one in events if one.kind == Kind.ORDER]
    assert [one.value for one in orders] == [*range(1, len(orders) + 1)]
    words = [one.detail for one in orders]
    assert words.count("") == 1 + 2 * ROUNDS
    assert sum(word in ("acquire", "release", "acq_rel") for word in words) >= 2 * ROUNDS


ROUNDS = 5
PLACES = f"""#include <inst/annotate.h>
#include "board.h"
static unsigned lock, word;
int main(void)
{{
    for (int n = 0; n < {ROUNDS}; n++) {{
        while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE))
            ;
        INST_LOCK(&word);
        word++;
        INST_UNLOCK(&word);
        __atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
    }}
    board_halt();
}}
"""
