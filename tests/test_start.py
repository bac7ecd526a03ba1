"""How `inst` begins: an interrupt at any import ends it, and never with a traceback."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from tests.truth.harness import python_environment

INTERRUPTED = """
import os, runpy, signal, sys

class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == {name!r}:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupt())
sys.argv = ["inst", "check", "--list"]
runpy.run_module("inst", run_name="__main__")
"""
PLACES = {
    "inst.cli": -signal.SIGINT,
    "inst.commands.check": -signal.SIGINT,
    "numpy": -signal.SIGINT,
    "inst.check.races": 130,
}
"""What is being imported when the interrupt comes, and the status: the last one by a command."""


@pytest.mark.parametrize("name", PLACES)
def test_an_interrupt_ends_it_without_a_traceback(name: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED.format(name=name)],
        env=python_environment(),
        capture_output=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        timeout=60,
    )
    assert (done.stderr, done.returncode) == (b"", PLACES[name])


def test_an_interrupt_that_is_ignored_stays_ignored() -> None:
    """As for what a shell starts in the background."""
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED.format(name="numpy")],
        env=python_environment(),
        capture_output=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
        timeout=60,
    )
    assert (done.stderr, done.returncode) == (b"", 0)
    assert b"races" in done.stdout
