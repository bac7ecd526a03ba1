"""Recordings of the hook library `windows`: what is left out, and how that is executed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from inst.replay.machine import Machine, Reason
from inst.target.emulator import command_for
from inst.trace import open_trace
from inst.trace.model import Array, Kind
from tests.conftest import Shell
from tests.replay.test_machine import CODE, DATA, made
from tests.trace.rec.alone import alone, in_one_go, states_of
from tests.trace.rec.test_rec_reexecution import STORM, THREADS

LWZ, STW, STW_UNSEEN, LD = 0x80A60000, 0x90860000, 0x90E60000, 0xE8A60000
"""lwz 5,0(6); stw 4,0(6); stw 7,0(6); ld 5,0(6)."""
FILLED = r"""
static int table[512];
int main(int count, char **arguments)
{
    int sum = 0, rounds = count > 1 ? 200 : 2;
    for (int n = 0; n < 512; n++)
        table[n] = n;
    for (int round = 0; round < rounds; round++)
        for (int n = 0; n < 512; n++)
            sum += *(volatile int *)&table[n] * round;
    return sum == 1;
}
"""
COMPILERS = {
    "ppc32": "powerpc-linux-gnu-gcc",
    "ppc64": "powerpc64-linux-gnu-gcc",
    "ppc64le": "powerpc64le-linux-gnu-gcc",
    "sparc-v8": "sparc64-linux-gnu-gcc -m32 -mcpu=v8",
    "sparc-v9": "sparc64-linux-gnu-gcc",
}
OF_TARGETS = pytest.mark.parametrize("target", sorted(COMPILERS))


def _machine(*words: int, windowed: tuple[int, ...], target: str = "ppc32") -> Machine:
    """Return a machine whose instructions with these numbers have hooks."""
    machine = made(target, (*words, 0x44000002))
    places = np.array([CODE + 4 * number for number in windowed], "u8")
    machine.set_sites(places)
    machine.set_windowed(places)
    return machine


def _feed(machine: Machine, *words: int) -> None:
    machine.set_feed(np.zeros(len(words), "u8"), np.array(words, "u8"))


def test_loads_that_were_left_out_have_what_hooks_have_seen() -> None:
    machine = _machine(LWZ, STW, LWZ, STW_UNSEEN, LWZ, windowed=(0, 1, 2, 4))
    _feed(machine, 5, 1 + 2)
    machine.state.g[4], machine.state.g[7] = 9, 11
    machine.hold(1)
    assert machine.run()[:2] == (Reason.FEED_END, CODE + 16)
    assert (machine.left_out, machine.state.g[5]) == (1, 9)
    assert machine.read(DATA, 4) == (11).to_bytes(4, "big")
    machine.hold(0)
    assert machine.run().reason is Reason.SYSTEM_CALL
    assert (machine.left_out, machine.state.g[5]) == (0, 9), "the store of 11 has no hook"


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ((5,), Reason.FEED_END),
        ((5, 0), Reason.DIVERGED),
        ((1 << 32, 1), Reason.DIVERGED),
        ((5, 1), Reason.FEED_END),
        ((5, 1, 7, 1), Reason.SYSTEM_CALL),
    ],
)
def test_counts_are_those_of_the_loads(words: tuple[int, ...], reason: Reason) -> None:
    machine = _machine(LWZ, LWZ, windowed=(0, 1))
    _feed(machine, *words)
    assert machine.run().reason is reason


def test_a_load_is_not_left_out_before_its_memory_is_known() -> None:
    machine = _machine(LWZ, LWZ, windowed=(0, 1))
    _feed(machine, 5, 2)
    machine.run(1)
    machine.state.g[6] += 4
    assert machine.run().reason is Reason.UNKNOWN_MEMORY


def test_another_instructions_value_is_none() -> None:
    machine = _machine(LWZ, windowed=(0,))
    machine.set_feed(np.array([CODE, 0], "u8"), np.array([5, 1], "u8"))
    assert machine.run().reason is Reason.DIVERGED


def test_values_of_two_words() -> None:
    machine = _machine(LD, windowed=(0,), target="ppc64le")
    _feed(machine, 0x123456789, 1)
    assert machine.run().reason is Reason.SYSTEM_CALL
    assert machine.state.g[5] == 0x123456789


def _recorded(shell: Shell, source: str, target: str, level: str, *arguments: str) -> Path:
    (shell.directory / "main.c").write_text(source)
    command = ["inst-cc", f"--inst-record={level}", *COMPILERS[target].split(), "-O1", "main.c"]
    shell.check(*command, "-pthread", "-o", level)
    made = shell.directory / f"{level}{len(arguments)}.rec"
    program = command_for(shell.directory / level, list(arguments))
    shell.run(*program, INST_OUT=str(made))
    return made


def _events(path: Path) -> Array:
    return np.concatenate(list(open_trace(path).events()))


@pytest.mark.rotated("ppc32", "sparc-v8")
@OF_TARGETS
def test_what_the_thread_has_seen_is_left_out(shell: Shell, target: str) -> None:
    """A hundred thousand more loads of the same memory are one more count."""
    few, many = (_recorded(shell, FILLED, target, "windows", *more) for more in ((), ("more",)))
    loads = [np.count_nonzero(_events(path)["kind"] == Kind.READ) for path in (few, many)]
    assert loads[1] - loads[0] >= 198 * 512
    assert abs(_written(many) - _written(few)) < 64


def _written(path: Path) -> int:
    """Return how many bytes of a recording are not 0."""
    return int(np.count_nonzero(np.fromfile(path, "u1")))


@pytest.mark.rotated("ppc32", "sparc-v8")
@OF_TARGETS
def test_threads_have_a_table_each(shell: Shell, target: str) -> None:
    made = [_events(_recorded(shell, THREADS, target, level)) for level in ("windows", "values")]
    threads = [np.unique(events["thread"]) for events in made]
    assert len(threads[0]) == len(threads[1]) == 5
    for numbers in zip(*threads, strict=True):  # the kernel's, in the order in which they began
        found, wanted = (
            events[(events["thread"] == number) & (events["kind"] <= Kind.WRITE)]
            for events, number in zip(made, numbers, strict=True)
        )
        for column in ("kind", "size"):
            assert np.array_equal(found[column], wanted[column])
    shell.check("inst", "check", "--strict", "--set", "memory=strict", "windows0.rec")


@pytest.mark.rotated("ppc32", "sparc-v8", turns=True)
@OF_TARGETS
def test_signals_come_to_hooks(shell: Shell, target: str) -> None:
    recording = _recorded(shell, STORM.replace("hits < 150", "hits < 30"), target, "windows")
    assert np.count_nonzero(_events(recording)["kind"] == Kind.WRITE) > 30 * 9
    shell.check("inst", "check", "--strict", "--set", "memory=strict", recording.name)


@pytest.mark.rotated("ppc32", "sparc-v8", turns=True)
@OF_TARGETS
def test_windows_are_executed_alone(shell: Shell, target: str) -> None:
    path = _recorded(shell, THREADS, target, "windows")
    whole = in_one_go(path)
    states = states_of(path, len(whole.pc) // 7 + 1)
    for number in (5, 2, 0, 3):
        start, end = states.bounds(number)
        found, registers = alone(path, states, start, end)
        assert found == whole.part(start, end)
        assert registers == states.read(number + 1).registers


def test_commands_take_it_as_other_recordings(shell: Shell) -> None:
    counts = []
    for level in ("windows", "loads"):
        name = _recorded(shell, FILLED, "ppc32", level).name
        shell.check("inst", "check", "--strict", name)
        shell.check("inst", "replay", name, "-o", f"{level}.stf")
        assert "lwz" in shell.check("inst", "view", name)
        stated = shell.check("inst", "stats", name).splitlines()
        counts.append(next(line for line in stated if line.endswith("with a value")))
    assert counts[0] == counts[1]


def test_only_code_for_it_is_linked_with_it(shell: Shell) -> None:
    (shell.directory / "main.c").write_text("int main(int n, char **a) { return !a[n - 1]; }\n")
    for options, hooks in (
        (["--inst-record=loads"], "windows"),
        (["--inst-hooks=windows"], "record"),
        (["--inst-hooks=windows", "-fPIC"], "windows"),
    ):
        inst, more = options[:1], options[1:]
        shell.check("inst-cc", *inst, "powerpc-linux-gnu-gcc", *more, "-c", "main.c")
        link = ("inst-cc", f"--inst-record={'loads' if hooks == 'record' else 'windows'}")
        done = shell.run(*link, "powerpc-linux-gnu-gcc", "main.o", "-o", "main")
        assert done.returncode and b"--inst-hooks=" in done.stderr, done.stderr
