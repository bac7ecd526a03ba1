"""What a pass wants changed, and the one place where it is done.

Everything inserted goes on the line of the statement it belongs to, separated by `;`, so
that the assembler's messages keep the line numbers of the text that went in.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from inst.asm.model import Statement


@dataclass(slots=True)
class Edit:
    """Changes around one statement: code before it, instead of it, and behind it."""

    before: list[str] = field(default_factory=list)
    instead: str | None = None
    after: list[str] = field(default_factory=list)

    def words(self) -> int:
        """Return how many instructions this edit adds (labels are not counted)."""
        added = self.before + self.after + ([self.instead] if self.instead is not None else [])
        pieces = [piece for text in added for piece in text.split(";")]
        code = sum(1 for piece in pieces if piece.strip() and not piece.rstrip().endswith(":"))
        return code - (self.instead is not None)


@dataclass(slots=True)
class Edits:
    """The edits of a file, by statement."""

    by_statement: dict[int, Edit] = field(default_factory=dict)
    labels: int = 0
    label_prefix: str = ".Linst"

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


def apply_edits(statements: list[Statement], edits: Edits) -> str:
    """Return the text of all statements with their edits done."""
    pieces = [statement.text for statement in statements]
    for position, edit in edits.by_statement.items():
        pieces[position] = _edited(statements[position], edit)
    return "".join(pieces)


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
