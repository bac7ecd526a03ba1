"""Instructions that change translations are events of user programs, which may not run them."""

from __future__ import annotations

import pytest

from inst.program.program import Program
from inst.target.targets import TARGETS, Target
from inst.trace import open_trace
from inst.trace.model import Kind
from tests.conftest import Shell

pytestmark = pytest.mark.rotated("ppc32", "sparc-v8", turns=True)

PROGRAM = """\
#include <setjmp.h>
#include <signal.h>
static sigjmp_buf back;
static void refused(int number) { (void)number; siglongjmp(back, 1); }
#define TRY(...) if (!sigsetjmp(back, 1)) __asm__ volatile(__VA_ARGS__)
int main(void)
{
    signal(SIGILL, refused);
    signal(SIGSEGV, refused);
#ifdef __sparc__
    TRY("sta %0, [%1] 0x19" : : "r"(0x1234), "r"(0x200));
#else
    TRY("mtspr 624, %0" : : "r"(0x1234));
    TRY("tlbivax 0, %0" : : "r"(0x7654000) : "r12", "r0");
    TRY("tlbsync");
#endif
    __sync_synchronize();
    return 0;
}
"""
SHOWN = {
    "sparc": [(Kind.SYSREG, "mmu.context", 0x1234)],
    "powerpc": [(Kind.SYSREG, "mas0", 0x1234), (Kind.TLBI, "tlbivax", 0x7654000)],
}
"""Barriers are none where programs have an operating system; 64-bit SPARC has memory in these
spaces."""


@pytest.mark.parametrize("target", sorted(TARGETS.keys() - {"sparc-v9"}), indirect=True)
@pytest.mark.parametrize("hooks", ["sexp", "rst", "record"])
def test_events_are_recorded_with_their_place(hooks: str, target: Target, shell: Shell) -> None:
    (shell.directory / "p.c").write_text(PROGRAM)
    options = ["--inst-record=values"] if hooks == "record" else [f"--inst-hooks={hooks}"]
    shell.check("inst-cc", *options, *target.compiler, "-O2", "-g", "-static", "p.c", "-o", "p",
                "-Wa,-many" if target.isa == "powerpc" else "-Wall")  # fmt: skip
    done = shell.run("inst", "run", "-o", "p.trace", "./p")
    assert done.returncode == 0 or b"Unhandled trap" in done.stderr, "the emulator ends on SPARC"
    kinds = (Kind.SYSREG, Kind.TLBI, Kind.BARRIER)
    found = [one for one in open_trace(shell.directory / "p.trace").objects() if one.kind in kinds]
    assert [(one.kind, one.detail, one.value) for one in found] == SHOWN[target.isa]
    program = Program(shell.directory / "p")
    lines = [program.place(int(one.site, 16)).line for one in found]
    first = 1 + PROGRAM[: PROGRAM.index("sta %0" if target.isa == "sparc" else "mtspr")].count("\n")
    assert lines == [first + n for n in range(len(found))]
