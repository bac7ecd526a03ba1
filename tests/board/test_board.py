"""What `inst dump` reads of programs on boards: the emulator's own record of their accesses."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
from truth.emulator import ACCESS, Plugins, write_ranges

from inst.program.firmware import Firmware
from inst.program.program import Program
from inst.program.sitetable import read_sites
from inst.trace import open_trace
from inst.trace.model import Array, Flag, Kind, joined
from tests.board.boards import Board, make_program, running
from tests.conftest import ROOT, Shell

Build = Callable[..., Path]
Way = tuple[str, ...]
PLAIN = ("INST=", f"CFLAGS=-g -O2 -ffreestanding -fno-pic -fno-stack-protector "
         f"-I{ROOT / 'runtime/include'}")  # fmt: skip
"""Variables with which make builds the same programs by the plain compiler."""
SWITCHES = {"sparc": 0, "powerpc": 1}
"""Events of instructions of the program that turn interrupts off."""
_OWN = re.compile(r"main|sort|sum|name|connect|board_\w+")
"""The functions of the programs that are compiled by inst-cc."""


def _logged(
    plugins: Plugins, board: Board, program: Path, ranges: list[tuple[int, int]], log: Path
) -> tuple[str, Array]:
    """Run a program; return its output and the accesses of some code, as the emulator saw them."""
    option = f"{plugins.memlog},out={log},only={write_ranges(log, ranges)}"
    with running(board, program, ("-plugin", option)) as run:
        output = run.output
    return output, np.fromfile(log, ACCESS)[1:]


def _functions(program: Path) -> list[tuple[int, int]]:
    table = Program(program).function_table()
    return [(start, start + size) for start, size, name in table if _OWN.match(name)]


def _events(trace: Path) -> Array:
    found = open_trace(trace)
    return joined([*found.events()])


def _accesses(events: Array) -> Array:
    return events[np.isin(events["kind"], (Kind.READ, Kind.WRITE))]


def _rows(accesses: Array) -> list[tuple[int, ...]]:
    """Return pc, address, size and direction of accesses of a trace."""
    columns = (accesses["pc"], accesses["address"], accesses["size"])
    stores = accesses["kind"] == Kind.WRITE
    return list(zip(*(one.tolist() for one in (*columns, stores.astype(int))), strict=True))


def _logged_rows(log: Array) -> list[tuple[int, ...]]:
    columns = (log["pc"], log["address"], log["size"], log["store"])
    return list(zip(*(one.tolist() for one in columns), strict=True))


def _kinds(program: Path, rows: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Return size and direction of accesses, but for those that wait for the UART."""
    table = Program(program)
    waits = {pc for pc, *_ in rows if table.function(pc)[0] == "board_putchar"}
    return [row[2:] for row in rows if row[0] not in waits]


def test_the_trace_is_the_emulators_own_record(
    board: Board, built: Build, plugins: Plugins, shell: Shell
) -> None:
    """Event for event; and the plain program makes the same accesses in the same order."""
    program = built() / "hello.elf"
    sites = [(site.address, site.address + 4) for site in read_sites(program)]
    log = shell.directory / "log"
    option = f"{plugins.memlog},out={log},only={write_ranges(log, sites)}"
    with running(board, program, ("-plugin", option)) as run:
        said = shell.check("inst", "dump", "--gdb", run.where, "-o", "t.rst", program)
        output = run.output
    assert said == ""
    events = _events(shell.directory / "t.rst")
    assert events["kind"][0] == Kind.GAP, "the start of the program"
    accesses = _accesses(events)
    others = np.isin(events["kind"], (Kind.GAP, Kind.SYSREG))
    assert len(accesses) == len(events) - np.count_nonzero(others) > 300
    assert _rows(accesses) == _logged_rows(np.fromfile(log, ACCESS)[1:])
    plain = built(*PLAIN) / "hello.elf"
    own = shell.directory / "plain"
    plain_output, plain_log = _logged(plugins, board, plain, _functions(plain), own)
    assert plain_output == output
    assert _kinds(program, _rows(accesses)) == _kinds(plain, _logged_rows(plain_log))


def test_values_are_those_in_memory(board: Board, built: Build, shell: Shell, way: Way) -> None:
    """The last values stored to the program's variables are what memory holds."""
    program = built(*way) / "hello.elf"
    places = {name: (at, size) for at, size, name in Program(program).variables()}
    with running(board, program) as run:
        shell.check("inst", "dump", "--gdb", run.where, "-o", "t.rst", program)
        held = {name: run.read(*places[name]) for name in ("numbers", "halves", "sum")}
    accesses = _accesses(_events(shell.directory / "t.rst"))
    assert np.all(accesses["flags"] & int(Flag.HAS_VALUE | Flag.HAS_WORD))
    memory: dict[int, int] = {}
    for event in accesses[accesses["kind"] == Kind.WRITE]:
        value = int(event["value"]).to_bytes(int(event["size"]), "big")
        memory |= dict(enumerate(value, int(event["address"])))
    for name, content in held.items():
        stored = bytes(memory.get(places[name][0] + n, byte) for n, byte in enumerate(content))
        assert stored == content, name
        assert any(places[name][0] + n in memory for n in range(len(content))), name


