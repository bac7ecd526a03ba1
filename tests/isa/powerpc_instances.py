"""One or more assembled instances of every row of the PowerPC tables."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from inst.arch.powerpc.tables import ISA, integer, memory, vector
from inst.arch.powerpc.tables.language import LANGUAGE
from inst.arch.powerpc.tables.table import all_rows, all_rows_of, mnemonics, rows_of
from inst.isa.model import Facts
from inst.isa.rows import Row, Table

ASSEMBLERS = (
    ("powerpc-linux-gnu-as", "-a32", "-many", "-mregnames"),
    ("powerpc-linux-gnu-as", "-a32", "-mpower9", "-many", "-mregnames"),
    ("powerpc64-linux-gnu-as", "-a64", "-mpower4", "-many", "-mregnames"),
    ("powerpc64-linux-gnu-as", "-a64", "-mpower10", "-mregnames"),
    ("powerpc-linux-gnu-as", "-a32", "-mpower5", "-mregnames"),
    ("powerpc-linux-gnu-as", "-a32", "-me6500", "-mregnames"),
    ("powerpc-linux-gnu-as", "-a32", "-m750cl", "-mregnames"),
    ("powerpc-linux-gnu-as", "-a32", "-mspe2", "-mregnames"),
)
"""The first that takes an instruction assembles it: some have two incompatible spellings."""

RECENT = frozenset(
    Table(LANGUAGE, (integer.POWER10, memory.POWER10, memory.PREFIXED, vector.POWER10)).mnemonics
)

REGISTER_ROLES = {
    **dict.fromkeys(("d", "s", "m", "z", "a", "x", "au"), "r{}"),
    **dict.fromkeys(("fd", "fs", "fm"), "f{}"),
    **dict.fromkeys(("vd", "vs", "vm"), "v{}"),
    **dict.fromkeys(("xd", "xs", "xm"), "vs{}"),
}

OTHER_ROLES = {
    "i": "3",
    "rel": "0",
    "e": "8",
    "em": "8",
    "fdpair": "f6",
    "fspair": "f10",
    "fdtwo": "f6",
    "fstwo": "f10",
    "dthree": "r20",
    "accd": "3",
    "accm": "3",
    "mem": "16(r9)",
    "pmem": "16(r9)",
    "xdpair": "vs38",
    "xspair": "vs38",
    "memu": "16(r9)",
    "dlist": "r28",
    "slist": "r28",
    "string": "r20",
    "dcount": "10",
    "scount": "10",
    "dany": "r20",
    "sany": "r20",
    "dpair": "r6",
    "spair": "r6",
    "fxmd": "0x10",
    "fxms": "0x10",
    "sprd": "9",
    "sprs": "9",
    "option": "12",
    "bit": "22",
    "target": ".+64",
}

FIELDS = {"cd": ("cr2", "cr5"), "cs": ("cr6", "cr3")}
BITS = {"bs": ("4*cr5+gt", "4*cr6+eq", "4*cr1+so"), "bm": ("4*cr2+lt",)}

SPECIAL_OPERANDS = {
    "rlwinm/4": "r5,r6,3,0x00ff0000",
    "rlwinm./4": "r5,r6,3,0x00ff0000",
    "rlwimi/4": "r5,r6,3,0x00ff0000",
    "rlwimi./4": "r5,r6,3,0x00ff0000",
    "rlwnm/4": "r5,r6,r7,0x00ff0000",
    "rlwnm./4": "r5,r6,r7,0x00ff0000",
    "clrlslwi/4": "r5,r6,7,3",
    "clrlslwi./4": "r5,r6,7,3",
    "clrlsldi/4": "r5,r6,7,3",
    "clrlsldi./4": "r5,r6,7,3",
    "cmp/4": "cr2,0,r6,r7",
    "cmpl/4": "cr2,0,r6,r7",
    "cmpi/4": "cr2,0,r6,3",
    "cmpli/4": "cr2,0,r6,3",
    "cmprb/4": "cr2,1,r6,r7",
    "mftb/2": "r5,268",
    "mtfsf/3": "3,f6,0",
    "mtfsf./3": "3,f6,0",
    "tbegin./1": "0",
    "tend./1": "0",
    "tsr./1": "0",
    "mtfsf/4": "3,f6,0,0",
    "mtfsf./4": "3,f6,0,0",
    "mtfsfi/3": "3,3,0",
    "mtfsfi./3": "3,3,0",
    "mtmsrd/2": "r5,1",
    "mtmsr/2": "r5,1",
    "darn/2": "r5,1",
    "xxspltd/3": "vs5,vs6,1",
    "vshasigmad/4": "v5,v6,1,3",
    "vshasigmaw/4": "v5,v6,1,3",
    "wrteei/1": "1",
    "mbar/1": "1",
    "sync/1": "1",
    "wait/1": "0",
    "dcbtds/3": "r5,r6,8",
    "dcbtstds/3": "r5,r6,8",
    "sc/1": "0",
    "lwarx/4": "r5,r6,r7,1",
    "lharx/4": "r5,r6,r7,1",
    "lbarx/4": "r5,r6,r7,1",
    "ldarx/4": "r5,r6,r7,1",
    "lqarx/3": "r6,r8,r7",
    "lqarx/4": "r6,r8,r7,1",
    "bclr/3": "12,22,1",
    "bcctr/3": "12,22,1",
    "lxvkq/2": "vs5,1",
    "xsrqpi/4": "1,v5,v6,1",
    "xsrqpix/4": "1,v5,v6,1",
    "xsrqpxp/4": "1,v5,v6,1",
    "xxsplti32dx/3": "vs5,1,3",
    "vcntmbb/3": "r5,v6,1",
    "vcntmbh/3": "r5,v6,1",
    "vcntmbw/3": "r5,v6,1",
    "vcntmbd/3": "r5,v6,1",
    "sync/2": "1,2",
    "wait/2": "2,0",
    "slbia/1": "3",
    "tlbie/5": "r5,r6,2,1,1",
    "tlbiel/5": "r5,r6,2,1,1",
    **dict.fromkeys(("fre/3", "fre./3", "fres/3", "fres./3"), "f5,f6,1"),
    **dict.fromkeys(("frsqrte/3", "frsqrte./3", "frsqrtes/3", "frsqrtes./3"), "f5,f6,1"),
    **dict.fromkeys(("bcdadd./4", "bcdsub./4", "bcds./4", "bcdtrunc./4", "bcdsr./4"), "v5,v6,v7,1"),
    **dict.fromkeys(("bcdcfsq./3", "bcdctz./3", "bcdcfz./3", "bcdcfn./3"), "v5,v6,1"),
    "bcdsetsgn./3": "v5,v6,1",
    "paste./3": "r5,r6,1",
    **dict.fromkeys(("hashst/2", "hashstp/2", "hashchk/2", "hashchkp/2"), "r5,-16(r9)"),
    "rfebb/1": "1",
    "slbiag/2": "r5,1",
    **dict.fromkeys(("slbmfev/3", "slbmfee/3"), "r5,r6,1"),
    **dict.fromkeys(("drintx/4", "drintx./4", "drintn/4", "drintn./4"), "1,f6,f7,3"),
    **dict.fromkeys(("drintxq/4", "drintxq./4", "drintnq/4", "drintnq./4"), "1,f6,f10,3"),
    **dict.fromkeys(("denbcd/3", "denbcd./3"), "1,f6,f7"),
    **dict.fromkeys(("denbcdq/3", "denbcdq./3"), "1,f6,f10"),
    "mtsle/1": "1",
    "psq_l/4": "f5,16(r9),1,3",
    "psq_lu/4": "f5,16(r9),1,3",
    "psq_st/4": "f5,16(r9),1,3",
    "psq_stu/4": "f5,16(r9),1,3",
    "psq_lx/5": "f5,r6,r7,1,3",
    "psq_lux/5": "f5,r6,r7,1,3",
    "psq_stx/5": "f5,r6,r7,1,3",
    "psq_stux/5": "f5,r6,r7,1,3",
    "tlbiel/2": "r5,1",
}
"""Where any small number as an immediate will not do, by mnemonic and operand count."""


@dataclass(frozen=True, slots=True)
class Instance:
    """One instruction as text, with what the assembler and the tables make of it."""

    row: Row
    mnemonic: str
    operands: str
    word: int
    prefix: int = 0
    """The prefix word, for instructions of eight bytes."""

    @property
    def recent(self) -> bool:
        """Whether it is newer than Power ISA 3.0."""
        return self.mnemonic in RECENT

    @property
    def uncommon(self) -> bool:
        """Whether it is in `inst.arch.powerpc.tables.uncommon`, where names share words."""
        return self.row not in rows_of(self.mnemonic).values()

    @property
    def facts(self) -> Facts:
        return ISA.facts(self.mnemonic, self.operands)

    def __str__(self) -> str:
        return f"{self.mnemonic} {self.operands}".rstrip()


def rows() -> list[Row]:
    """Return all rows that a look-up can reach."""
    return [row for mnemonic in sorted(mnemonics()) for row in all_rows_of(mnemonic).values()]


def operands_of(row: Row, variant: int) -> str:
    """Return operands that fit a row; another variant has other registers."""
    special = SPECIAL_OPERANDS.get(f"{row.mnemonic}/{len(row.roles)}")
    if special:
        return special
    return ",".join(_operand(role, i, variant) for i, role in enumerate(row.roles))


def _operand(role: str, position: int, variant: int) -> str:
    if role in REGISTER_ROLES:
        step = 11 if role.startswith("x") and role != "x" else 6
        return REGISTER_ROLES[role].format(5 + position + step * variant)
    for choices in (FIELDS, BITS):
        if role in choices:
            return choices[role][(position + variant) % len(choices[role])]
    return OTHER_ROLES[role]


def assemble(
    lines: Iterable[str], scratch: Path, assembler: tuple[str, ...] = ASSEMBLERS[0]
) -> tuple[list[int], dict[int, str]]:
    """Return the words of instructions, one a line, and the messages by line number."""
    source, binary = scratch / "rows.s", scratch / "rows.bin"
    lines = list(lines)
    messages: dict[int, str] = {}
    for _ in range(2):
        kept = [".long 0" if i in messages else line for i, line in enumerate(lines, 1)]
        # Instructions have eight bytes or four: the second half then is a nop.
        source.write_text("\n".join(f"{line}\n.balign 8" for line in kept) + "\n")
        command = [*assembler, str(source), "-o", str(scratch / "rows.o")]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        if result.returncode == 0:
            break
        for number, text in re.findall(r"rows\.s:(\d+): .*?rror: (.*)", result.stderr):
            messages[int(number) // 2 + 1] = text
    objcopy = ["powerpc-linux-gnu-objcopy", "-O", "binary", "-j", ".text"]
    subprocess.run([*objcopy, str(scratch / "rows.o"), str(binary)], check=True)
    data = binary.read_bytes()
    return [_word(data[i : i + 8]) for i in range(0, len(data), 8)], messages


def _word(data: bytes) -> int:
    """Return an instruction of four bytes, or of eight."""
    first, second = int.from_bytes(data[:4], "big"), int.from_bytes(data[4:], "big")
    return first << 32 | second if first >> 26 == 1 else first


@cache
def instances(scratch: Path) -> tuple[list[Instance], dict[str, str]]:
    """Return instances of all rows, and the messages for those no assembler takes."""
    wanted = [(row, operands_of(row, variant)) for row in rows() for variant in (0, 1)]
    wanted = list(dict.fromkeys(wanted))
    found: list[Instance] = []
    refused: dict[str, str] = {}
    for assembler in ASSEMBLERS:
        lines = [f"{row.mnemonic} {text}" for row, text in wanted]
        words, messages = assemble(lines, scratch, assembler)
        found += [
            Instance(
                row,
                row.mnemonic,
                text,
                words[i] & 0xFFFFFFFF,
                words[i] >> 32,
            )
            for i, (row, text) in enumerate(wanted)
            if i + 1 not in messages
        ]
        refused = {lines[number - 1]: text for number, text in messages.items()}
        wanted = [wanted[number - 1] for number in sorted(messages)]
    return found, refused


__all__ = ["Instance", "all_rows", "assemble", "instances", "operands_of", "rows"]
