"""What is live at a computed `goto`, and at traps that a compiler makes."""

from __future__ import annotations

from pathlib import Path

import pytest

from inst import isa
from inst.asm.split import split
from inst.flow.liveness import find_liveness
from inst.flow.read import read_code
from inst.target.targets import Target
from inst.translate import Options, translate
from tests.conftest import Shell
from tests.verify.__main__ import assembly, recording_flags
from tests.verify.verify import verify

PROGRAMS = Path(__file__).parent / "programs"
TRAPS = ("-fsanitize=undefined", "-fsanitize-undefined-trap-on-error")
COMPILED = '\t.ident "GCC: (test)"\n'
GOTO = """\
	.type f,@function
f:
	lwz 9,0(3)
	mtctr 9
	bctr
.L2:
	add 3,5,6
	blr
.L3:
	mr 3,7
	blr
	.size f,.-f
	.type g,@function
g:
	lwz 9,0(4)
	mtctr 9
	bctr
.L5:
	mr 3,11
	blr
	.size g,.-g
	.section .rodata
names:
	.long .L2-names,.L3-names
"""
TRAP = """\
	.type f,@function
f:
	lwz 9,0(3)
	twgt 9,4
	add 3,9,5
	blr
	.size f,.-f
"""


def live_before(text: str, place: int, abi: str = "svr4") -> set[str]:
    """Return what is live before an instruction of a compiler's PowerPC code."""
    powerpc = isa.get("powerpc", abi)
    code = read_code(split(text + COMPILED, "powerpc", "t.s"), powerpc, "t.s")
    return {*powerpc.registers.listed(find_liveness(code, powerpc).before[place])}


def test_a_goto_leads_to_labels_of_its_function_and_elsewhere() -> None:
    live = live_before(GOTO, 2)
    assert {"r5", "r6", "r7", "lr", "ctr", "r1", "r14", "r31"} <= live
    assert not {"r0", "cr0", "cr7"} & live


def test_a_jump_of_a_function_without_labels_may_read_anything() -> None:
    assert {"r0", "r11", "r12", "cr7"} <= live_before(GOTO, 9)


def test_code_by_hand_may_read_anything() -> None:
    powerpc = isa.get("powerpc", "svr4")
    code = read_code(split(GOTO, "powerpc", "t.s"), powerpc, "t.s")
    assert {"r0", "r12", "cr7"} <= {
        *powerpc.registers.listed(find_liveness(code, powerpc).before[2])
    }


def test_a_trap_reads_what_comes_after_it_and_what_unwinders_need() -> None:
    live = live_before(TRAP, 1)
    assert {"r4", "r5", "r9", "r1", "r14", "r31", "lr"} <= live
    assert not {"r0", "r7", "r11", "r12", "ctr", "cr0"} & live


def test_a_trap_of_an_asm_statement_may_read_anything() -> None:
    asm = TRAP.replace("\ttwgt 9,4\n", "#APP\n\ttwgt 9,4\n#NO_APP\n")
    assert {"r0", "r6", "r12", "cr0"} <= live_before(asm, 1)


@pytest.mark.rotated(turns=True)
@pytest.mark.parametrize("level", ["values", "loads"])
def test_the_verifier_agrees(level: str, target: Target) -> None:
    for options in ("-O1", "-O2"):
        flags = [options, *TRAPS, *recording_flags(target)]
        source = assembly(PROGRAMS / "goto.c", target, flags)
        for records in (True, False) if level == "values" else (True,):
            chosen = Options(level, record=records, restores=False)
            rewritten = translate(source, target, chosen)
            assert verify(source, rewritten, target, level, records=records) == []


@pytest.mark.rotated(turns=True)
@pytest.mark.parametrize("record", ["values", "loads"])
def test_programs_do_what_they_did(record: str, target: Target, shell: Shell) -> None:
    """With handlers of traps that go on after them, where the C library says how (PowerPC)."""
    flags = (*target.compiler, "-O2", "-static", *TRAPS, PROGRAMS / "goto.c", "-o", "p")
    shell.check(*flags)
    plain = [shell.check(target.emulator, "./p", *words) for words in ((), ("trap",))]
    shell.check("inst-cc", f"--inst-record={record}", *flags)
    assert shell.check("inst", "run", "-o", "trap.rec", "./p", "trap") == plain[1]
    assert shell.check("inst", "run", "-o", "p.rec", "./p") == plain[0]
    assert "clean" in shell.check("inst", "check", "--strict", "p.rec", "p")
