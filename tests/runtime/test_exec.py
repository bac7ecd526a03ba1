"""A program that becomes another by exec leaves a whole trace; where exec fails, it goes on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from inst.target.targets import Target
from inst.trace import open_trace
from inst.trace.model import Kind
from tests.conftest import ROOT, Shell

pytestmark = pytest.mark.rotated("ppc32", "sparc-v9", turns=True)

SOURCE = ROOT / "tests/runtime/files/replaced.c"
COUNT = 20_000
BUILDS = {
    "rst": ("--inst-hooks=rst",),
    "sexp": ("--inst-hooks=sexp",),
    "values": ("--inst-record=values",),
    "loads": ("--inst-record=loads",),
}


@pytest.fixture(params=BUILDS)
def program(request: pytest.FixtureRequest, shell: Shell, target: Target) -> Shell:
    """Return a shell in whose directory the program is, and a file that no kernel executes."""
    options = BUILDS[request.param]
    command = ("inst-cc", *options, *target.compiler, "-O2", SOURCE, "-o", "p", "-pthread")
    shell.check(*command)
    (shell.directory / "text").write_text("no program")
    (shell.directory / "text").chmod(0o755)
    return shell


def read(path: Path) -> tuple[list[int], str, bool]:
    """Return the values that the loop has stored, the trace's ending, and whether it lacks any."""
    trace = open_trace(path)
    events = np.concatenate(list(trace.events()))
    stores = events[(events["kind"] == Kind.WRITE) & (events["size"] == 4)]
    places, counts = np.unique(stores["address"], return_counts=True)
    values = stores["value"][stores["address"] == places[counts.argmax()]]
    return values.tolist(), trace.facts.producer["ending"].strip(), trace.incomplete


@pytest.mark.parametrize("way", ["", "handler", "file"])
def test_a_program_that_becomes_another_leaves_a_whole_trace(program: Shell, way: str) -> None:
    done = program.run("inst", "run", "--strict", "-o", "t", "./p", way)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert read(program.directory / "t") == (list(range(COUNT)), "exec", False)
    checked = program.run("inst", "check", "--strict", "t")
    assert checked.returncode == 0, checked.stdout
    assert b"note" not in checked.stdout + checked.stderr


def test_where_exec_fails_the_trace_goes_on(program: Shell) -> None:
    done = program.run("inst", "run", "--strict", "-o", "t", "./p", "fail")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"goes on\n", b"")
    assert read(program.directory / "t") == (list(range(2 * COUNT)), "exit", False)


def test_what_goes_to_a_pipe_is_there(shell: Shell, target: Target) -> None:
    """Nothing closes the trace, since the exec may fail; but nothing is lost, nor there twice."""
    command = ("inst-cc", "--inst-hooks=rst", *target.compiler, "-O2", SOURCE)
    shell.check(*command, "-o", "p", "-pthread")
    (shell.directory / "text").write_text("no program")
    (shell.directory / "text").chmod(0o755)
    for way, count in (("", COUNT), ("thread", COUNT), ("fail", 2 * COUNT)):
        shell.check("sh", "-c", f"inst run -o /dev/stderr ./p {way} 2>&1 >/dev/null | cat >t")
        values, ending, incomplete = read(shell.directory / "t")
        assert (values, ending, incomplete) == (list(range(count)), "stream", way != "fail")


def test_other_threads_may_not_have_filled_their_last_blocks(shell: Shell, target: Target) -> None:
    """What the thread that calls exec has recorded is whole all the same."""
    command = ("inst-cc", "--inst-record=values", *target.compiler, "-O2", SOURCE)
    shell.check(*command, "-o", "p", "-pthread")
    shell.check("inst", "run", "-o", "t", "./p", "thread")
    values, ending, _ = read(shell.directory / "t")
    assert (values, ending) == (list(range(COUNT)), "exec")


@pytest.mark.parametrize("hooks", ["rst", "sexp", "stf"])
def test_other_threads_end_where_they_are(hooks: str, shell: Shell) -> None:
    """A note says why space is left in the middle of the trace, which lacks nothing."""
    command = ("inst-cc", f"--inst-hooks={hooks}", "powerpc-linux-gnu-gcc", "-O1", "-pthread")
    shell.check(*command, SOURCE.with_name("left_running.c"), "-o", "p")
    shell.check("inst", "run", "--strict", "-o", "t", "./p")
    trace = open_trace(shell.directory / "t")
    assert sum(map(len, trace.events())) > COUNT
    (note,) = trace.notes
    assert "events end where the program became another by exec" in note
    assert not trace.incomplete
