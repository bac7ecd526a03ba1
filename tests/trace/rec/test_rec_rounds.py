"""Recordings for re-execution of programs whose loops load nothing when signals come.

A handler reads how far a loop has come: where the loop is executed again up to another round, its
last store is not what the handler reads.
"""

from __future__ import annotations

import signal
from pathlib import Path

import numpy as np
import pytest

from inst.trace import open_trace
from inst.trace.model import Kind
from tests.conftest import Shell

SOURCE = Path(__file__).with_name("rounds.c")
COMPILERS = [
    pytest.param("powerpc-linux-gnu-gcc", id="ppc32"),
    pytest.param("powerpc64-linux-gnu-gcc", id="ppc64", marks=pytest.mark.campaign),
    pytest.param("powerpc64le-linux-gnu-gcc", id="ppc64le"),
    pytest.param("sparc64-linux-gnu-gcc -m32 -mcpu=v8", id="sparc-v8"),
    pytest.param("sparc64-linux-gnu-gcc", id="sparc-v9"),
]


@pytest.mark.rotated(turns=True)
@pytest.mark.parametrize("compiler", COMPILERS)
def test_a_signal_comes_in_the_round_in_which_it_came(shell: Shell, compiler: str) -> None:
    options = ["-O2", str(SOURCE), "-o", "rounds"]
    shell.check("inst-cc", "--inst-record=loads", *compiler.split(), *options)
    ended = shell.run("inst", "run", "-o", "rounds.rec", "./rounds")
    assert ended.returncode == -signal.SIGALRM, ended.stderr
    trace = open_trace(str(shell.directory / "rounds.rec"))
    events = np.concatenate([*trace.events()])
    assert not any("loads nothing" in note for note in trace.notes)
    stores = events[events["kind"] == Kind.WRITE]
    _, counts = np.unique(stores["address"], return_counts=True)
    assert np.count_nonzero(counts > 100) >= 4, "each loop has run"
    shell.check("inst", "check", "--strict", "--set", "memory=strict", "rounds.rec")
