"""Recordings of loads: control that comes back by exceptions, and threads."""

from __future__ import annotations

import numpy as np

from inst.trace import open_trace
from inst.trace.model import Array
from tests.conftest import Shell

THROWING = r"""
struct Guard {
    int *place;
    Guard(int *to) : place(to) { ++*place; }
    ~Guard() { --*place; }
};
static int down(int depth, int *guards)
{
    Guard one(guards);
    if (!depth)
        throw depth + *guards;
    return down(depth - 1, guards) + *guards;
}
int main()
{
    int guards = 0, sum = 0;
    for (int depth = 0; depth < 20; depth++) {
        try {
            sum += down(depth, &guards);
        } catch (int found) {
            sum += found;
        }
    }
    return guards || sum != 210;
}
"""
THREADS = r"""
#include <pthread.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int total, cells[4];
static void *add(void *given)
{
    int *own = given;
    for (int n = 0; n < 2000; n++) {
        *own += n;
        if (n % 100 == 0) {
            pthread_mutex_lock(&mutex);
            total += *own & 7;
            pthread_mutex_unlock(&mutex);
        }
    }
    return 0;
}
int main(void)
{
    pthread_t threads[4];
    for (int n = 0; n < 4; n++)
        pthread_create(&threads[n], 0, add, &cells[n]);
    for (int n = 0; n < 4; n++)
        pthread_join(threads[n], 0);
    return total != 240;
}
"""


def _recorded(shell: Shell, level: str, source: str, compiler: str) -> Array:
    """Return the events of a program's recording."""
    name = "main.cc" if compiler.endswith("g++") else "main.c"
    (shell.directory / name).write_text(source)
    command = ["inst-cc", f"--inst-record={level}", compiler, "-O1", name]
    shell.check(*command, "-pthread", "-o", level)
    shell.check("inst", "run", "-o", f"{level}.rec", f"./{level}")
    return np.concatenate(list(open_trace(shell.directory / f"{level}.rec").events()))


def test_exceptions_are_followed(shell: Shell) -> None:
    found, wanted = (
        _recorded(shell, level, THROWING, "powerpc-linux-gnu-g++") for level in ("loads", "values")
    )
    for column in ("kind", "size"):
        assert np.array_equal(found[column], wanted[column])
    assert len(found) > 1500
    shell.check("inst", "check", "--strict", "--set", "memory=strict", "loads.rec")


def test_threads_are_executed_each_for_itself(shell: Shell) -> None:
    events = _recorded(shell, "loads", THREADS, "powerpc-linux-gnu-gcc")
    assert len(np.unique(events["thread"])) >= 5
    assert np.count_nonzero(events["kind"] == 2) >= 8000
    shell.check("inst", "check", "--strict", "--set", "memory=strict", "loads.rec")
