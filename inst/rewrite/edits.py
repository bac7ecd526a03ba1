"""What a pass wants changed, and the one place where it is done.

Everything inserted goes on the line of the statement it belongs to, separated by `;`, so
that the assembler's messages keep the line numbers of the text that went in.
"""

from __future__ import annotations

import re

from inst.asm.model import Kind, Statement
from inst.dataclass import dataclass, field

_PROCEDURE = (".cfi_startproc", ".cfi_endproc")
DEBUG_LABELS = (".LVL", ".LBB", ".LBE", ".LBI")
"""Prefixes of gcc's labels that only debugging information refers to."""
_PIN = ".Lhere"
"""Prefix of labels that stay right before their instruction."""
_BACKWARDS = re.compile(r"\.\s*-")
"""The place of a `.reloc` that refers to what is before it."""


@dataclass(slots=True)
class Edit:
    """Changes around one statement: code before it, instead of it, and after it."""

    before: list[str] = field(default_factory=list)
    instead: str | None = None
    after: list[str] = field(default_factory=list)

    def texts(self) -> list[str]:
        """Return all code of this edit."""
        return [*self.before, *([] if self.instead is None else [self.instead]), *self.after]

    def words(self) -> int:
        """Return how many instructions this edit adds (labels are not counted)."""
        added = sum(map(_words, self.before)) + sum(map(_words, self.after))
        return added if self.instead is None else added + _words(self.instead) - 1


def _words(text: str) -> int:
    """Return how many instructions a text with labels has."""
    if ";" in text:
        return sum(map(_words, text.split(";")))
    return bool(text.strip()) and not text.rstrip().endswith(":")


@dataclass(slots=True)
class Edits:
    """The edits of a file, by statement."""

    by_statement: dict[int, Edit] = field(default_factory=dict)
    labels: int = 0
    label_prefix: str = ".Linst"
    renamed: dict[str, str] = field(default_factory=dict)
    """Labels of instructions that have the names of another register window -> their own text."""

    def at(self, statement: int) -> Edit:
        """Return the edit of a statement, new if there is none yet."""
        found = self.by_statement.get(statement)
        if found is None:
            found = self.by_statement[statement] = Edit()
        return found

    def new_label(self) -> str:
        """Return a local label that is used nowhere else."""
        self.labels += 1
        return f"{self.label_prefix}{self.labels}"

    def new_pin(self) -> str:
        """Return a new label that, put before an instruction, stays right there.

        What later edits insert before the instruction goes before this label.
        """
        self.labels += 1
        return f"{_PIN}{self.labels}"


def apply_edits(statements: list[Statement], edits: Edits) -> str:
    """Return the text of all statements with their edits applied.

    What is inserted after an instruction goes after its .cfi_ and `.reloc .-4` directives, too:
    they refer to the address right after it.  What is inserted before an instruction goes before
    a `.reloc .` that refers to it, and before a label that stays with it.
    """
    pieces = [statement.text for statement in statements]
    for position, edit in edits.by_statement.items():
        first = _first_that_stays(statements, position) if edit.before else position
        last = last_of_directives(statements, position) if edit.after else position
        if first != position:
            pieces[first] = _edited(statements[first], Edit(edit.before))
        if last != position:
            pieces[last] = _edited(statements[last], Edit(after=edit.after))
        before = edit.before if first == position else []
        after = edit.after if last == position else []
        pieces[position] = _edited(statements[position], Edit(before, edit.instead, after))
    return "".join(pieces)


def first_of_relocation(statements: list[Statement], position: int) -> int:
    """Return the first of the `.reloc .,...` directives right before an instruction."""
    first = position
    while first and statements[first - 1].name == ".reloc":
        if statements[first - 1].operands.split(",")[0].strip() != ".":
            break
        first -= 1
    return first


def _first_that_stays(statements: list[Statement], position: int) -> int:
    """Return the first of what stays right before an instruction."""
    first = first_of_relocation(statements, position)
    while first and statements[first - 1].name.startswith(_PIN):
        first = first_of_relocation(statements, first - 1)
    return first


def last_of_directives(statements: list[Statement], position: int) -> int:
    """Return the last of the directives that say what an instruction did, or relocate it."""
    last = position
    for following in range(position + 1, len(statements)):
        name = statements[following].name
        if (name.startswith(".cfi_") and name not in _PROCEDURE) or (
            name == ".reloc" and _BACKWARDS.match(statements[following].operands)
        ):
            last = following
        elif statements[following].kind == Kind.BLANK:
            continue
        elif name != ".loc" and (not name.startswith(DEBUG_LABELS) or "_" in name):
            break
    return last


def _edited(statement: Statement, edit: Edit) -> str:
    text = statement.text
    blanks = len(text) - len(text.lstrip(" \t"))
    lead, rest = text[:blanks], text[blanks:]
    if edit.instead is None and not edit.after:
        return lead + _line([*edit.before, rest])
    core, tail = _core_and_tail(statement, rest)
    core = core if edit.instead is None else edit.instead
    return lead + _line([*edit.before, core, *edit.after]) + tail


def _line(pieces: list[str]) -> str:
    """Join instructions and labels into one line."""
    return "; ".join(piece for piece in pieces if piece).replace(":; ", ": ")


def _core_and_tail(statement: Statement, rest: str) -> tuple[str, str]:
    """Split a statement's text into the instruction and what follows it on the line."""
    end = len(statement.name)
    if statement.operands:
        found = rest.find(statement.operands, end)
        if found < 0:  # a comment stands among the operands: print them without it
            core = f"{statement.name} {statement.operands}"
            return core, "\n" * rest.count("\n")
        end = found + len(statement.operands)
    return rest[:end], rest[end:]
