"""A trace does not grow beyond INST_LIMIT, says so, and is whole up to there."""

from __future__ import annotations

import numpy as np
import pytest

from inst.target.targets import Target
from inst.trace import open_trace
from inst.trace.model import Kind
from tests.conftest import ROOT, Shell

pytestmark = pytest.mark.rotated("ppc64le", "sparc-v8", turns=True)

LIMIT = 1 << 20
SOURCE = ROOT / "tests/runtime/files/drained.c"


def build(shell: Shell, target: Target, *options: str) -> None:
    """Build the program with hooks, or so that it records."""
    shell.check("inst-cc", *options, *target.compiler, "-O2", SOURCE, "-o", "p")


def hold_to_the_loop(shell: Shell, name: str) -> None:
    """Check that a trace has the first values that the loop stores, and why not more."""
    trace = open_trace(shell.directory / name)
    events = np.concatenate(list(trace.events()))
    stores = events[(events["kind"] == Kind.WRITE) & (events["size"] == 4)]
    places, counts = np.unique(stores["pc"], return_counts=True)
    found = stores["value"][stores["pc"] == places[counts.argmax()]].tolist()
    value = 1
    for one in found:
        value = (value * 1103515245 + 12345) % (1 << 32)
        assert one == value
    assert 1000 < len(found) < 100_000
    assert trace.facts.producer["ending"].strip() == "stopped: LIMIT"
    done = shell.run("inst", "check", "--strict", name)
    assert done.returncode == 3
    assert b"the trace had reached the size that INST_LIMIT allows" in done.stdout + done.stderr


@pytest.mark.parametrize("options", [(), ("--inst-record=values",)], ids=["hooks", "record"])
def test_a_trace_stops_at_its_limit(shell: Shell, target: Target, options: tuple[str, ...]) -> None:
    build(shell, target, *options)
    done = shell.run("inst", "run", "./p", INST_OUT="t", INST_LIMIT="1M")
    assert done.returncode == 0
    assert done.stderr.endswith(b"it has reached INST_LIMIT; the program goes on untraced\n")
    assert (shell.directory / "t").stat().st_size <= LIMIT
    hold_to_the_loop(shell, "t")
    if options:
        drained = shell.run("inst", "run", "-o", "d.rec", "./p", INST_LIMIT="1M")
        assert (drained.returncode, drained.stdout) == (0, done.stdout)
        assert (shell.directory / "d.rec").read_bytes().startswith(b"INST-RZP")
        hold_to_the_loop(shell, "d.rec")
