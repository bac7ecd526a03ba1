"""Programs whose instructions are given as numbers: `.long 0x7c0802a6` instead of `mflr 0`."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Container, Iterator
from pathlib import Path

from inst import isa as instruction_sets
from inst.asm.model import Binary, Here, Kind, Memory, Operand, Relocation, Statement, Symbol, Unary
from inst.asm.operands import parse_operands
from inst.asm.split import split
from inst.isa.model import Transfer
from inst.target.targets import Target
from truth.harness import Build

_LISTED = re.compile(r"^\s*(\d+) [0-9a-f]{4,} ([0-9A-F]{8})[ \t]", re.MULTILINE)
_RELATIVE = (Transfer.BRANCH, Transfer.CALL)


def by_numbers(build: Build, source: Path, directory: Path, spared: Container[str] = ()) -> Path:
    """Return an assembly file with each instruction as a number that no symbol has to do with.

    `source` is C or assembly; what follows the labels in `spared` keeps its name.
    """
    plain = directory / f"{source.stem}.names.s"
    option = ["-S"] if source.suffix == ".c" else ["-E", "-P", "-xassembler-with-cpp"]
    command = [*build.target.compiler, *build.flags]
    subprocess.run([*command, *option, "-w", "-o", str(plain), str(source)], check=True)
    listing = directory / "listing"
    made = str(directory / "listed.o")
    subprocess.run([*command, "-c", f"-Wa,-aln={listing}", "-o", made, str(plain)], check=True)
    order = "little" if build.target.name.endswith("le") else "big"
    words = {
        int(line): int.from_bytes(bytes.fromhex(digits), order)  # type: ignore[arg-type]
        for line, digits in _LISTED.findall(listing.read_text())
    }
    changed = directory / f"{source.stem}.s"
    changed.write_text("".join(_pieces(plain.read_text(), build.target, words, spared)))
    return changed


def _pieces(
    text: str, target: Target, words: dict[int, int], spared: Container[str]
) -> Iterator[str]:
    statements = split(text, target.isa)
    label = ""
    lines = [s.line for s in statements if s.kind == Kind.INSTRUCTION]
    for statement in statements:
        word = words.get(statement.line) if label not in spared else None
        label = statement.name if statement.kind == Kind.LABEL else ""
        if word and lines.count(statement.line) == 1 and _stands_alone(statement, target):
            blanks = statement.text[: len(statement.text) - len(statement.text.lstrip(" \t"))]
            yield f"{blanks}.long {word:#x}" + "\n" * statement.text.count("\n")
        else:
            yield statement.text


def _stands_alone(statement: Statement, target: Target) -> bool:
    """Return whether an instruction is what it is wherever it stands."""
    if statement.kind != Kind.INSTRUCTION:
        return False
    facts = instruction_sets.get(target.isa, target.abi).facts(statement.name, statement.operands)
    if facts.target or (facts.transfer in _RELATIVE and not facts.uses) or facts.pc_relative_data:
        return False
    operands = parse_operands(statement.operands, target.isa) if statement.operands else ()
    return not any(_names(operand) for operand in operands)


def _names(node: Operand | None) -> bool:
    if isinstance(node, Symbol | Here | Relocation):
        return True
    if isinstance(node, Memory):
        return _names(node.offset)
    if isinstance(node, Unary):
        return _names(node.operand)
    return isinstance(node, Binary) and (_names(node.left) or _names(node.right))
