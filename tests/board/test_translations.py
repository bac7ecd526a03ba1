"""The page table of examples/board/mmu.c: its accesses, and seeded bugs, without an annotation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet
from truth.emulator import Plugins

from inst.program.program import Program
from inst.trace import open_trace
from inst.trace.model import Kind
from tests.board.boards import Board, running
from tests.board.recorded import accesses_of, accesses_seen, by_function, recorded
from tests.conftest import Shell

FUNCTIONS = ("user", "pager", "board_tick", "mmu_map", "mmu_unmap", "main")
Build = Callable[..., Path]
BUGS = {
    ("mpc8544ds", "NONE"): "",
    ("mpc8544ds", "REPLACE"): "valid-to-valid",
    ("mpc8544ds", "NO_FLUSH"): "unclean-to-valid",
    ("mpc8544ds", "NO_TLBSYNC"): "unclean-to-valid",
    ("mpc8544ds", "NO_LOCK"): "lock-not-held",
    ("leon3", "NONE"): "",
    ("leon3", "REPLACE"): "",
    ("leon3", "NO_FLUSH"): "stale-translation",
    ("leon3", "NO_LOCK"): "lock-not-held",
}
"""Board and bug -> the only code of `inst check`. On SPARC replacing is right before a flush."""


def _bugs() -> Iterator[ParameterSet]:
    """Yield each bug with both ways to record, which take turns without a campaign."""
    for row, (board, bug) in enumerate(BUGS):
        for column, way in enumerate(("calls", "inline")):
            marks = [pytest.mark.campaign] if (row + column) % 2 else []
            yield pytest.param(board, bug, way, marks=marks)


@pytest.mark.parametrize(("board", "bug", "way"), [*_bugs()], indirect=["board", "way"])
def test_bugs_of_the_page_table(
    bug: str, board: Board, built: Build, shell: Shell, way: tuple[str, ...]
) -> None:
    directory, code = built(*way), BUGS[board.name, bug]
    variables = (f"BOARD={board.name}", "RING=1M", f"BUG=-DBUG_{bug}", *way)
    changed = ("-W", "mmu.c", "-W", f"{board.name}-mmu.c")
    shell.check("make", "-s", *changed, "-C", directory, *variables, "mmu.elf")
    program = directory / "mmu.elf"
    with running(board, program) as run:
        shell.check("inst", "dump", "--gdb", run.where, "-o", "t.rst", program)
        output = run.output
    assert ("lost" in output) == (bug == "NO_FLUSH"), "the others happen to do no harm here"
    done = shell.run("inst", "check", "--program", program, "t.rst")
    lines = done.stdout.decode().splitlines()
    found = {line.rpartition("[")[2].rstrip("]") for line in lines if ": error: " in line}
    assert found == ({code} if code else set()), done.stdout.decode()
    if code:
        functions = ("mmu_map", "mmu_unmap", "pager", "user")
        assert any(f"in {name}" in line for line in lines for name in functions)
    events = list(open_trace(shell.directory / "t.rst").objects())
    wanted = "tlbwe" if board.name == "mpc8544ds" else "flush.page"
    found = [one for one in events if one.kind == Kind.TLBI and one.detail == wanted]
    # Each page was missed in the TLB once; one is flushed at each move.
    assert len(found) >= 4 or bug == "NO_FLUSH"


def test_accesses_by_addresses_that_are_translated(
    board: Board, built: Build, plugins: Plugins, shell: Shell, way: tuple[str, ...]
) -> None:
    program = built("RING=1M", *way) / "mmu.elf"
    log, events, said = recorded(board, program, plugins, shell, expected="all there\n")
    assert "not complete" not in said and "overwritten" not in said
    elf = Program(program)
    ours = by_function(elf, accesses_of(events), FUNCTIONS)
    theirs = by_function(elf, accesses_seen(log), FUNCTIONS)
    assert ours == theirs
    assert {row[1] >> 12 for row in ours["user"]} >= {0x30000, 0x30001, 0x30002, 0x30003}
