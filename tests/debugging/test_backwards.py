"""Recordings under a stock gdb: forwards and backwards, and what is not known."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from inst.arch.registry import architecture
from inst.debugging.history import Stops, Why
from inst.debugging.recorded import Recording
from inst.errors import InstError
from inst.replay.machine import LOADED, STORED, WatchedMemory
from inst.replay.model import Debugger
from inst.target.targets import TARGETS
from tests.conftest import Shell
from tests.debugging.gdb import recorded, under_gdb

SOURCE = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int table[8];
int limit = 8;
static int order(const void *a, const void *b)
{
    int one = *(const int *)a, other = *(const int *)b;
    return one - other;
}
static void __attribute__((noinline)) fill(int *to, int count)
{
    for (int n = 0; n <= count; n++)
        to[n] = (n * 7) % 5;
}
static int __attribute__((noinline)) sum(const int *from, int count)
{
    int total = 0;
    for (int n = 0; n < count; n++)
        total += from[n];
    return total;
}
int main(int argc, char **argv)
{
    char name[16], unseen[16];
    int numbers[9];
    snprintf(name, sizeof name, "list %d", argc);
    snprintf(unseen, sizeof unseen, "%s", name);
    fill(numbers, limit - 1);
    qsort(numbers, 8, sizeof *numbers, order);
    fill(table, limit - 2);
    table[3] += name[5];
    int total = sum(table, limit);
    fill(table, limit - 3);
    printf("%d %d %s\n", total, limit, unseen);
    return 0;
}
"""
TARGET_NAMES = ("ppc32", "ppc64", "ppc64le", "sparc-v8", "sparc-v9")
pytestmark = pytest.mark.rotated("ppc32", "sparc-v8", turns=True)


@pytest.fixture(scope="module", params=TARGET_NAMES)
def program(
    request: pytest.FixtureRequest, commands: Path, tmp_path_factory: pytest.TempPathFactory
) -> Shell:
    """A directory in which SOURCE has been recorded for a target."""
    path = f"{commands}{os.pathsep}{os.environ['PATH']}"
    shell = Shell(tmp_path_factory.mktemp("recorded"), {"PATH": path})
    recorded(shell, SOURCE, *TARGETS[request.param].compiler)
    return shell


def opened(shell: Shell, record: str = "main.rec", program: str = "main") -> Recording:
    return Recording(str(shell.directory / record), str(shell.directory / program))


def test_watchpoints_stop_at_the_same_instructions_both_ways(program: Shell) -> None:
    ways = [(way, "output/x $pc", "echo \\n") for way in ("continue", "reverse-continue")]
    orders = [order for way in ways for order in 4 * way]
    said = under_gdb(program, "main.rec", "main", "watch table[3]", *orders)
    places = [int(one, 16) for one in re.findall(r"^(0x[0-9a-f]+)$", said, re.MULTILINE)]
    forwards, backwards = places[:3], places[4:7]
    assert len(set(forwards)) == 2
    assert [pc - 4 for pc in forwards] == backwards[::-1]
    assert said.count("Old value") == 6


@pytest.mark.parametrize("kinds", [STORED, LOADED, LOADED | STORED])
def test_all_accesses_are_found_both_ways(program: Shell, kinds: int) -> None:
    """Each is found at the same count of instructions."""
    recording = opened(program)
    history = recording.thread(recording.numbers()[0]).history
    address, _ = _variable(program, "table")
    stops = Stops(watches=(WatchedMemory(address + 12, 4, kinds),))
    before = architecture(recording.program.target.isa).part(Debugger).watched_before
    forwards, backwards = [], []
    while history.resume(stops).why is Why.WATCHED:
        if not before:
            history.step_back()
        forwards.append(history.position)
        history.step()
    while history.resume_back(stops).why is Why.WATCHED:
        if before:
            history.step_back()
        backwards.append(history.position)
    assert len(forwards) == {STORED: 3, LOADED: 2, LOADED | STORED: 5}[kinds]
    assert backwards == forwards[::-1]


