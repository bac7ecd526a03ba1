"""Signals in the middle of what code records: some values are stored, and others are not.

A load faults, between others of the same basic block; the handler makes its page readable, and
the load goes on. On SPARC the pointer is moved after the last of the values.
"""

from __future__ import annotations

import numpy as np
import pytest

from inst.trace import open_trace
from inst.trace.model import Array, Kind
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
    int near[3] = { 1, 0x1234, 0x2468 }, found = 0;
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
    return found != 5 * (25 + 0x1234 + 0x2468) || faults != 5;
}
"""

_EIGHT = 0x4020 << 48
"""8.0 in double precision."""


def _read(shell: Shell) -> Array:
    """Return the loads of the recording."""
    events = np.concatenate([*open_trace(str(shell.directory / "ahead.rec")).events()])
    return np.asarray(events[events["kind"] == Kind.READ])


def _check_order(read: Array, *values: int) -> None:
    """Hold the loads of the handler, and those before and after it, against their order."""
    order = read["value"][np.isin(read["value"], values)]
    assert order.tolist()[-5 * len(values) :] == [*values] * 5


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("level", ["loads", "values"])
def test_a_load_faults_between_others(shell: Shell, compiler: str, level: str) -> None:
    (shell.directory / "ahead.c").write_text(PROGRAM)
    options = ["-O2", "ahead.c", "-o", "ahead"]
    shell.check("inst-cc", f"--inst-record={level}", *compiler.split(), *options)
    shell.check("inst", "run", "-o", "ahead.rec", "./ahead")
    shell.check("inst", "check", "--strict", "ahead.rec")
    read = _read(shell)
    _check_order(read, 0x1234, _EIGHT, 0x4321, 0x2468)
    assert np.count_nonzero((read["size"] == 4) & (read["value"] == 16)) == 5


OTHER = """
	.text
	.align 4
	.global other
	.type other, #function
other:
	ld	[%o0], %o2
	mov	%o1, %g6
	st	%o2, [%g6+256]
	retl
	mov	%o2, %o0
	.size other, .-other
"""
_SPARC = [one for one in COMPILERS if str(one.id).startswith("sparc")]


@pytest.mark.parametrize("compiler", _SPARC)
def test_other_code_may_store_by_the_same_register(shell: Shell, compiler: str) -> None:
    """A load faults in code that is not instrumented, whose register has the pointer left over."""
    program = PROGRAM.replace("*hidden, last", "other(hidden, room), last")
    declared = "int other(const volatile int *, int *);\nstatic int room[80];\nstatic __attribute__"
    (shell.directory / "ahead.c").write_text(program.replace("static __attribute__", declared))
    (shell.directory / "other.s").write_text(OTHER)
    shell.check(*compiler.split(), "-Wa,-undeclared-regs", "-c", "other.s")
    options = ["-O2", "ahead.c", "other.o", "-o", "ahead"]
    shell.check("inst-cc", "--inst-record=loads", *compiler.split(), *options)
    shell.check("inst", "run", "-o", "ahead.rec", "./ahead")
    shell.check("inst", "check", "--strict", "ahead.rec")
    _check_order(_read(shell), 0x1234, 0x4321, 0x2468)
