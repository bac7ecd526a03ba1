"""Where exceptions go on, read from programs: as another reader reads it, and of damaged ones."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from inst.common.elf import DamagedElf
from inst.program.program import Program
from inst.target.targets import TARGETS
from tests.calltree.landing import read_landing_pads
from tests.calltree.programs import FUNCTIONS, build_program


@pytest.mark.rotated("ppc32", "sparc-v8", turns=True)
@pytest.mark.parametrize("target", TARGETS)
def test_landing_pads_are_those_of_the_tables(target: str) -> None:
    program = build_program("parcels", TARGETS[target], FUNCTIONS).path
    wanted = [row for row in read_landing_pads(program).rows if row[2]]
    assert len(wanted) > 20
    assert Program(program).landing_pads() == wanted


def test_damaged_tables_are_errors(tmp_path: Path) -> None:
    """Of changed bytes, and of tables that each name the whole section."""
    program = build_program("parcels", TARGETS["ppc32"], FUNCTIONS).path
    whole, chance, errors = program.read_bytes(), random.Random(4), 0
    damaged = tmp_path / "damaged"
    for name in (".eh_frame", ".gcc_except_table"):
        content, _ = Program(program).section(name) or (b"", 0)
        start = whole.index(content)
        for _ in range(60):
            changed = bytearray(whole)
            for at in chance.sample(range(start, start + len(content)), 40):
                changed[at] = chance.randrange(256)
            damaged.write_bytes(changed)
            try:
                Program(damaged).landing_pads()
            except DamagedElf as error:
                assert "exception tables cannot be read" in str(error)
                errors += 1
    assert errors > 20
