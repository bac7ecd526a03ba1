"""Whatever gcc and clang emit for 32-bit PowerPC, the tables know."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

from inst.arch.powerpc.tables import ISA
from inst.asm.model import Kind
from inst.asm.split import split
from inst.isa.model import Transfer, UnknownInstruction

PROGRAMS = sorted((Path(__file__).parent / "powerpc_programs").glob("*.c"))
LEVELS = ("-O0", "-O1", "-O2", "-O3", "-Os")
VARIANTS = (
    "",
    "-g",
    "-fPIC -pthread",
    "-fno-pie -g",
    "-mcpu=e500mc",
    "-mcpu=7400 -maltivec",
    "-mcpu=power8 -mvsx -ffast-math",
)
COMPILERS = {
    "gcc": ("powerpc-linux-gnu-gcc",),
    "clang": (
        "clang",
        "--target=powerpc-linux-gnu",
        "-isystem",
        "/usr/powerpc-linux-gnu/include",
    ),
}


def compiled(compiler: str, flags: str, program: Path) -> str:
    command = [*COMPILERS[compiler], *flags.split(), "-w", "-S", "-o", "-", str(program)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


THIRDS = range(3)


def _cases() -> Iterator[ParameterSet]:
    """Yield every program, level, compiler and third of the variants; two thirds for the campaign.

    The thirds take turns over the programs and the levels: each compiler has each variant with each
    program and at each level.
    """
    for compiler, (row, level), (column, program), third in product(
        COMPILERS, enumerate(LEVELS), enumerate(PROGRAMS), THIRDS
    ):
        is_turn = third == (row + column) % len(THIRDS)
        name = f"{compiler}-{level}-{program.stem}-{third}"
        marks = () if is_turn else (pytest.mark.campaign,)
        yield pytest.param(compiler, level, program, third, id=name, marks=marks)


@pytest.mark.parametrize(("compiler", "level", "program", "third"), [*_cases()])
def test_every_instruction_is_known(compiler: str, level: str, program: Path, third: int) -> None:
    unknown, known, calls = set(), 0, 0
    variants = VARIANTS[third :: len(THIRDS)]
    for variant in variants:
        for statement in split(compiled(compiler, f"{level} {variant}", program), "powerpc"):
            if statement.kind != Kind.INSTRUCTION:
                continue
            try:
                facts = ISA.facts(statement.name, statement.operands)
            except UnknownInstruction as error:
                unknown.add(f"{error.message}: {error.hint}")
                continue
            known += 1
            calls += facts.transfer == Transfer.CALL
    assert not unknown, "\n".join(sorted(unknown))
    assert known > 70 * len(variants) and calls > 0
