"""A process ends while its threads take turns: their events end at one place in their order.

Each thread's chunks are taken at another time, and it goes on until then. What is in the trace of
one thread must not come after what is missing of another.
"""

from __future__ import annotations

import subprocess
import threading
import time
from pathlib import Path

import pytest
from ring_code import Drain, Ring, drain_lock

from inst.check import check_trace
from inst.target.targets import Target
from inst.trace import open_trace
from tests.conftest import ROOT, Shell

pytestmark = pytest.mark.rotated("ppc32", "sparc-v8", turns=True)

PATIENCE = 60
"""Seconds until the threads have filled a ring."""


def build(shell: Shell, target: Target, *options: str) -> None:
    """Build the program as `p`."""
    shell.check("inst-cc", *options, *target.compiler, "-O2", "-static", "-pthread",
                ROOT / "tests/runtime/files/at_exit.c", "-o", "p")  # fmt: skip


def check_order(path: Path) -> dict[str, str]:
    """Check that nothing is missing between the events of a trace, and that there are no races.

    Returns what the trace states.
    """
    trace = open_trace(path)
    report = check_trace(trace, ("races", "locks"))
    assert report.error is None
    assert {one.code for one in report.findings} <= {"lock-kept"}
    assert int(trace.facts.producer["running-threads"]) > 1
    assert not [note for note in report.notes if "missing" in note]
    return dict(trace.facts.producer)


def wait_for_ring(directory: Path) -> None:
    """Wait until a thread waits for a slot of the ring in a directory."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        for path in directory.glob("*.ring"):
            if path.read_bytes()[:8] == b"INST-RNG" and Ring(path).numbers[4]:
                return
        time.sleep(0.02)
    raise AssertionError("the ring was not filled")


def test_threads_wait_for_slots_while_the_process_ends(target: Target, shell: Shell) -> None:
    """Their ring is emptied only then; what they record in between would have no place."""
    build(shell, target)
    rings = shell.directory / "rings"
    rings.mkdir()
    drain = Drain(rings)
    emptying = threading.Thread(target=drain.run)
    variables = {"INST_DRAIN": str(rings), "INST_DRAIN_SLOTS": "1", "INST_OUT": "p.rec"}
    with drain_lock(rings):
        command = [target.emulator, "./p", "waits"]
        program = subprocess.Popen(
            command, cwd=shell.directory, env=variables, stdin=subprocess.PIPE
        )
        wait_for_ring(rings)
        assert program.stdin
        program.stdin.close()
        time.sleep(0.3)
        emptying.start()
        assert program.wait(PATIENCE) == 0
        drain.over = True
        emptying.join()
    (path,) = drain.write(shell.directory).values()
    check_order(path)


@pytest.mark.parametrize("hooks", ["record", "rst", "sexp"])
def test_threads_run_while_the_process_ends(hooks: str, target: Target, shell: Shell) -> None:
    options = [] if hooks == "record" else [f"--inst-hooks={hooks}"]
    build(shell, target, *options)
    shell.check("inst", "run", "-o", f"p.{hooks}", "./p", INST_DRAIN_SLOTS="1")
    check_order(shell.directory / f"p.{hooks}")


def test_a_ring_keeps_the_end_of_threads_that_run(target: Target, shell: Shell) -> None:
    """Places of events that were overwritten are not missing between those that are there."""
    build(shell, target)
    shell.check("inst", "run", "-o", "p.rec", "./p", "runs", "long", INST_RING="1M")
    assert int(check_order(shell.directory / "p.rec")["whole-from"]) > 0