def test_loss_is_said_exactly(board: Board, built: Build, plugins: Plugins, shell: Shell) -> None:
    """The ring holds the end of the emulator's record, and the count of what came before."""
    program = built("RING=2K") / "hello.elf"
    sites = [(site.address, site.address + 4) for site in read_sites(program)]
    log = shell.directory / "log"
    option = f"{plugins.memlog},out={log},only={write_ranges(log, sites)}"
    with running(board, program, ("-plugin", option)) as run:
        done = shell.run("inst", "dump", "--gdb", run.where, "-o", "t.rst", program)
    events = _events(shell.directory / "t.rst")
    truth = _logged_rows(np.fromfile(log, ACCESS)[1:])
    kept, total = _rows(_accesses(events)), len(truth) + 1 + SWITCHES[board.isa]
    assert kept == truth[-len(kept) :] and len(kept) >= 64 - SWITCHES[board.isa]
    assert events["kind"][0] == Kind.GAP
    lost = total - 64
    assert int(events["value"][0]) == lost and len(events) == 65
    words = f"of the {total} records of processor 0 {lost} were overwritten"
    assert words in done.stderr.decode()
    text = shell.check("inst", "view", "--as", "sexp", "t.rst")
    assert "overwritten" in text


def test_last_accesses_before_a_crash(board: Board, built: Build, shell: Shell, way: Way) -> None:
    """The list's node was written over by the function `name`, a byte at a time."""
    program = built(*way) / "crash.elf"
    with running(board, program) as run:
        assert "trap " in run.output
        shell.check("inst", "dump", "--gdb", run.where, "-o", "t.rst", program)
    events = _events(shell.directory / "t.rst")
    assert events["kind"][-1] == Kind.GAP, "recording paused in the trap's handler"
    accesses = _accesses(events)
    scribbled = next(one for one in accesses[::-1] if int(one["value"]) == 0xDEADBEE1)
    stores = accesses[(accesses["kind"] == Kind.WRITE) & (accesses["size"] == 1)]
    writers = stores[stores["address"] == scribbled["address"]]
    assert len(writers) and int(writers["value"][-1]) == 0xDE
    assert Program(program).place(int(writers["pc"][-1])).function.startswith(("name", "main"))


def test_an_image_gives_the_same_trace(board: Board, built: Build, shell: Shell) -> None:
    program = built() / "hello.elf"
    place = Firmware(program).rings()
    with running(board, program) as run:
        shell.check("inst", "dump", "--gdb", run.where, "-o", "a.rst", program)
        image = bytes(64) + run.read(place.address, place.size)
    (shell.directory / "memory.bin").write_bytes(image)
    (shell.directory / "ring.bin").write_bytes(image[64:])
    shell.check("inst", "dump", "-o", "b.rst", program, "memory.bin")
    base = f"{place.address - 64:#x}"
    shell.check("inst", "dump", "--base", base, "-o", "c.sexp", program, "memory.bin")
    first = (shell.directory / "a.rst").read_bytes()
    assert first == (shell.directory / "b.rst").read_bytes()
    assert shell.check("inst", "diff", "--events", "a.rst", "c.sexp") == ""
    accesses = _rows(_accesses(_events(shell.directory / "a.rst")))
    assert _rows(_accesses(_events(shell.directory / "ring.bin"))) == accesses


RESET = """#include "board.h"
void _start(void);
int main(void)
{
    volatile unsigned *kept = (volatile unsigned *)KEPT;
    if (++*kept < 3) {
        board_print("again\\n");
        _start();
    }
    board_halt();
}
"""
"""Starts three times, by a word of memory that nothing clears. What was recorded inline last before
a reset may not have been done: there it is output."""
KEPT = {"leon3": 0x402FFFF0, "mpc8544ds": 0x004FFFF0}
"""The last words of the memory that the linker scripts have for the ring."""


def test_the_ring_outlives_a_reset(board: Board, built: Build, shell: Shell, way: Way) -> None:
    """Each start of the same build goes on after the records of the one before."""
    program = make_program(
        shell, board, built(*way), "reset", RESET.replace("KEPT", f"{KEPT[board.name]:#x}"), *way
    )
    with running(board, program) as run:
        shell.check("inst", "dump", "--gdb", run.where, "-o", "t.rst", program)
    events = _events(shell.directory / "t.rst")
    starts = events[events["kind"] == Kind.GAP]
    assert starts["value"].tolist() == [1, 2, 3]
    stores = events[(events["kind"] == Kind.WRITE) & (events["address"] == KEPT[board.name])]
    assert stores["value"].tolist() == [1, 2, 3]
    order = np.concatenate([starts["record"], stores["record"]]).argsort()
    assert order.tolist() == [0, 3, 1, 4, 2, 5]


