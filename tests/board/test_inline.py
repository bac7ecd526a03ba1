"""Recording inline on boards: the trace is the emulator's record, with interrupts anywhere."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from truth.emulator import Plugins

from inst.common.gdb_remote import Target
from inst.program.firmware import Firmware
from inst.trace import open_trace
from inst.trace.model import Array, Kind, joined
from tests.board.boards import INLINE, Board, make_program, running
from tests.board.recorded import accesses_of, accesses_seen, recorded
from tests.conftest import Shell

Build = Callable[..., Path]
Row = tuple[int, ...]
BLOCK = 40
"""Accesses of a block, at most."""
_WIDTH = 16


def _rows(columns: list[Array]) -> list[Row]:
    return list(zip(*(column.tolist() for column in columns), strict=True))


def _packed(columns: list[Array]) -> bytes:
    """Return rows of pc, address, size and direction, of `_WIDTH` bytes each."""
    return np.stack([column.astype("u4") for column in columns], axis=1).tobytes()


def parts_of(events: Array) -> list[bytes]:
    """Return the accesses between gaps."""
    cuts = np.flatnonzero(events["kind"] == Kind.GAP).tolist()
    places = zip([0, *cuts], [*cuts, len(events)], strict=True)
    return [part for low, high in places if (part := _packed(accesses_of(events[low:high])))]


def _place(part: bytes, whole: bytes, end: int) -> int:
    """Return where accesses are among others before a place, the last time."""
    at = whole.rfind(part, 0, end)
    while at > 0 and at % _WIDTH:
        at = whole.rfind(part, 0, at + len(part) - 1)
    return at


def require_same(events: Array, log: Array, is_to_end: bool = True) -> int:
    """Compare a trace with the emulator's record, part by part; return how many came before.

    At a gap accesses may be missing.
    """
    theirs, parts = _packed(accesses_seen(log)), parts_of(events)
    end = len(theirs)
    for number, part in reversed([*enumerate(parts)]):
        at = _place(part, theirs, end)
        assert at >= 0, f"part {number} of {len(parts)}: no such accesses"
        assert at + len(part) == end or number < len(parts) - 1 or not is_to_end
        end = at
    return end // _WIDTH


@pytest.mark.parametrize("name", ["hello", "tasks"])
@pytest.mark.parametrize("size", ["1M", "32K"])
def test_the_trace_is_the_emulators_own_record(
    name: str, size: str, board: Board, built: Build, plugins: Plugins, shell: Shell
) -> None:
    """In its order, with interrupts between any two instructions of what records."""
    program = built(*INLINE, f"RING={size}") / f"{name}.elf"
    log, events, said = recorded(board, program, plugins, shell)
    number, lost = len(accesses_of(events)[0]), require_same(events, log)
    assert len(parts_of(events)) <= (4 if lost else 1)
    assert ("overwritten" in said) == (lost > 0)
    assert number > (10000 if (name, size) == ("tasks", "1M") else 400)


def _access_rows(trace: Path) -> list[Row]:
    return _rows(accesses_of(joined([*open_trace(trace).events()])))


def test_an_image_gives_the_same_trace(board: Board, built: Build, shell: Shell) -> None:
    """But for the last block, of which only the program counter says what was done."""
    program = built(*INLINE) / "hello.elf"
    place = Firmware(program).rings()
    with running(board, program) as run:
        shell.check("inst", "dump", "--gdb", run.where, "-o", "a.rst", program)
        image = bytes(64) + run.read(place.address, place.size)
        target = Target(run.where)
        stopped_at = target.register({"sparc": 272, "powerpc": 384}[board.isa])
        target.close()
    (shell.directory / "memory.bin").write_bytes(image)
    (shell.directory / "alone.bin").write_bytes(image[64:])
    pc = ("--pc", f"{stopped_at:#x}")
    shell.check("inst", "dump", *pc, "-o", "b.rst", program, "memory.bin")
    whole = (shell.directory / "a.rst").read_bytes()
    assert whole == (shell.directory / "b.rst").read_bytes()
    done = shell.run("inst", "dump", "-o", "c.rst", program, "memory.bin")
    accesses, fewer = (_access_rows(shell.directory / name) for name in ("a.rst", "c.rst"))
    left_out = len(accesses) - len(fewer)
    assert 0 < left_out < BLOCK and fewer == accesses[:-left_out]
    assert f"{left_out} accesses of blocks are left out" in done.stderr.decode()
    alone = shell.run("inst", "view", "alone.bin")
    assert alone.returncode == 2 and "inst dump PROGRAM" in alone.stderr.decode()


CONSOLE = """#include "board.h"
#include <inst/annotate.h>
static unsigned cells[64];
int main(void)
{
    for (unsigned n = 0; n < 12000; n++) {
        cells[n % 64] += n;
        if (DRAINS && n % 300 == 299)
            INST_DRAIN(board_putchar);
    }
    DRAINS ? INST_DRAIN(board_putchar) : INST_DUMP(board_putchar);
    board_halt();
}
"""


@pytest.mark.parametrize("drains", [0, 1])
def test_what_comes_over_a_console(drains: int, board: Board, built: Build, shell: Shell) -> None:
    """Dumped, it is what the target has; drained, the whole run, of which memory has the end."""
    variables = (INLINE[0] + " --inst-except=board_putchar", "RING=32K")
    directory = built(*variables)
    text = CONSOLE.replace("DRAINS", str(drains))
    program = make_program(shell, board, directory, f"console{drains}", text, *variables)
    with running(board, program) as run:
        (shell.directory / "console.log").write_text(run.output)
        shell.run("inst", "dump", "--gdb", run.where, "-o", "a.rst", program)
    shell.run("inst", "dump", "-o", "b.rst", program, "console.log")
    target, console = (_access_rows(shell.directory / name) for name in ("a.rst", "b.rst"))
    if drains:
        assert len(console) >= 24000 > 2 * len(target)
    assert len(console) > 1000
    ends = [n for n in range(len(target), 0, -1) if target[:n] == console[len(console) - n :]]
    assert ends and ends[0] > len(target) - BLOCK


def _changed_tasks(
    shell: Shell,
    board: Board,
    directory: Path,
    name: str,
    changes: dict[str, str],
    *variables: str,
) -> Path:
    """Return examples/board/tasks.c with something else in some places."""
    text = "#include <inst/annotate.h>\n" + (directory / "tasks.c").read_text()
    for old, new in changes.items():
        assert text.count(old) == 1
        text = text.replace(old, new)
    return make_program(shell, board, directory, name, text, *variables)


AGAIN = {
    "leon3": "ticks & 1 ? 3000 : 3 + (random & 3)",
    "mpc8544ds": "ticks & 1 ? 80000 : 252 + (random & 31)",
}
"""By board when the next interrupt comes: one task runs for a few instructions, the other records
more than there is memory."""


def test_blocks_that_are_interrupted_again(
    board: Board, built: Build, plugins: Plugins, shell: Shell
) -> None:
    """Code that goes on in a block is interrupted in the same one, and goes on when the memory has
    been used several times."""
    variables = (*INLINE, "RING=32K")
    times = {"256 + (random & 2047)": AGAIN[board.name]}
    program = _changed_tasks(shell, board, built(*variables), "again", times, *variables)
    log, events, said = recorded(board, program, plugins, shell)
    assert require_same(events, log) > 50000 and "taken for others" not in said
    assert len(parts_of(events)) <= 4


def test_a_task_that_drains_what_others_record(
    board: Board, built: Build, plugins: Plugins, shell: Shell
) -> None:
    """Blocks that were sent while their task waited in them are sent again. Much is overwritten
    before it is sent."""
    variables = (INLINE[0] + " --inst-except=board_putchar", "RING=128K")
    store = "second_bytes[n % CELLS] = n;"
    changes = {store: f"if (n % 32 == 0) INST_DRAIN(board_putchar); {store}"}
    program = _changed_tasks(shell, board, built(*variables), "drained", changes, *variables)
    log, _, _ = recorded(board, program, plugins, shell, console="console.log")
    done = shell.run("inst", "dump", "-o", "c.rst", program, "console.log")
    assert "no blocks of the program" not in done.stderr.decode()
    events = joined([*open_trace(shell.directory / "c.rst").events()])
    require_same(events, log, is_to_end=False)
    assert len(accesses_of(events)[0]) > 100
