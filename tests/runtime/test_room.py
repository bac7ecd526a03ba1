"""Room for segments where the program uses every register and condition field."""

from __future__ import annotations

import numpy as np
import pytest

from inst.target.emulator import command_for
from inst.target.targets import TARGETS, Target
from inst.trace import open_trace
from inst.trace.model import Kind
from tests.conftest import Shell

MAIN = """
extern unsigned long fill(long *to);
long cell;
int main(void)
{
    for (int n = 0; n < 40; n++)
        if (fill(&cell) != EXPECTED)
            return 1;
    return cell != 0x77;
}
"""
STORES = 1000
POWERPC = """
    mflr 12
    mfcr 10
    lis 6,0x1234
    ori 6,6,0x5678
    mtcr 6
    li 5,0x77
    li 0,0x100
{stores}
    mfcr 3
    add 3,3,5
    add 3,3,0
    mtcr 10
    mtlr 12
    blr
empty:
    blr
"""
SPARC = """
    save %sp,-176,%sp
    mov 0x77,%i5
    mov 0x100,%g1
    cmp %i5,0x78
{stores}
    addx %g1,%i5,%i0
    ret
    restore
empty:
    retl
    nop
"""
CODE = {
    "ppc32": (POWERPC, "bl empty; stw 5,0(3)", 0x12345678 + 0x177),
    "ppc64": (POWERPC, "bl empty; std 5,0(3)", 0x12345678 + 0x177),
    "ppc64le": (POWERPC, "bl empty; std 5,0(3)", 0x12345678 + 0x177),
    "sparc-v8": (SPARC, "call empty; st %i5,[%i0]", 0x178),
    "sparc-v9": (SPARC, "call empty; stx %i5,[%i0]", 0x178),
}
"""By target: code, a call and a store of it, and what it returns."""
DESCRIPTOR = '\t.section ".opd","aw"\nfill:\t.quad .L.fill,.TOC.@tocbase,0\n\t.previous\n.L.fill:\n'
BEGINS = {"ppc64": DESCRIPTOR, "ppc64le": "\t.abiversion 2\nfill:\n"}


def _assembly(target: Target) -> str:
    code, store, _ = CODE[target.name]
    stores = "\n".join([f"    {store}"] * STORES)
    begin = BEGINS.get(target.name, "fill:\n")
    return f"\t.globl fill\n\t.type fill,@function\n{begin}{code.format(stores=stores)}"


@pytest.mark.rotated("ppc32", "sparc-v8", turns=True)
@pytest.mark.parametrize("name", sorted(CODE))
def test_hand_written_code_keeps_all_registers_where_room_is_made(shell: Shell, name: str) -> None:
    target = TARGETS[name]
    (shell.directory / "fill.s").write_text(_assembly(target))
    (shell.directory / "main.c").write_text(MAIN)
    options = ["--inst-record=loads", *target.compiler, "-O1", f"-DEXPECTED={CODE[name][2]}"]
    shell.check("inst-cc", *options, "main.c", "fill.s", "-o", "main")
    trace, (emulator, *rest) = (
        shell.directory / "out.rec",
        command_for(shell.directory / "main", []),
    )
    done = shell.run(emulator, "-strace", *rest, INST_OUT=str(trace))
    assert done.returncode == 0 and b"inst:" not in done.stderr
    assert done.stderr.count(b"rt_sigprocmask") < STORES  # not one for each call
    events = np.concatenate(list(open_trace(trace).events()))
    stores = (events["kind"] == Kind.WRITE) & (events["value"] == 0x77)
    assert np.count_nonzero(stores) == 40 * STORES
