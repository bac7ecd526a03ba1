"""`inst run -o` empties the rings of the programs that it runs: nothing of a recording is lost."""

from __future__ import annotations

import signal
import time
from mmap import ACCESS_READ, mmap
from pathlib import Path

import numpy as np
import pytest

from inst.commands.run_drain import is_mapped
from inst.formats.rec.emptying import Emptied
from inst.target.targets import Target
from inst.trace import open_trace
from inst.trace.model import Kind
from tests.conftest import ROOT, Shell
from tests.trace.rec.containers import ring
from tests.trace.rec.test_rec_containers import loads

pytestmark = pytest.mark.rotated("ppc32", "sparc-v8", turns=True)

ROUNDS = 100_000
"""Of the loop in drained.c, which fills more chunks than a small ring has slots."""
SMALL = {"INST_DRAIN_SLOTS": "1"}


@pytest.fixture
def program(shell: Shell, target: Target) -> Shell:
    """Return a shell in whose directory the program is."""
    source = ROOT / "tests/runtime/files/drained.c"
    shell.check("inst-cc", "--inst-record=values", *target.compiler, "-O2", source, "-o", "p")
    return shell


def stored(path: Path) -> tuple[list[int], str, bool]:
    """Return the values that the loop has stored, the recording's end, and whether it lacks any."""
    trace = open_trace(path)
    events = np.concatenate(list(trace.events()))
    stores = events[(events["kind"] == Kind.WRITE) & (events["size"] == 4)]
    places, counts = np.unique(stores["pc"], return_counts=True)
    values = stores["value"][stores["pc"] == places[counts.argmax()]]
    return values.tolist(), trace.facts.producer["ending"].strip(), trace.incomplete


def expected() -> list[int]:
    """Return the values that the loop of drained.c stores."""
    value, found = 1, []
    for _ in range(ROUNDS):
        value = (value * 1103515245 + 12345) % (1 << 32)
        found.append(value)
    return found


def test_the_recording_is_whole_and_packed(program: Shell) -> None:
    path = program.directory / "a.rec"
    done = program.run("inst", "run", "-o", "a.rec", "./p", **SMALL)
    assert (done.returncode, done.stderr) == (0, b"")
    assert path.read_bytes().startswith(b"INST-RZP")
    assert stored(path) == (expected(), "exit", False)


def test_what_a_killed_program_recorded_is_there(program: Shell) -> None:
    done = program.run("inst", "run", "-o", "a.rec", "./p", "kill", **SMALL)
    assert done.returncode == -signal.SIGKILL
    assert stored(program.directory / "a.rec") == (expected(), "running", True)


def test_a_program_that_becomes_another_ends_its_recording(program: Shell) -> None:
    done = program.run("inst", "run", "-o", "a.rec", "./p", "exec", **SMALL)
    assert (done.returncode, done.stdout) == (0, b"")
    assert stored(program.directory / "a.rec") == (expected(), "exec", False)


def test_a_child_may_outlive_the_run(program: Shell) -> None:
    """The run ends with its program; what empties the rings ends with the child."""
    command = "inst run -o a.rec ./p outlive >log 2>&1"
    done = program.run("sh", "-c", command, **SMALL)
    try:
        assert done.returncode == 0
        assert stored(program.directory / "a.rec") == (expected(), "exit", False)
        (child,) = program.directory.glob("a.rec.*")
    finally:
        (program.directory / "go").touch()
    deadline = time.monotonic() + 120
    while child.read_bytes()[20:22] != b"\0\1":
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert stored(child) == (expected(), "exit", False)


def test_a_process_that_maps_a_ring_is_waited_for(tmp_path: Path) -> None:
    """A child of fork keeps a chunk of its parent's ring mapped until it has one of its own."""
    (tmp_path / "1-1.ring").write_bytes(bytes(4096))
    assert not is_mapped(tmp_path)
    with (tmp_path / "1-1.ring").open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ):
        assert is_mapped(tmp_path)
    assert not is_mapped(tmp_path)


def test_an_output_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "1-1.ring"
    path.write_bytes(ring(loads(3), mode=b"d", output=b"/dev/full"))
    one = Emptied(path)
    one.finish()
    assert one.failure is not None and one.failure.strerror == "No space left on device"
    assert not path.exists()
