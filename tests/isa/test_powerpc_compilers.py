"""Whatever gcc and clang emit for 32-bit PowerPC, the tables know."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

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


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("compiler", COMPILERS)
def test_every_instruction_is_known(compiler: str, level: str, program: Path) -> None:
    unknown, known, calls = set(), 0, 0
    for variant in VARIANTS:
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
    assert known > 500 and calls > 0
