"""Recording pauses and goes on in handlers, threads and children of fork, and says where."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from inst.program.program import Program
from inst.target.emulator import command_for
from inst.target.targets import Target
from inst.trace import open_trace
from inst.trace.model import Array, Flag, Kind, Trace
from inst.trace.system_events import BACK
from tests.conftest import ROOT, Shell

SOURCE = ROOT / "tests/runtime/files/paused.c"
COUNT = 4000

pytestmark = pytest.mark.rotated("ppc64le", "sparc-v8", turns=True)

WAYS = {"record": ("--inst-record=values",), "rst": (), "sexp": ("--inst-hooks=sexp",)}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a directory for the programs of all tests."""
    return tmp_path_factory.mktemp("built")


@pytest.fixture(params=sorted(WAYS))
def program(request: pytest.FixtureRequest, shell: Shell, target: Target, built: Path) -> Shell:
    """Build the program once for its way and target; its traces are named t."""
    made = built / f"{target.name}-{request.param}"
    if not made.exists():
        command = ["inst-cc", *WAYS[request.param], *target.compiler, "-O2", str(SOURCE)]
        shell.check(*command, "-o", made, "-pthread")
    shutil.copy(made, shell.directory / "p")
    return shell


def run(shell: Shell, way: str, **variables: str) -> list[Path]:
    """Run the program in one way; return its traces."""
    done = shell.run("inst", "run", "./p", way, INST_OUT="t%p", **variables)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.endswith(b"done\n")
    return sorted(shell.directory.glob("t[0-9]*"))


def events_of(path: Path) -> tuple[Trace, Array]:
    """Return a trace and all its events."""
    trace = open_trace(path)
    return trace, np.concatenate(list(trace.events()))


def region(shell: Shell, trace: Trace, events: Array, name: str) -> Array:
    """Return the stores that a trace has of one of the program's tables."""
    program = Program(shell.directory / "p")
    image = trace.facts.images[0]
    start = next(start for start, _, symbol in program.variables() if symbol == name)
    start += image.base - program.start if program.relocatable else 0
    inside = (events["address"] >= start) & (events["address"] < start + 4 * COUNT)
    inside &= (events["kind"] == Kind.WRITE) & (events["flags"] & int(Flag.HAS_PC) != 0)
    found: Array = events[inside]
    return found


def marks(trace: Trace, events: Array) -> list[tuple[int, str]]:
    """Return threads and words of the marks."""
    rows = events[events["kind"] == Kind.GAP]
    return [(int(row["thread"]), trace.words.texts[int(row["detail"])]) for row in rows]


def hold_in_turn(found: list[tuple[int, str]]) -> None:
    """Check that each thread pauses first and then does one after the other."""
    for thread in {thread for thread, _ in found}:
        words = [word for one, word in found if one == thread]
        assert words[0] == "pause"
        assert all(a != b for a, b in pairwise(words))


def test_handlers_pause_and_resume(program: Shell) -> None:
    (path,) = run(program, "handlers")
    trace, events = events_of(path)
    assert len(region(program, trace, events, "left_out")) == 0
    assert len(region(program, trace, events, "recorded")) == 20 * COUNT
    found = marks(trace, events)
    assert found
    hold_in_turn(found)
    program.check("inst", "check", path.name)


def test_a_segment_that_a_handler_interrupts_is_whole(program: Shell) -> None:
    (path,) = run(program, "interrupted")
    trace, events = events_of(path)
    found = marks(trace, events)
    assert len(found) >= 30
    hold_in_turn(found)
    program.check("inst", "check", path.name)
    texts, numbers = trace.words.texts, np.arange(len(events))
    gaps = np.flatnonzero(events["kind"] == Kind.GAP)
    pauses = np.array([texts[detail] == "pause" for detail in events["detail"][gaps].tolist()])
    latest = np.searchsorted(gaps, numbers, "right") - 1
    is_paused = (latest >= 0) & pauses[latest]
    is_own = events["flags"] & int(Flag.HAS_PC) != 0
    late = np.flatnonzero(is_paused & is_own & np.isin(events["kind"], (Kind.READ, Kind.WRITE)))
    # A hook that was interrupted writes its event when the handler has returned.
    assert {texts[detail] for detail in events["detail"][late - 1].tolist()} <= {BACK}


def test_a_child_of_fork_goes_on_as_its_parent_does(program: Shell) -> None:
    paths = run(program, "forks")
    assert len(paths) == 2
    for path in paths:
        trace, events = events_of(path)
        assert len(region(program, trace, events, "left_out")) == 0
        stores = region(program, trace, events, "recorded")
        assert len(stores) == COUNT
        assert int(stores["value"][0]) in (2, 3)
        assert [word for _, word in marks(trace, events)] == ["pause", "resume"]


def test_threads_follow_the_process(program: Shell) -> None:
    (path,) = run(program, "threads")
    trace, events = events_of(path)
    assert len(region(program, trace, events, "left_out")) == 0
    stores = region(program, trace, events, "recorded")
    wanted = sorted(with_ + n for with_ in (7, 8) for n in range(COUNT))
    assert sorted(stores["value"].tolist()) == wanted
    hold_in_turn(marks(trace, events))
    program.check("inst", "check", path.name)


def test_a_run_that_begins_paused(program: Shell) -> None:
    (path,) = run(program, "start", INST_START="paused")
    trace, events = events_of(path)
    assert len(region(program, trace, events, "left_out")) == 0
    assert len(region(program, trace, events, "recorded")) == COUNT
    assert [word for _, word in marks(trace, events)] == ["pause", "resume"]


def test_a_signal_pauses_and_resumes(program: Shell) -> None:
    (path,) = run(program, "toggles", INST_TOGGLE="SIGUSR2")
    trace, events = events_of(path)
    assert len(region(program, trace, events, "left_out")) == 0
    assert len(region(program, trace, events, "recorded")) == 20 * COUNT
    found = [word for _, word in marks(trace, events)]
    assert found == ["pause", "resume"] * 19 + ["pause", "resume"]
    program.check("inst", "check", path.name)


def test_the_signal_may_come_from_outside(program: Shell) -> None:
    environment = {**os.environ, **program.environment, "INST_OUT": "t1", "INST_TOGGLE": "USR2"}
    command = command_for(program.directory / "p", ["waits"])  # no process may be in between
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, cwd=program.directory, env=environment, **pipes) as process:
        assert process.stdin
        assert process.stdout
        for line in process.stdout:
            if line == b"send\n":
                process.send_signal(signal.SIGUSR2)
                process.stdin.write(b"\n")
                process.stdin.flush()
    assert process.returncode == 0
    trace, events = events_of(program.directory / "t1")
    assert [word for _, word in marks(trace, events)] == ["pause", "resume"] * 3
    assert len(region(program, trace, events, "left_out")) == 0
    assert len(region(program, trace, events, "recorded")) == 3 * COUNT


@pytest.mark.parametrize(("name", "problem"), [("SIGNONE", "no signal"), ("9", "no signal")])
def test_a_wrong_signal_is_reported(program: Shell, name: str, problem: str) -> None:
    done = program.run("inst", "run", "./p", INST_OUT="t", INST_TOGGLE=name)
    assert done.returncode == 0
    assert f"INST_TOGGLE is {problem}, so it is ignored: {name}".encode() in done.stderr


def test_a_wrong_start_is_reported(program: Shell) -> None:
    done = program.run("inst", "run", "./p", "start", INST_OUT="t", INST_START="pawsed")
    assert done.returncode == 0
    assert b"INST_START is neither `paused` nor a number, so it is ignored: pawsed" in done.stderr
