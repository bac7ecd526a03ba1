"""Instructions that change translations, and barriers, are events without annotations."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from inst.program.program import Program
from inst.trace import open_trace
from inst.trace.model import Event, Kind
from tests.board.boards import Board, make_program, running
from tests.conftest import Shell

Build = Callable[..., Path]

PROGRAM = """#include "board.h"
unsigned held[4];

#ifdef __sparc__
static unsigned control(unsigned address)
{
    unsigned value;
    __asm__ volatile("lda [%1] 0x19, %0" : "=r"(value) : "r"(address));
    return value;
}

static void change(void)
{
    unsigned pair = 0;
    __asm__ volatile("sta %0, [%1] 0x19" : : "r"(0x40080000 >> 4), "r"(0x100));
    __asm__ volatile("sta %0, [%1] 0x19" : : "r"(5), "r"(0x200));
    __asm__ volatile("sta %%g0, [%0] 0x18" : : "r"(0x40002000));
    __asm__ volatile("sta %%g0, [%0] 3" : : "r"(0x400));
    __asm__ volatile("stbar\\n\\tflush %0" : : "r"(&pair));
    held[0] = control(0x100);
    held[1] = control(0x200);
}
#else
/* A page of 4 KB at 0x30000000, by the second way of TLB0. */
static void change(void)
{
    register unsigned link __asm__("r12") = 0x30000002;
    __asm__ volatile("mtspr 624, %0" : : "r"(0x00010000));
    __asm__ volatile("mtspr 625, %0" : : "r"(0x80000100));
    __asm__ volatile("mtspr 626, %0" : : "r"(link));
    __asm__ volatile("mtspr 627, %0" : : "r"(0x00300015));
    __asm__ volatile("mtspr 944, %0" : : "r"(0));
    __asm__ volatile("isync\\n\\ttlbwe\\n\\tmsync" : : : "memory");
    __asm__ volatile("mtspr 630, %0" : : "r"(0));
    __asm__ volatile("tlbsx 0, %0" : : "r"(0x30000000));
    __asm__ volatile("mfspr %0, 625" : "=r"(held[0]));
    __asm__ volatile("mfspr %0, 627" : "=r"(held[1]));
    __asm__ volatile("tlbivax 0, %0\\n\\ttlbsync" : : "r"(0x30000000));
    __asm__ volatile("tlbsx 0, %0" : : "r"(0x30000000));
    __asm__ volatile("mfspr %0, 625" : "=r"(held[2]));
    __asm__ volatile("wrteei 0\\n\\tmtspr 272, %0" : : "r"(link));
}
#endif

int main(void)
{
    change();
    board_halt();
}
"""
_SHOWN = {
    "sparc": """sysreg mmu.context_table 0x4008000
sysreg mmu.context 0x5
tlbi flush.page 0x40002000
tlbi flush.all 0x0
barrier stbar
barrier flush
""",
    "powerpc": """sysreg mas0 0x10000
sysreg mas1 0x80000100
sysreg mas2 0x30000002
sysreg mas3 0x300015
sysreg mas7 0x0
barrier isync
tlbi tlbwe
barrier sync
sysreg mas6 0x0
tlbi tlbivax 0x30000000
barrier tlbsync
sysreg msr.ee 0x0
sysreg msr.ee 0x0
""",
}
"""Kind, word and value; `mtspr` of another register (272) is none, nor is a load of a register. The
last one is board_halt's."""
_VALID = 1 << 31


def _line(event: Event) -> str:
    shown = f"{event.kind.name.lower()} {event.detail}"
    return shown + ("" if event.value is None else f" {event.value:#x}") + "\n"


def test_changes_of_translations_are_events(board: Board, built: Build, shell: Shell) -> None:
    """With their values, which the processor has taken, and their places."""
    program = make_program(shell, board, built(), "events", PROGRAM)
    with running(board, program) as run:
        shell.check("inst", "dump", "--gdb", run.where, "-o", "t.rst", program)
        places = {name: at for at, _, name in Program(program).variables()}
        data = run.read(places["held"], 16)
    held = [int.from_bytes(data[at : at + 4], "big") for at in range(0, 16, 4)]
    kinds = (Kind.SYSREG, Kind.TLBI, Kind.BARRIER)
    events = list(open_trace(shell.directory / "t.rst").objects())
    found = [event for event in events if event.kind in kinds]
    functions = {Program(program).function(event.pc or 0)[0] for event in found}
    values = {event.detail: event.value for event in found}
    assert "".join(map(_line, found)) == _SHOWN[board.isa]
    assert functions <= {"main", "change", "board_no_interrupts", "board_halt"}
    if board.isa == "sparc":
        assert held[:2] == [values["mmu.context_table"], values["mmu.context"]]
    else:
        assert held[:3] == [values["mas1"], values["mas3"], held[2] & ~_VALID]
    accesses = [event for event in events if event.kind in (Kind.READ, Kind.WRITE)]
    assert all((event.address or 0) >= 0x1000 for event in accesses), "registers are no memory"
    shell.check("inst", "convert", "t.rst", "t.sexp")
    assert shell.check("inst", "diff", "--events", "t.rst", "t.sexp") == ""
