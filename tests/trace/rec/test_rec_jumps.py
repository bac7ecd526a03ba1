"""Recordings for re-execution of a function that allocates memory in its frame after setjmp.

A jump back to it leaves the frames below where its stack pointer was then, and not its own, which
reaches further down. On SPARC the function returns by the register window of its caller.
"""

from __future__ import annotations

import numpy as np
import pytest

from inst.trace import open_trace
from inst.trace.model import Kind
from tests.conftest import Shell

PROGRAM = """
#include <setjmp.h>
static jmp_buf start;
static int jumps;
static void back(void)
{
    jumps++;
    longjmp(start, 1);
}
int main(void)
{
    setjmp(start);
    volatile char *room = __builtin_alloca(256);
    room[jumps] = 1;
    if (jumps < 10)
        back();
    return room[jumps] - 1;
}
"""
COMPILERS = [
    pytest.param("powerpc-linux-gnu-gcc", id="ppc32", marks=pytest.mark.campaign),
    pytest.param("powerpc64-linux-gnu-gcc", id="ppc64", marks=pytest.mark.campaign),
    pytest.param("powerpc64le-linux-gnu-gcc", id="ppc64le"),
    pytest.param("sparc64-linux-gnu-gcc -m32 -mcpu=v8", id="sparc-v8"),
    pytest.param("sparc64-linux-gnu-gcc", id="sparc-v9"),
]


@pytest.mark.parametrize("compiler", COMPILERS)
def test_a_jump_leaves_a_frame_that_has_grown(shell: Shell, compiler: str) -> None:
    (shell.directory / "jumps.c").write_text(PROGRAM)
    options = ["-O0", "jumps.c", "-o", "jumps"]
    shell.check("inst-cc", "--inst-record=loads", *compiler.split(), *options)
    shell.check("inst", "run", "-o", "jumps.rec", "./jumps")
    shell.check("inst", "check", "--strict", "--set", "memory=strict", "jumps.rec")
    trace = open_trace(str(shell.directory / "jumps.rec"))
    events = np.concatenate([*trace.events()])
    bytes_written = (events["kind"] == Kind.WRITE) & (events["size"] == 1)
    assert np.count_nonzero(bytes_written) == 11
