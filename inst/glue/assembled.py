"""Hooks that a library defines in assembly, recognised by labels and directives alone."""

from __future__ import annotations

import re
from pathlib import Path

from inst.asm.model import Kind, Statement
from inst.asm.places import Places
from inst.asm.split import split
from inst.asm.syntax import Syntax
from inst.errors import InstError, Location
from inst.glue.declared import nearest, raise_all
from inst.glue.variants import GUARDED, OWN, Variant
from inst.hooktable import BY_NAME
from inst.isa.model import Isa

_GUARDED = re.compile(rf"(?<![\w$.])(?:{'|'.join(GUARDED)})(?![\w$.])")
_GLOBAL = (".globl", ".global", ".weak")


def read_assembly(path: Path) -> str:
    """Return the text of an assembly file of a library."""
    try:
        return path.read_text()
    except UnicodeDecodeError as error:
        raise InstError(
            f"{path} in the hook library is not UTF-8 (byte {error.start})",
            hint="convert the file, comments too: iconv -f latin1 -t utf-8",
        ) from None


def renamed(text: str, variant: Variant) -> str:
    """Return assembly with hooks renamed where the variant's own hooks replace and call them."""
    return _GUARDED.sub(lambda found: OWN + found[0], text) if variant.check_stack else text


def check_assembly(text: str, isa: Isa, file: str) -> None:
    """Raise an InstError that lists what is wrong with an assembly file: instructions, and names.

    What is not a function is never entered, since it is unknown what it overwrites.
    """
    statements = split(text, isa.name, file)
    functions, seen = _functions(statements), _operands(statements, _GLOBAL)
    errors: list[InstError] = []
    for statement, place in zip(statements, Places().of(statements), strict=True):
        name, kind = statement.name, statement.kind
        location = Location(*place) if place else Location(file, statement.line)
        if kind == Kind.INSTRUCTION:
            errors += _unknown(statement, isa, location)
        elif kind == Kind.LABEL and name in BY_NAME and name not in functions & seen:
            errors.append(_undeclared(name, isa, location))
        elif kind == Kind.LABEL and name in functions & seen and (hook := nearest(name)):
            errors.append(_misspelt(name, hook, location))
    raise_all(errors)


def _unknown(statement: Statement, isa: Isa, location: Location) -> list[InstError]:
    try:
        isa.facts(statement.name, statement.operands)
    except InstError as error:
        return [InstError(error.message, location=location, hint=error.hint)]
    return []


def _undeclared(name: str, isa: Isa, location: Location) -> InstError:
    mark = isa.part(Syntax).type_mark
    return InstError(
        f"the hook `{name}` is not declared as a function that other files see",
        location=location,
        hint=f"write `.globl {name}`, `.hidden {name}` and `.type {name}, {mark}function`",
    )


def _misspelt(name: str, hook: str, location: Location) -> InstError:
    return InstError(
        f"there is no hook `{name}`",
        location=location,
        hint=f"did you mean {hook}? A function of the library's own with such a name must be local",
    )


def _functions(statements: list[Statement]) -> set[str]:
    rows = [s.operands for s in statements if s.kind == Kind.DIRECTIVE and s.name == ".type"]
    return {row.split(",")[0].strip() for row in rows if "function" in row.lower()}


def _operands(statements: list[Statement], directives: tuple[str, ...]) -> set[str]:
    """Return the names that some directives list."""
    rows = [s.operands for s in statements if s.kind == Kind.DIRECTIVE and s.name in directives]
    return {name.strip() for row in rows for name in row.split(",")}
