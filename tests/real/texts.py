"""What the compiler made of real programs: all of it is known, kept, and rewritten soundly."""

from __future__ import annotations

import gc
import re
from dataclasses import dataclass, field
from pathlib import Path

from inst.asm.model import Kind
from inst.asm.operands import parse_operands, split_operands
from inst.asm.split import split
from inst.errors import InstError
from inst.isa import get
from inst.target.targets import Target
from inst.translate import Options
from tests.verify.verify import verify_rewriting

LEVELS = ("values", "addresses")


@dataclass(slots=True)
class Texts:
    """What was found in the assembly of a program."""

    files: int = 0
    statements: int = 0
    instructions: int = 0
    refused: int = 0
    problems: list[str] = field(default_factory=list)


def check_texts(directory: Path, target: Target) -> Texts:
    """Check each file that the assembler was given; the same text counts once."""
    found = Texts()
    for number, (text, path) in enumerate(sorted(_distinct(directory).items())):
        name = f"{directory.name}/{path.name}"
        found.files += 1
        _check_statements(found, text, name, target)
        _check_output(found, text, name, target, LEVELS[number % len(LEVELS)])
        gc.collect()
    return found


def _distinct(directory: Path) -> dict[str, Path]:
    """Return each text there is, and a file that holds it."""
    files = sorted(directory.glob("*.s"))
    return {path.read_text(errors="surrogateescape"): path for path in files}


def _check_statements(found: Texts, text: str, name: str, target: Target) -> None:
    """Each statement is reproduced byte for byte, and each instruction has a row."""
    statements = split(text, target.isa)
    if "".join(statement.text for statement in statements) != text:
        found.problems.append(f"{name}: splitting and joining does not give the text back")
    found.statements += len(statements)
    tables = get(target.isa, target.abi)
    for one in statements:
        if one.kind == Kind.OPAQUE:
            found.problems.append(f"{name}:{one.line}: opaque: {one.text.strip()}")
        if one.kind != Kind.INSTRUCTION:
            continue
        found.instructions += 1
        try:
            operands = parse_operands(one.operands, target.isa)
            tables.facts(one.name, one.operands)
        except InstError as error:
            found.problems.append(f"{name}:{one.line}: unknown: {one.text.strip()} ({error})")
        else:
            if len(operands) != len(split_operands(one.operands)):
                found.problems.append(f"{name}:{one.line}: operands lost: {one.text.strip()}")


def _check_output(found: Texts, text: str, name: str, target: Target, level: str) -> None:
    """The verifier finds nothing; refusals have file, line and reason."""
    try:
        problems = verify_rewriting(text, target, Options(level), name)
    except InstError as error:
        found.refused += 1
        if not re.match(rf"{re.escape(name)}:\d+:\d+: error: .+\n", error.render()):
            found.problems.append(f"{name}: refused without its place: {error.render()}")
        return
    found.problems += [f"{name}: {said}" for said in problems]
