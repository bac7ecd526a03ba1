"""Critical interrupts of e500 at every instruction of what records, and of what says so.

The emulator's timers raise none. So its gdb stub stops the program at these instructions, and does
what the processor would: it sets CSRR0 and CSRR1, turns off interrupts, and goes on at the vector.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from truth.emulator import Plugins

from inst.common.elf import Elf
from inst.common.gdb_packets import packed
from inst.common.gdb_remote import Target
from inst.program.firmware import Firmware
from tests.board.boards import INLINE, Board, make_program
from tests.board.recorded import recorded
from tests.board.test_inline import parts_of, require_same
from tests.conftest import Shell

PC, MSR, CSRR0, CSRR1 = 64, 65, 113, 114
"""Numbers that the stub has for registers; SPRs begin at 105."""
WATCHED = """
__asm__("turns_off:\\n\\t.long 0x7c000146");
static volatile unsigned watched, levels[64];
void board_watchdog(void)
{
    watched++;
    for (unsigned n = 0; n < (watched % 8 ? 3 : 300); n++)
        levels[n % 64] += watched;
}
"""
RFCI = 0x4C000066
EACH = 6
"""One of so many instructions is interrupted."""
INSIDE = ("inst_interrupted", "inst_resumed", "inst_room_body", "first_task", "board_tick",
          "board_interrupt_after")  # fmt: skip
"""The functions at whose instructions interrupts come."""


@dataclass(frozen=True, slots=True)
class _Code:
    """Addresses of the program: of its first task, an instruction that turns off interrupts, the
    handler of critical ones, its return, the program's end."""

    first_task: int
    turns_off: int
    vector: int
    returns: int
    end: int


class _Stub(Target):
    """A stub that also continues, and sets registers."""

    def ask(self, request: str) -> bytes:
        """Send a packet and return the answer."""
        self._send(packed(request.encode()))
        answer = self._packets.next()
        assert answer is not None
        return answer

    def get(self, number: int) -> int:
        """Return a register."""
        return int(self.ask(f"p{number:x}"), 16)

    def set(self, number: int, value: int) -> None:
        """Set a register."""
        assert self.ask(f"P{number:x}={value:08x}") == b"OK"

    def toggle(self, letter: str, place: int) -> None:
        """Set (Z) or clear (z) a breakpoint."""
        assert self.ask(f"{letter}0,{place:x},4") == b"OK"

    def go_to(self, place: int) -> None:
        """Go on until the program comes to a place."""
        self.toggle("Z", place)
        assert self.ask("c").startswith(b"T")
        self.toggle("z", place)


def _interrupts(stub: _Stub, places: set[int], code: _Code) -> int:
    """Let an interrupt come the first time that each place is reached; return how many came.

    None comes before the first task runs, which allows them.
    """
    stub.ask("qXfer:features:read:target.xml:0,3f0")  # it gives registers only after that
    stub.go_to(code.first_task)
    came = 0
    while True:
        for place in (*places, code.end):
            stub.toggle("Z", place)
        assert stub.ask("c").startswith(b"T")
        for place in (*places, code.end):
            stub.toggle("z", place)
        pc, state = stub.get(PC), stub.get(MSR)
        if pc == code.end:
            break
        for number, value in ((CSRR0, pc), (CSRR1, state), (PC, code.turns_off)):
            stub.set(number, value)
        assert stub.ask("s").startswith(b"T")
        stub.set(PC, code.vector)
        places.remove(pc)
        came += 1
        stub.go_to(code.returns)
        assert stub.ask("s").startswith(b"T")
    assert stub.ask("D") == b"OK"
    stub.close()
    return came


@pytest.mark.parametrize("board", ["mpc8544ds"], indirect=True)
@pytest.mark.parametrize(("size", "first_place"), [("64K", 1), ("1M", 4)])
def test_interrupts_of_a_higher_level(
    size: str,
    first_place: int,
    board: Board,
    built: Callable[..., Path],
    plugins: Plugins,
    shell: Shell,
) -> None:
    variables = (*INLINE, f"RING={size}")
    directory = built(*variables)
    text = (directory / "tasks.c").read_text()
    first = "static void first_task(void)"
    text = text.replace(first, WATCHED + first, 1)
    program = make_program(shell, board, directory, "levels", text, *variables)
    symbols = {one.name: one for one in Elf(program).symbols(".symtab")}
    places = [
        place
        for one in (symbols[name] for name in INSIDE)
        for place in range(one.value, one.value + one.size, 4)
    ]
    vector = symbols["watchdog"].value
    words, _ = Firmware(program).words(np.arange(vector, vector + 1024, 4, dtype="u8"))
    returns = vector + 4 * words.tolist().index(RFCI)
    task, turns_off, end = (
        symbols[name].value for name in ("first_task", "turns_off", "board_halt")
    )
    code = _Code(task, turns_off, vector, returns, end)
    came = []

    def interrupt(where: str) -> None:
        came.append(_interrupts(_Stub(where), set(places[first_place::EACH]), code))

    log, events, said = recorded(board, program, plugins, shell, meanwhile=interrupt)
    assert came[0] > 50
    require_same(events, log)
    assert "taken for others" not in said and "no blocks" not in said
    assert "overwritten" in said or len(parts_of(events)) == 1
    low, size_of = symbols["board_watchdog"].value, symbols["board_watchdog"].size
    assert np.count_nonzero((events["pc"] >= low) & (events["pc"] < low + size_of)) > 100
