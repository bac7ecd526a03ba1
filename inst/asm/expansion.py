"""Expands a file's macros, loops and conditionals as the assembler does.

The assembler's listing shows this (`as -alcmn`: macro expansions, no false conditionals).
Its lines have numbers of the text that was listed, so that is written with one statement to a
line; lines of expansions have a `>` for each level (binutils 2.40, gas/listing.c).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from inst.asm.model import Kind, Statement, source_line
from inst.asm.opaque import CLOSERS, OPENERS, macro_name, place
from inst.asm.split import cut
from inst.errors import InstError, Location

LISTING = ("-alcmn", "--listing-lhs-width=1", "--listing-lhs-width2=1",
           "--listing-rhs-width=1000000", "--listing-cont-lines=1")  # fmt: skip
"""Options of the assembler that give the listing, on its standard output."""

_LISTED = re.compile(r" *(\d+) [^\t\n]*\t(?:(>+)  ?)?(.*)")
_MARKER = re.compile(r'^[ \t]*#[ \t]*\d+[ \t]+".*$', re.MULTILINE)
_OF_LISTING = frozenset((".list", ".nolist", ".psize", ".eject", ".title", ".sbttl"))
_OF_MACROS = frozenset((".exitm", ".purgem", ".altmacro", ".noaltmacro", ".else"))
_MEASURES = re.compile(r"\.(?:rept?|(?:else)?if(?:eq|ne|g[et]|l[et])?)")
"""Directives that count, or choose by a number."""
_ASSIGNS = frozenset((".set", ".equ", ".equiv", ".eqv"))
_NAME = re.compile(r"(?<![\w.$])(?:[A-Za-z_.$][\w.$]*|\d+[bf]\b)")
_HINT = "write out what it brings, or compile this file with INST_DISABLE=1"


@dataclass(slots=True)
class Unit:
    """A statement, or a macro's definition or a loop with all that belongs to it."""

    statements: list[Statement]
    conditional: bool
    """Whether it is in the body of a conditional, which may not be assembled."""
    first: int = 0
    """Its first line in the listed text; 0: it is not there."""
    listed: bool = False
    brings: list[str] = field(default_factory=list)
    """What the assembler makes of it, if that is something else."""

    @property
    def head(self) -> Statement:
        return self.statements[0]

    @property
    def text(self) -> str:
        return "".join(statement.text for statement in self.statements)


def find_units(statements: list[Statement], file: str) -> list[Unit]:
    """Return what the assembler reads as one; it looks into the bodies of conditionals.

    The statements are those of `cut`.  Raises InstError where a body has no end.
    """
    units: list[Unit] = []
    inside = False
    for statement, body in place(statements, file):
        deep = body is not None and body.expands
        closes = inside and not deep and statement.name in CLOSERS
        if (deep or closes) and units:
            units[-1].statements.append(statement)
        else:
            units.append(Unit([statement], conditional=body is not None))
        inside = deep or (not closes and statement.name in OPENERS)
    return units


def text_to_list(units: list[Unit]) -> str:
    """Return the text for the assembler to list; record in each unit the line where it begins."""
    lines: list[str] = []
    number = 1
    for unit in units:
        name, operands = unit.head.name, unit.head.operands
        if name in _OF_LISTING or (name == ".file" and operands.startswith('"')):
            continue  # the listing would show another file, or nothing
        text = _MARKER.sub("", unit.text).strip("\n")
        if text.strip():
            unit.first = number
            lines.append(text)
            number += 1 + text.count("\n")
    return "\n".join(lines) + "\n"


def read_listing(units: list[Unit], listing: str) -> None:
    """Record in each unit its line and its expansion from the listing."""
    found = [unit for unit in units if unit.first]
    at = 0
    for line in listing.splitlines():
        match = _LISTED.match(line)
        if match is None:
            continue
        number = int(match[1])
        while at + 1 < len(found) and found[at + 1].first <= number:
            at += 1
        if match[2]:
            found[at].brings.append(match[3])
        else:
            found[at].listed = True


def expand(units: list[Unit], syntax: str, places: list[tuple[str, int]], file: str) -> str:
    """Return the file's text with macros, loops and conditionals replaced by their expansions.

    `places` has the user's file and line of each line; markers keep them.  Raises InstError where
    a condition or count depends on how long code is, since that changes.
    """
    _check_measures(units, syntax, file)
    macros: set[str] = set()
    pieces: list[str] = []
    in_step = True
    for unit in units:
        head = unit.head
        if unit.conditional and unit.first and not unit.listed:
            kept = []
        elif unit.brings:
            kept = list(_leaves(unit, syntax, macros))
        elif len(unit.statements) > 1 or _is_scaffold(head) or _invokes(head, macros):
            kept = []
        elif in_step:
            pieces.append(head.text)
            continue
        else:
            kept = [head.text]
        if head.name == ".macro":
            macros.add(macro_name(head))
        elif head.name == ".purgem":
            macros.discard(head.operands.lower())
        name, number = places[min(head.line, len(places)) - 1]
        for text in kept:
            lead = "" if not pieces or pieces[-1].endswith("\n") else "\n"
            pieces.append(f'{lead}# {number} "{name}"\n{text}')
        in_step = not unit.brings and kept == [head.text]
    return "".join(pieces)


def _leaves(unit: Unit, syntax: str, macros: set[str]) -> Iterator[str]:
    """Yield the lines of an expansion that are no macros, loops and conditionals themselves."""
    for line in unit.brings:
        kept = []
        for statement in cut(line, syntax):
            if statement.name == ".macro":
                macros.add(macro_name(statement))
            elif statement.name == ".purgem":
                macros.discard(statement.operands.lower())
            elif not _is_scaffold(statement) and not _invokes(statement, macros):
                kept.append(statement.text)
        if any(text.strip() for text in kept):
            yield "".join(kept).rstrip("\n") + "\n"


def _invokes(statement: Statement, macros: set[str]) -> bool:
    return statement.kind == Kind.INSTRUCTION and statement.name in macros


def _is_scaffold(statement: Statement) -> bool:
    """Return whether a directive is for macros, loops and conditionals only."""
    name = statement.name
    return name in OPENERS or name in CLOSERS or name in _OF_MACROS or name[:3] == ".if" or (
        name[:7] == ".elseif"
    )  # fmt: skip


def _check_measures(units: list[Unit], syntax: str, file: str) -> None:
    """Raise InstError where a number that decides something is a length of code."""
    shown = [
        (unit, statement)
        for unit in units
        if unit.listed or not unit.conditional
        for statement in [unit.head, *(one for text in unit.brings for one in cut(text, syntax))]
    ]
    moving = {"."} | {one.name for _, one in shown if one.kind == Kind.LABEL}
    for unit, statement in shown:
        names = _NAME.findall(statement.operands)
        moves = any(name in moving or name[0].isdigit() for name in names)
        if statement.kind == Kind.ASSIGNMENT and moves:
            moving.add(statement.name)
        elif statement.name in _ASSIGNS and moves:
            moving.add(statement.operands.split(",")[0].strip())
        elif moves and _MEASURES.fullmatch(statement.name):
            text = f"{statement.name} {statement.operands}"
            raise InstError(
                f"`{text}` depends on places in code, which move when inst adds to it",
                location=Location(file, unit.head.line, unit.head.column),
                source=source_line([s for u in units for s in u.statements], unit.head),
                hint=_HINT,
            )