ANNOTATED = """#include "board.h"
#include <inst/annotate.h>
static int lock, page[4];
int main(void)
{
    INST_LOCK(&lock);
    INST_MEM_INIT(page, sizeof page);
    INST_MEM_SET(page, 8, 0x5a);
    INST_BARRIER("dsb ish");
    INST_TLBI("vmalls12e1is");
    INST_TLBI_BY("ipas2e1is", 0x12345678abcdULL);
    INST_SYSREG("vttbr_el2", 0x100000002ULL);
    INST_HINT("set_root_lock", page, 7);
    INST_PAUSE();
    page[0] = 1;
    INST_RESUME();
    INST_MEM_FREE(page, sizeof page);
    INST_UNLOCK(&lock);
    board_halt();
}
"""
SHOWN = """gap start
lock
init 16
set 8 0x5a
barrier dsb ish
tlbi vmalls12e1is
tlbi ipas2e1is 0x12345678abcd
sysreg vttbr_el2 0x100000002
hint set_root_lock 0x7
gap pause
gap resume
free 16
unlock
"""
"""The events in order: kind, word, size and value where there are any."""
_FIRST_LINE = 6


def test_annotations_have_their_words_and_lines(
    board: Board, built: Build, shell: Shell, way: Way
) -> None:
    program = make_program(shell, board, built(*way), "annotated", ANNOTATED, *way)
    with running(board, program) as run:
        shell.check("inst", "dump", "--gdb", run.where, "-o", "t.rst", program)
    trace = open_trace(shell.directory / "t.rst")
    shown, sites = "", []
    for event in trace.objects():
        if event.kind in (Kind.READ, Kind.WRITE) or event.detail == "msr.ee":
            continue
        value = event.value if event.detail != "start" else None
        parts = [event.kind.name.lower(), event.detail, str(event.size or "")]
        parts += [f"{value:#x}" if value is not None else ""]
        shown += " ".join(part for part in parts if part) + "\n"
        sites += [event.site]
    assert shown == SHOWN
    skipped = {_FIRST_LINE + 9}
    lines = [n for n in range(_FIRST_LINE, _FIRST_LINE + len(sites)) if n not in skipped]
    assert sites == ["", *(f"annotated.c:{n}" for n in lines)]


RARE = """#include "board.h"
unsigned word = 5, line[16] __attribute__((aligned(32)));
int main(void)
{
    unsigned found = 1;
    __atomic_fetch_add(&word, 2, __ATOMIC_RELAXED);
    __atomic_exchange_n(&word, 9, __ATOMIC_RELAXED);
#ifdef __sparc__
    __asm__ volatile("ldstub [%1], %0" : "=r"(found) : "r"(line) : "memory");
#else
    __asm__ volatile("dcbz 0, %1\\n\\tli 30, 6\\n\\tli 31, 7\\n\\tstmw 30, 0(%1)"
                     : "+r"(found) : "b"(line) : "memory", "30", "31");
#endif
    board_halt();
}
"""
ON_WORD = {
    "sparc": ["read 5", "read 5", "write 7 atomic", "read 7", "write 9 atomic"],
    "powerpc": ["reserve", "write 7 atomic", "reserve", "write 9 atomic"],
}
"""What happens to `word`: GCC loads it before casa, and uses casa or swap."""
ON_LINE = {
    "sparc": ["read 0 1", "write 255 1 atomic"],
    "powerpc": ["write 0 32", "write 6 4", "write 7 4"],
}
"""What happens to `line`, with the bytes of each access."""


def test_instructions_that_are_decoded_at_run_time(
    board: Board, built: Build, shell: Shell, way: Way
) -> None:
    program = make_program(shell, board, built(*way), "rare", RARE, *way)
    places = {name: (at, size) for at, size, name in Program(program).variables()}
    with running(board, program) as run:
        shell.check("inst", "dump", "--gdb", run.where, "-o", "t.rst", program)
    events = _events(shell.directory / "t.rst")

    def shown(name: str, *, sizes: bool) -> list[str]:
        start, length = places[name]
        found = []
        for event in events[(events["address"] >= start) & (events["address"] < start + length)]:
            parts = [Kind(event["kind"]).name.lower()]
            parts += [str(event["value"])] if event["kind"] != Kind.RESERVE else []
            parts += [str(event["size"])] if sizes else []
            parts += ["atomic"] if event["flags"] & int(Flag.ATOMIC) else []
            found.append(" ".join(parts))
        return found

    assert shown("word", sizes=False) == ON_WORD[board.isa]
    assert shown("line", sizes=True) == ON_LINE[board.isa]


MINE = """#include <inst/hooks.h>
unsigned counted;
void stwhook(void) { counted++; }
void stbhook(void) { counted++; }
"""


def test_hooks_of_ones_own_where_instructions_are_decoded(
    board: Board, built: Build, shell: Shell
) -> None:
    """What a library does not have changes no register: e500 has no floating point to save."""
    (shell.directory / "mine.c").write_text(MINE)
    options = f"OPTIONS=--inst-hooks={shell.directory / 'mine.c'}"
    program = make_program(shell, board, built(options), "rare", RARE, options)
    place = next(at for at, _, name in Program(program).variables() if name == "counted")
    with running(board, program) as run:
        assert int.from_bytes(run.read(place, 4), "big") >= len(ON_LINE[board.isa]) - 1
