"""Recordings of programs that end while another thread of theirs goes on recording."""

from __future__ import annotations

import numpy as np
import pytest

from inst.target.targets import Target
from inst.trace import open_trace
from tests.conftest import Shell
from tests.sizes import rounds

ENDS = r"""
#include <pthread.h>
#include <unistd.h>
static volatile int cell;
static void *run(void *unused)
{
    for (;;)
        cell++;
    return unused;
}
void link_this_library(void);
int main(void)
{
    pthread_t other;
    link_this_library();
    if (pthread_create(&other, 0, run, 0))
        return 2;
    while (!cell)
        usleep(100);
    return 0;
}
"""
WAITS = r"""
#include <unistd.h>
void link_this_library(void) {}
__attribute__((destructor)) static void wait_a_while(void) { usleep(50000); }
"""
"""A library's destructors run after the program's: the recording has its end by then."""


@pytest.mark.rotated("ppc64le", "sparc-v8", turns=True)
@pytest.mark.parametrize("way", ["values", "loads"])
def test_a_thread_may_run_on_after_the_recording(shell: Shell, target: Target, way: str) -> None:
    (shell.directory / "ends.c").write_text(ENDS)
    (shell.directory / "waits.c").write_text(WAITS)
    library = ["-fPIC", "-shared", "waits.c", "-o", "libwaits.so"]
    shell.check(*target.compiler, *library)
    options = ["-O1", "-pthread", "ends.c", "-L.", "-lwaits", f"-Wl,-rpath,{shell.directory}"]
    shell.check("inst-cc", f"--inst-record={way}", *target.compiler, *options, "-o", "ends")
    done = shell.run("inst", "run", "-o", "ends.rec", "./ends")
    assert (done.returncode, done.stderr) == (0, b"")
    trace = open_trace(str(shell.directory / "ends.rec"))
    assert len(np.concatenate([*trace.events()])) > 2
    assert all("still running when the program ended" in note for note in trace.notes)


LOCKING = r"""
#include <pthread.h>
#include <unistd.h>
static volatile int cells[64];
static void *run(void *own)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    for (volatile int *cell = own;; (*cell)++) {
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
    }
    return 0;
}
int main(void)
{
    pthread_t thread;
    for (int n = 0; n < 8; n++)
        if (pthread_create(&thread, 0, run, (void *)(cells + 8 * n)))
            return 2;
    usleep(20000);
    return 0;
}
"""
"""Its threads begin chunks of events, and have events after nearly every access, as it ends."""


@pytest.mark.rotated("ppc32", "sparc-v9", turns=True)
@pytest.mark.parametrize("ring", ["", "4M"])
def test_events_of_threads_that_run_on_are_whole(shell: Shell, target: Target, ring: str) -> None:
    """Each chunk of events begins with its thread, and no event comes after blocks elsewhere."""
    (shell.directory / "locks.c").write_text(LOCKING)
    options = ["-O1", "-pthread", "locks.c", "-o", "locks"]
    shell.check("inst-cc", "--inst-record=values", *target.compiler, *options)
    variables = {"INST_OUT": "locks.rec"} | ({"INST_RING": ring} if ring else {})
    for _ in range(rounds(6)):
        shell.check("inst", "run", "./locks", **variables)
        trace = open_trace(str(shell.directory / "locks.rec"))
        assert sum(map(len, trace.events())) > 2
