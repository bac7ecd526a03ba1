"""Seeded bugs of the page table of examples/board/mmu.c, without an annotation."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from inst.trace import open_trace
from inst.trace.model import Kind
from tests.board.boards import Board, running
from tests.conftest import Shell

Build = Callable[..., Path]
BUGS = {
    "NONE": "",
    "REPLACE": "valid-to-valid",
    "NO_TLBIVAX": "unclean-to-valid",
    "NO_TLBSYNC": "unclean-to-valid",
    "NO_LOCK": "lock-not-held",
}
"""Bug -> the only code of `inst check`."""


@pytest.mark.parametrize("bug", BUGS)
@pytest.mark.parametrize("board", ["mpc8544ds"], indirect=True)
def test_bugs_of_the_page_table(bug: str, board: Board, built: Build, shell: Shell) -> None:
    directory, code = built(), BUGS[bug]
    variables = (f"BOARD={board.name}", "RING=1M", f"BUG=-DBUG_{bug}")
    shell.check("make", "-s", "-W", "mmu.c", "-C", directory, *variables, "mmu.elf")
    program = directory / "mmu.elf"
    with running(board, program) as run:
        shell.check("inst", "dump", "--gdb", run.where, "-o", "t.rst", program)
        output = run.output
    assert ("lost" in output) == (bug == "NO_TLBIVAX"), "the others happen to do no harm here"
    done = shell.run("inst", "check", "--program", program, "t.rst")
    lines = done.stdout.decode().splitlines()
    found = {line.rpartition("[")[2].rstrip("]") for line in lines if ": error: " in line}
    assert found == ({code} if code else set()), done.stdout.decode()
    if code:
        assert any("in map" in line or "in unmap" in line or "in pager" in line for line in lines)
    events = list(open_trace(shell.directory / "t.rst").objects())
    filled = [one for one in events if one.kind == Kind.TLBI and one.detail == "tlbwe"]
    assert len(filled) >= 4, "each page was missed in the TLB once"
