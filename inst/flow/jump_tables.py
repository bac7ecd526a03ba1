"""Where computed jumps go whose table a compiler has written right behind them.

GCC writes a switch's table behind the jump that reads it, before any other code: a label, and words
with the labels to which the jump goes, or how far they are from the table's label. Nothing else
of a function has such words without a name and a type of its own. Where anything is otherwise,
such as in code that no compiler has made, the jump may go anywhere.
"""

from __future__ import annotations

import re

from inst.asm.model import Kind
from inst.dataclass import dataclass
from inst.flow.code import Code
from inst.flow.sections import SECTION_DIRECTIVES, Sections
from inst.flow.tables import WORDS, is_table
from inst.isa.model import Transfer

_ENTRY = re.compile(r"(\.L\d+)(?:\s*-\s*(\.L\d+))?")
_ALIGNS = frozenset((".align", ".p2align", ".balign"))


@dataclass(frozen=True, slots=True)
class JumpTable:
    """A jump's table: where it leads, and the statements of its words."""

    targets: tuple[int, ...]
    words: range


def jump_tables(code: Code) -> dict[int, JumpTable]:
    """Return the tables of computed jumps, by these."""
    if not code.compiled:
        return {}
    found: dict[int, JumpTable] = {}
    for index, fact in enumerate(code.facts):
        if fact.transfer == Transfer.JUMP and not fact.conditional:
            last = index + fact.runs_slot
            table = _behind(code, code.statement[last]) if last < len(code.statement) else None
            if table is not None:
                found[index] = table
    return found


def words_of_tables(code: Code) -> frozenset[int]:
    """Return the statements of such tables: only their jumps go to what these name."""
    return frozenset(at for table in jump_tables(code).values() for at in table.words)


def _behind(code: Code, jump: int) -> JumpTable | None:
    """Return the table behind a statement, if everything up to its end is as GCC writes it."""
    sections, labels = Sections(), set[str]()
    position = jump + 1
    while position < len(code.statements) and code.statements[position].name not in WORDS:
        statement = code.statements[position]
        if statement.kind == Kind.LABEL:
            labels.add(statement.name)
        elif statement.name in SECTION_DIRECTIVES:
            sections.directive(statement.name, statement.operands)
        elif statement.kind != Kind.BLANK and statement.name not in _ALIGNS:
            return None
        position += 1
    first, targets = position, dict[int, None]()
    while position < len(code.statements) and code.statements[position].name in WORDS:
        places = _places(code, code.statements[position].operands, labels)
        if not places:
            return None
        targets |= dict.fromkeys(places)
        position += 1
    if is_table(sections.current) or not _ends(code, position):
        return None
    return JumpTable(tuple(targets), range(first, position)) if targets else None


def _ends(code: Code, position: int) -> bool:
    """Return whether no more words follow those before a statement."""
    for statement in code.statements[position:]:
        if statement.kind in (Kind.INSTRUCTION, Kind.LABEL) or statement.name in SECTION_DIRECTIVES:
            return True
        if statement.kind == Kind.OPAQUE or statement.name in WORDS:
            return False
    return True


def _places(code: Code, operands: str, labels: set[str]) -> list[int]:
    """Return the instructions that words name; none if one of them is not a table's."""
    found: list[int] = []
    for one in operands.split(","):
        entry = _ENTRY.fullmatch(one.strip())
        if entry is None or not labels or (entry[2] and entry[2] not in labels):
            return []
        found.append(code.labels.get(entry[1], -1))
    return [] if min(found) < 0 or any(map(code.is_slot, found)) else found
