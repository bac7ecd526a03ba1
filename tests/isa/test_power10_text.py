"""The text of POWER10's instructions is that from which GNU as makes them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np

from inst.arch.powerpc.words.accesses import ROWS
from inst.arch.powerpc.words.power10 import OPCODES
from inst.replay.library import rows_of
from inst.replay.model import Row
from inst.target.targets import TARGETS
from inst.words.disassemble import disassembler
from tests.replay.cases import RELATIVE

TARGET = TARGETS["ppc64le"]
ACCESSES = {one.mnemonic for one in ROWS.values() if one.value == "second" or one.size == 32}
EACH = 4


def _instruction(row: Row, generator: np.random.Generator) -> int:
    """Return an instruction of a row with any operands that the assembler takes."""
    number = row.value | int(generator.integers(0, 1 << 63, dtype="u8")) & ~row.mask
    number &= (1 << 8 * row.size) - 1
    if number >> 32 and row.mask >> 32 & 0xFFFF == 0:  # a displacement
        number &= ~(31 << 16) if number & RELATIVE else -1
    if "ger" in row.name:  # no register of the accumulator
        number |= 6
    if row.name in ("plq", "pstq"):  # a pair of registers, and another one
        number = number & ~(1 << 21 | 31 << 16) | 2 << 21
    return number


PLACES = {
    0: "0(r4)", 8: "8(r4)", -9: "-9(r4)", 10: "0xa(r4)", -16: "-0x10(r4)", 0x7FF0: "0x7ff0(r4)",
}  # fmt: skip


def test_places_are_written_as_those_of_other_accesses() -> None:
    text = disassembler("ppc64le")
    for offset, place in PLACES.items():
        low, high = offset & 0xFFFF, offset >> 16 & 0x3FFFF
        assert text(0x80640000 | low, 0) == f"lwz r3, {place}"
        assert text(0x06000000_80640000 | high << 32 | low, 0) == f"plwz r3, {place}"
        assert text(0x04000000_CC640000 | high << 32 | low, 0) == f"plxv vs35, {place}"
    assert text(0x06100000_80600008, 0) == "plwz r3, 8(0), 1"
    assert text(0x06000000_80600008, 0) == "plwz r3, 8(0)"
    assert text(0x04000000_E8640010, 0) == "plxvp vs34, 0x10(r4)"
    assert text(0x18640010, 0) == "lxvp vs34, 0x10(r4)"
    assert text(0x7C64281A, 0) == "lxvrbx vs3, r4, r5"


def test_the_assembler_takes_the_text(tmp_path: Path) -> None:
    generator, text = np.random.default_rng(1), disassembler("ppc64")
    rows = [
        row for row in rows_of(TARGET) if row.size == 8 or row.name in ACCESSES | OPCODES.keys()
    ]
    assert len(rows) > 150
    chosen = {_instruction(row, generator): row for row in rows for _ in range(EACH)}
    source, made = tmp_path / "text.s", tmp_path / "text.bin"
    source.write_text("".join(f".balign 8,0\n {text(one, 0)}\n" for one in chosen))
    assembled = tmp_path / "text.o"
    subprocess.run(
        ["powerpc64le-linux-gnu-as", "-mpower10", "-mregnames", "-o", str(assembled), str(source)],
        check=True,
    )
    subprocess.run(
        ["powerpc64le-linux-gnu-objcopy", "-O", "binary", "-j", ".text", assembled, made],
        check=True,
    )
    words = np.fromfile(made, "<u4").reshape(-1, 2).astype("u8")
    for (one, row), (first, second) in zip(chosen.items(), words.tolist(), strict=True):
        found = first << 32 | second if row.size == 8 else first
        assert found == one, (row.name, hex(one), text(one, 0))
