"""Recordings for re-execution of threads that end in a loop that loads nothing."""

from __future__ import annotations

import numpy as np
import pytest

from inst.trace import open_trace
from inst.trace.model import Kind
from tests.conftest import Shell

SPIN = r"""
#include <pthread.h>
#include <stdint.h>
static volatile uint32_t cells[3];
static void *spin(void *unused)
{
    cells[1] = cells[0] + 0x7654321;
    for (uint32_t n = 1;; n++)
        cells[2] = n;
    return unused;
}
int main(int count, char **words)
{
    pthread_t other;
    (void)words;
    cells[0] = count;
    if (pthread_create(&other, 0, spin, 0))
        return 2;
    while (cells[2] < 100)
        ;
    return cells[1] != 0x7654322;
}
"""


@pytest.mark.parametrize("compiler", ["powerpc-linux-gnu-gcc", "powerpc64le-linux-gnu-gcc"])
def test_a_loop_that_never_loads_ends_with_the_recording(shell: Shell, compiler: str) -> None:
    """Another thread ends the program: how often the loop stored is not recorded.

    On SPARC such a thread's last block is left out, with the load before the loop.
    """
    source = shell.directory / "spin.c"
    source.write_text(SPIN)
    options = ["-O2", "-pthread", source, "-o", "spin"]
    shell.check("inst-cc", "--inst-record=loads", compiler, *options)
    shell.check("inst", "run", "-o", "spin.rec", "./spin")
    trace = open_trace(str(shell.directory / "spin.rec"))
    events = np.concatenate([*trace.events()])
    (note,) = (note for note in trace.notes if "ends in a loop" in note)
    assert "what it stored after its last load is left out" in note
    reads, stores = (events[events["kind"] == kind] for kind in (Kind.READ, Kind.WRITE))
    (last,) = reads["address"][reads["value"] == 0x7654322]
    assert np.any(reads["address"] == last + 4)
    assert not np.any(stores["address"] == last + 4)
