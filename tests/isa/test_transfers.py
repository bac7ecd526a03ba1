"""Transfers from instruction words, held against the assemblers' encoding of each kind."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

from inst.arch.registry import producer
from inst.words.decode import transfers_of
from inst.words.model import Words

# What each instruction is: t transfer, d direct, c conditional, n never, k call, r return,
# a annulling, l leaves. `1f` is the label after all of them.
SPARC = """\
ba 1f            | td
bn 1f            | tdn
be,a 1f          | tdca
fbule 1f         | tdc
ba,a,pt %xcc,1f  | tda
bne,pn %icc,1f   | tdc
fbne,pt %fcc1,1f | tdc
brz,pt %o0,1f    | tdc
call 1f          | tdk
jmpl %l0,%o7     | tk
jmp %g1          | t
retl             | tr
ret              | tr
return %i7+8     | tr
ta 0x6d          | l
done             | l
retry            | l
sethi 5,%g1      |
save %sp,-96,%sp |
add %o0,1,%o0    |
ld [%o0],%o1     |"""
POWERPC = """\
b 1f             | td
bl 1f            | tdk
beq 1f           | tdc
bdnzl 1f         | tdck
bcl 20,31,.+4    | td
blr              | tr
bnelr            | tcr
bctr             | t
bctrl            | tk
sc               | l
rfi              | l
crand 0,0,0      |
isync            |
cmpwi 3,0        |
lwz 3,0(4)       |"""


def assembled(text: str, command: list[str], directory: Path) -> np.ndarray:
    """Return the words that an assembler makes of a text."""
    made = directory / "made.o"
    subprocess.run([*command, "-o", made, "-"], input=text.encode(), check=True)
    dumped = subprocess.check_output([command[0].replace("-as", "-objdump"), "-d", made], text=True)
    shown = re.findall(r"^ *[0-9a-f]+:\t((?:[0-9a-f]{2} ){4})", dumped, re.M)
    return np.array([int(word.replace(" ", ""), 16) for word in shown], "u4")


@pytest.mark.parametrize(
    ("table", "arch", "command"),
    [
        (SPARC, "sparcv9", ["sparc64-linux-gnu-as", "-Av9", "-64", "-no-undeclared-regs"]),
        (POWERPC, "ppc", ["powerpc-linux-gnu-as", "-mppc"]),
        (POWERPC, "ppc64", ["powerpc64-linux-gnu-as", "-mpower8"]),
    ],
)
def test_kinds_of_transfers(table: str, arch: str, command: list[str], tmp_path: Path) -> None:
    rows = [line.split("|") for line in table.split("\n")]
    if arch == "ppc64":
        rows = [row for row in rows if row[0].strip() != "rfi"]
    text = "".join(f"\t{row[0]}\n" for row in rows) + "1:\tnop\n"
    words = assembled(text, command, tmp_path)[: len(rows)]
    place = 0x7000_0000
    addresses = np.arange(len(words), dtype="u8") * np.uint64(4) + np.uint64(place)
    found = transfers_of(words, addresses, arch)
    letters = zip("tdcnkral", (
        found.is_transfer, found.is_direct, found.is_conditional, found.is_never,
        found.is_call, found.is_return, found.annuls, found.leaves,
    ), strict=True)  # fmt: skip
    columns = [(letter, column) for letter, column in letters]
    for number, (instruction, expected) in enumerate(rows):
        marks = "".join(letter for letter, column in columns if column[number])
        assert sorted(marks) == sorted(expected.strip()), instruction
        if "1f" in instruction:
            assert found.target[number] == place + 4 * len(rows), instruction


def test_loads_that_never_fault(tmp_path: Path) -> None:
    """Those whose word names an ASI of that kind; `%asi` may be any."""
    without = ["ldxa [%o0]0x82,%g5", "lda [%o0+%o1]0x83,%g5", "ldda [%o0]0x8a,%f2"]
    others = ["ldxa [%o0]0x80,%g5", "ldxa [%o0]%asi,%g5", "ldx [%o0],%g5", "add %o0,%o1,%o0"]
    text = "".join(f"\t{line}\n" for line in (*without, *others))
    command = ["sparc64-linux-gnu-as", "-Av9", "-64", "-no-undeclared-regs"]
    words = assembled(text, command, tmp_path)
    named = producer("sparcv9").part(Words).without_faults
    assert named is not None
    assert named(words).tolist() == [True] * len(without) + [False] * len(others)