def test_lines_and_frames(program: Shell) -> None:
    orders = ("break sum", "continue", "backtrace", "reverse-finish", "reverse-next", "finish")
    said = under_gdb(program, "main.rec", "main", *orders, "reverse-step", "reverse-stepi", "stepi")
    assert "Breakpoint 1, sum (from=" in said
    assert re.search(r"^#1 .* in main \(argc=.*\) at main.c:34$", said, re.MULTILINE)
    assert re.search(r"^34\t.*= sum\(table", said, re.MULTILINE)
    assert re.search(r"^33\t.*table\[3\] \+=", said, re.MULTILINE)


def test_what_other_code_wrote_is_unknown_until_it_is_loaded(program: Shell) -> None:
    """`name` is written by the library, and one byte of it is loaded later."""
    orders = ("break main.c:33", "continue", "print name[5]", "print name[0]", "print unseen")
    status = "fsr" if opened(program).program.target.isa == "sparc" else "xer"
    said = under_gdb(program, "main.rec", "main", *orders, "print limit", f"p ${status}")
    assert "$1 = 49 '1'" in said
    assert "$2 = 8" in said  # of what was asked for between there is nothing
    assert "$3 = <unavailable>" in said


def test_another_program_is_refused(program: Shell) -> None:
    found = opened(program).program
    tables, order = found.tables, "<" if found.target.byte_order == "little" else ">"
    word = tables.code.at(tables.instrumented[0][:1])[0].astype(f"{order}u4").tobytes()
    data = (program.directory / "main").read_bytes()
    (program.directory / "other").write_bytes(data.replace(word, bytes(4)))
    with pytest.raises(InstError, match="not the program that was recorded"):
        opened(program, program="other")


def _variable(shell: Shell, name: str) -> tuple[int, int]:
    """Return address and size of a variable."""
    from inst.program.program import Program

    path = Path(shell.directory) / "main"
    return next((start, size) for start, size, found in Program(path).variables() if found == name)


THREADS = r"""
#include <pthread.h>
static int cells[2];
static void *add(void *given)
{
    int *own = given;
    for (int n = 0; n < 5; n++)
        *own += n;
    return 0;
}
int main(void)
{
    pthread_t threads[2];
    for (int n = 0; n < 2; n++)
        pthread_create(&threads[n], 0, add, &cells[n]);
    for (int n = 0; n < 2; n++)
        pthread_join(threads[n], 0);
    return cells[0] + cells[1] != 20;
}
"""


def test_each_thread_has_a_history_of_its_own(shell: Shell) -> None:
    recorded(shell, THREADS, *TARGETS["ppc32"].compiler, "-pthread")
    orders = ("info threads", "thread 3", "break main.c:9", "continue")
    cells = ("print cells[0]", "print cells[1]")  # which one is this thread's is not certain
    ends = ("reverse-continue", "thread 1", "frame")
    said = under_gdb(shell, "main.rec", "main", *orders, *cells, *ends)
    assert len(re.findall(r"^[* ] +\d +Thread ", said, re.MULTILINE)) == 3
    assert "Switching to thread 3" in said
    assert "$1 = 10" in said
    assert "$2" not in said
    assert "No more reverse-execution history." in said
    assert re.search(r"^#0 +main \(\) at main.c", said, re.MULTILINE)


@pytest.mark.parametrize("target", TARGET_NAMES)
def test_registers_stay_over_a_system_call(shell: Shell, target: str) -> None:
    """All that is not recorded after it, such as where the function returns to."""
    source = Path(__file__).parents[1] / "truth" / "programs" / "system_calls.c"
    recorded(shell, source.read_text(), *TARGETS[target].compiler)
    recording = opened(shell)
    history = recording.thread(recording.numbers()[0]).history
    halt = history.resume(Stops())
    assert (halt.why, halt.message) == (Why.END, "")
    assert history.position > 500
    assert history.resume_back(Stops()).why is Why.BEGIN


def test_a_damaged_recording_is_refused(program: Shell) -> None:
    data = (program.directory / "main.rec").read_bytes()
    half = len(data) // 2
    changed = data[:half] + bytes([data[half] ^ 0x55]) + data[half + 1 :]
    (program.directory / "damaged.rec").write_bytes(changed)
    found = program.run("inst", "replay", "--gdb", "-", "damaged.rec", "main")
    assert found.returncode == 2
    assert b"damaged.rec: error: " in found.stderr
    assert b"at byte offset" in found.stderr
