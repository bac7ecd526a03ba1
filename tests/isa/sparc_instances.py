"""Instances of every row of the SPARC tables, assembled by GNU as."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from elftools.elf.elffile import ELFFile

from inst.arch.sparc.tables.registers import words
from inst.arch.sparc.tables.table import table
from inst.isa.rows import Row

ASSEMBLER = "sparc64-linux-gnu-as"
ARCHITECTURES = ("v8", "leon", "v9m8", "v9b", "sparclite", "sparclet", "sparc86x")
"""What to assemble with: the first that takes an instance counts."""

SLOT = 32
"""Bytes from one instance to the next."""

REGISTERS: dict[str, list[str]] = {
    "": words("%o1 %l2 %i3 %g4 %o5 %l6"),
    "p": words("%o2 %l4 %i2 %g2"),
    "f": words("%f3 %f9 %f15 %f21 %f31"),
    "d": words("%f4 %f18 %f10 %f28 %f34 %f62 %f48 %f40"),
    "q": words("%f8 %f12 %f20 %f4 %f36 %f60"),
    "c": words("%icc %xcc"),
    "fc": words("%fcc1 %fcc0 %fcc3"),
    "st": words("%y %asr17 %psr %ccr %asi %gsr %tbr %wim %fprs %softint"),
    "pr": words("%pil %tba %tstate %hpstate %hintp"),
    "cp": words("%c4 %csr %fq %cq %ccfr"),
}
"""Examples by class."""

OTHERS: dict[str, list[str]] = {
    "si": words("%l1 7 %g0 %i5 -3"),
    "i": words("5 3 1"),
    "target": ["9f"],
    "here": [".+8"],
    "address": words("%o1 %l3+%i4 %i1+12 16 %g1-8"),
    "return": words("%i7+8 %o7+8 %o7+12"),
    "mem": words("[%o3] [%l3+%i4] [%fp-20] [%g0+12] [%i5+%g0] [%sp+92] [%g2+24]"),
    "alt": [
        "[%o3]0x80",
        "[%l3+%i4]10",
        "[%o3+12]%asi",
        "[%i5]%asi",
        "[%o3]#ASI_P",
        "[%l3]0xf0",
    ],
    "cc": words("%icc %xcc %fcc0 %fcc2"),
    "any": words("15 #Sync %o3 1"),
}
VARIANTS = 9


@dataclass(frozen=True)
class Instance:
    """One assembled instruction and where it came from."""

    row: Row
    name: str
    mnemonic: str
    operands: str

    @property
    def text(self) -> str:
        return f"{self.mnemonic} {self.operands}".rstrip()


@dataclass(frozen=True)
class Assembled:
    """An instance with its word and the place the word stands at."""

    instance: Instance
    words: tuple[int, ...]
    address: int
    architecture: str


def _example(role: str, position: int, variant: int) -> str:
    if role.startswith("="):
        return "%" + role[1:]
    choices = OTHERS.get(role) or REGISTERS[role[:-1]]
    # Operands of one instruction get different registers, or a swap of roles would not show.
    return choices[(variant + position) % len(choices)]


def _adjusted(name: str, examples: list[str]) -> list[str]:
    """Return operands that the assembler takes where it takes few registers."""
    if (name, len(examples)) == ("faligndata", 4):
        return [*examples[:3], examples[1]]
    if name in ("onadd", "onsub", "onmul", "ondiv"):
        return ["%f8", "%f16", "%f24"]
    return examples


SUFFIXES = {
    frozenset(): [""],
    frozenset("a"): ["", ",a"],
    frozenset(("a", "pt", "pn")): [",pt", ",a,pn", "", ",a", ",pn", ",a,pt"],
}


def _suffix(row: Row, variant: int) -> str:
    texts = SUFFIXES[row.suffixes]
    return texts[variant % len(texts)]


def instances() -> list[Instance]:
    """Return several instances of every mnemonic with every list of its operands."""
    found: dict[Instance, None] = {}
    for row in table():
        name = row.mnemonic
        for variant in range(VARIANTS):
            examples = [_example(role, n, variant) for n, role in enumerate(row.roles)]
            operands = ",".join(_adjusted(name, examples))
            found[Instance(row, name, name + _suffix(row, variant), operands)] = None
    return list(found)


def _source(batch: list[Instance]) -> str:
    # One line each, so that the assembler's line numbers are the instances'.
    lines = [f"\t{instance.text}; nop; 9: nop; .balign {SLOT}, 0" for instance in batch]
    return "\n".join(["\t.section .text", *lines, ""])


def assemble(
    batch: list[Instance], architecture: str, folder: Path, bits: int = 32
) -> list[Assembled]:
    """Assemble what this architecture takes of the batch, as code of that width."""
    source, object_file = folder / "batch.s", folder / "batch.o"
    command = [ASSEMBLER, f"-{bits}", f"-A{architecture}", "-no-relax", "-o", object_file, source]
    for _ in range(4):
        source.write_text(_source(batch))
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        bad = {int(n) - 2 for n in re.findall(r"batch\.s:(\d+): Error", run.stderr)}
        if run.returncode == 0:
            return _read(batch, object_file, architecture)
        batch = [instance for n, instance in enumerate(batch) if n not in bad]
    raise AssertionError(run.stderr[:2000])


def _read(batch: list[Instance], object_file: Path, architecture: str) -> list[Assembled]:
    with object_file.open("rb") as file:
        data = ELFFile(file).get_section_by_name(".text").data()
    result = []
    for n, instance in enumerate(batch):
        start = n * SLOT
        found = tuple(
            int.from_bytes(data[at : at + 4], "big") for at in range(start, start + SLOT, 4)
        )
        result.append(Assembled(instance, found, start, architecture))
    return result


def assembled(folder: Path) -> list[Assembled]:
    """Assemble every instance with the first architecture that takes it."""
    rest = instances()
    result: list[Assembled] = []
    for architecture in ARCHITECTURES:
        done = assemble(rest, architecture, folder)
        result.extend(done)
        taken = {one.instance for one in done}
        rest = [instance for instance in rest if instance not in taken]
    return result
