"""Conditional branches that growth pushes out of range still go where they went."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from inst.asm.split import split
from inst.target.targets import TARGETS, Target
from inst.translate import Options, translate
from tests.conftest import require_tools

FILLER = "\tlwz 5,0(4)\n\tstw 5,4(4)\n"
PROGRAM = """
	.globl main
	.type main, @function
main:	lis 4,buffer@ha
	la 4,buffer@l(4)
	li 3,0
	cmpwi 7,3,0
	{branch}
	addi 3,3,1
{filler}.Lfar:	addi 3,3,2
	blr
	.lcomm buffer,64
	.ident "GCC: (test)"
"""
CASES = {
    "beq 7,.Lfar": 2,
    "bne 7,.Lfar": 3,
    "beq+ 7,.Lfar": 2,
    "bc 12,30,.Lfar": 2,
    "li 6,2; mtctr 6; bdnz .Lfar": 2,
    "li 6,1; mtctr 6; bdnz .Lfar": 3,
    "li 6,1; mtctr 6; bdz .Lfar": 2,
    "li 6,2; mtctr 6; bdnzt 30,.Lfar": 2,
    "li 6,2; mtctr 6; bdnzf 30,.Lfar": 3,
    "bne 7,$+8; b .Lfar; .p2align 4,,15": 2,
    "beq 7,$+8; b .Lfar; .p2align 4,,15": 3,
}


@pytest.mark.parametrize("branch", CASES)
@pytest.mark.parametrize("count", [10, 3000])
def test_far_branches(tmp_path: Path, branch: str, count: int) -> None:
    target = TARGETS["ppc32"]
    require_tools(target.compiler[0], target.emulator)
    text = PROGRAM.format(branch=branch, filler=FILLER * count)
    source = tmp_path / "far.s"
    source.write_text(translate(text, target, Options("addresses"), "far.s"))
    program = tmp_path / "far"
    stub = tmp_path / "stub.s"
    stub.write_text(
        "\t.globl inst.ldw, inst.stw, inst.ldw.l, inst.stw.l\n"
        "inst.ldw:\ninst.stw:\ninst.ldw.l:\ninst.stw.l:\tblr\n"
        '\t.globl "inst.level.addresses"\n'
    )
    options = ["-static", "-no-pie", "-Wl,--unresolved-symbols=ignore-all"]
    subprocess.run(
        [*target.compiler, *options, str(source), str(stub), "-o", str(program)], check=True
    )
    done = subprocess.run([target.emulator, str(program)], check=False)
    assert done.returncode == CASES[branch]


def test_near_branches_stay() -> None:
    target = TARGETS["ppc32"]
    text = PROGRAM.format(branch="beq 7,.Lfar", filler=FILLER)
    rewritten = translate(text, target, Options(), "near.s")
    names = [s.name for s in split(rewritten, "powerpc")]
    assert "b" not in names


@pytest.mark.parametrize("room", ["\t.skip 32740\n", "\t.fill 4092,8\n", "\t.zero 32740\n"])
def test_room_that_is_left_free_counts(tmp_path: Path, room: str) -> None:
    target = TARGETS["ppc32"]
    require_tools(target.compiler[0])
    text = f"f:\tbeq 1f\n\tlwz 3,0(4)\n\tb 1f\n{room}1:\tblr\n"
    for source in (text, translate(text, target, Options(), "far.s")):
        _assemble(source, target, tmp_path)


def test_subsections_lie_behind_the_whole_section(tmp_path: Path) -> None:
    target = TARGETS["ppc32"]
    require_tools(target.compiler[0])
    cold = "\t.subsection 1\n.Lcold:\tnop\n\tblr\n\t.previous\n"
    text = f"f:\tcmpwi 3,0\n\tbeq .Lcold\n{cold}{FILLER * 3000}\tblr\n"
    _assemble(translate(text, target, Options(), "far.s"), target, tmp_path)


def test_jump_tables_in_a_subsection_let_near_branches_stay() -> None:
    """gcc puts the tables of 64-bit SPARC there."""
    table = "\t.subsection -1\n\t.align 8\n.L9:\t.word .L8-.L9\n\t.previous\n"
    near = "f:\tbrz,pn %o0,.L8\n\tnop\n.L8:\tld [%o0],%o1\n"
    text = f"{near}{table}" + "\tldx [%o0],%o1\n" * 20_000
    assert "brz,pn %o0,.L8\n" in translate(text, TARGETS["sparc-v9"], Options(), "near.s")


def _assemble(text: str, target: Target, directory: Path) -> None:
    """Let the assembler judge: a branch that does not reach is an error."""
    command = [*target.compiler, "-c", "-x", "assembler", "-", "-o", str(directory / "far.o")]
    subprocess.run(command, input=text.encode(), check=True)
