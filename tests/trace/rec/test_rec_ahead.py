"""Signals in the middle of what code records: some values are stored, and others are not.

A load faults, between others of the same basic block; the handler makes its page readable, and
the load goes on. On SPARC the pointer is moved after the last of the values.
"""

from __future__ import annotations

import numpy as np
import pytest

from inst.trace import open_trace
from inst.trace.model import Kind
from tests.conftest import Shell
from tests.trace.rec.test_rec_jumps import COMPILERS

PROGRAM = """
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
static volatile int *hidden;
static long page;
static volatile int faults, before = 0x4321;
static void show(int number)
{
    (void)number;
    faults += before & 1;
    if (mprotect((void *)hidden, page, PROT_READ | PROT_WRITE))
        _exit(2);
}
static __attribute__((noinline)) int sum(const volatile int *near, const volatile double *real)
{
    int first = near[0], second = near[1];
    double third = real[0];
    int far = *hidden, last = near[2];
    return first + second + (int)third + far + last;
}
int main(void)
{
    int near[3] = { 1, 0x1234, 4 }, found = 0;
    double real[1] = { 8 };
    page = sysconf(_SC_PAGESIZE);
    hidden = mmap(0, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *hidden = 16;
    signal(SIGSEGV, show);
    for (int n = 0; n < 5; n++) {
        if (mprotect((void *)hidden, page, PROT_NONE))
            return 1;
        found += sum(near, real);
    }
    return found != 5 * (29 + 0x1234) || faults != 5;
}
"""

_EIGHT = 0x4020 << 48
"""8.0 in double precision."""


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("level", ["loads", "values"])
def test_a_load_faults_between_others(shell: Shell, compiler: str, level: str) -> None:
    (shell.directory / "ahead.c").write_text(PROGRAM)
    options = ["-O2", "ahead.c", "-o", "ahead"]
    shell.check("inst-cc", f"--inst-record={level}", *compiler.split(), *options)
    shell.check("inst", "run", "-o", "ahead.rec", "./ahead")
    shell.check("inst", "check", "--strict", "ahead.rec")
    events = np.concatenate([*open_trace(str(shell.directory / "ahead.rec")).events()])
    read = events[events["kind"] == Kind.READ]
    order = read["value"][np.isin(read["value"], (_EIGHT, 0x1234, 0x4321))]
    assert order.tolist()[-15:] == [0x1234, _EIGHT, 0x4321] * 5, "the handler's comes last"
    assert np.count_nonzero((read["size"] == 4) & (read["value"] == 16)) == 5
