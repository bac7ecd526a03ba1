"""A static PIE, at whatever address it is loaded: sites, glue and a library that has data.

Debian's cross C libraries have no start code for such programs (rcrt1.o), so this one brings
its own, which does what that does: relocations and the thread pointer.
"""

from __future__ import annotations

import pytest
from elftools.elf.elffile import ELFFile

from inst.target.targets import Target
from tests.conftest import Shell
from tests.odd.test_odd import PROGRAMS, run

ALONE = PROGRAMS / "alone"
LINKED = {
    "powerpc": ("-static-pie",),
    "sparc": ("-static", "-Wl,-pie,--no-dynamic-linker,-z,text"),
}
"""gcc for SPARC does not pass -static-pie to its linker."""


@pytest.mark.rotated(turns=True)
def test_static_pie(shell: Shell, target: Target) -> None:
    for made, prefix, flags in (
        ("plain", [], []),
        ("traced", ["inst-cc", f"--inst-hooks={ALONE / 'counting.c'}"], ["-DTRACED"]),
    ):
        first = [*target.compiler, "-O1", "-fPIE", "-c"]
        shell.check(*first, ALONE / "start.S", "-o", "start.o")
        shell.check(*first, ALONE / "ready.c", "-o", "ready.o")
        shell.check(*prefix, *first, *flags, ALONE / "work.c", "-o", "work.o")
        link = [*prefix, *target.compiler, *LINKED[target.isa], "-nostartfiles"]
        shell.check(*link, "start.o", "ready.o", "work.o", "-o", made)
        with (shell.directory / made).open("rb") as stream:
            program = ELFFile(stream)
            kinds = {segment["p_type"] for segment in program.iter_segments()}
            assert program["e_type"] == "ET_DYN"
            assert "PT_DYNAMIC" in kinds
            assert "PT_INTERP" not in kinds
        assert run(shell.directory / made) == (b"", 56)
