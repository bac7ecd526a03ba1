"""Where computed jumps go whose table a compiler has written right after them.

GCC writes a switch's table after the jump that reads it, before any other code: a label, and words
with the labels to which the jump goes, or how far they are from the table's label. Nothing else
of a function has such words without a name and a type of its own. Where anything is otherwise,
such as in code that no compiler has made, the jump may go anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from inst.asm.model import Kind, Statement
from inst.dataclass import dataclass
from inst.flow.sections import SECTION_DIRECTIVES, WORDS, Sections, is_table

_ENTRY = re.compile(r"(\.L\d+)(?:\s*-\s*(\.L\d+))?")
_ALIGNS = frozenset((".align", ".p2align", ".balign"))


@dataclass(frozen=True, slots=True)
class JumpTable:
    """A jump's table: where it leads, and the statements of its words."""

    targets: tuple[int, ...]
    words: range


def table_after(
    statements: list[Statement], jump: int, places: Mapping[str, int]
) -> JumpTable | None:
    """Return the table after a statement, if everything up to its end is as GCC writes it.

    `places` are the instructions that labels precede.
    """
    sections, labels = Sections(), set[str]()
    position = jump + 1
    while position < len(statements) and statements[position].name not in WORDS:
        statement = statements[position]
        if statement.kind == Kind.LABEL:
            labels.add(statement.name)
        elif statement.name in SECTION_DIRECTIVES:
            sections.directive(statement.name, statement.operands)
        elif statement.kind != Kind.BLANK and statement.name not in _ALIGNS:
            return None
        position += 1
    first, targets = position, dict[int, None]()
    while position < len(statements) and statements[position].name in WORDS:
        found = _places(statements[position].operands, labels, places)
        if not found:
            return None
        targets |= dict.fromkeys(found)
        position += 1
    if is_table(sections.current) or not _ends(statements, position):
        return None
    return JumpTable(tuple(targets), range(first, position)) if targets else None


def _ends(statements: list[Statement], position: int) -> bool:
    """Return whether no more words follow those before a statement."""
    for statement in statements[position:]:
        if statement.kind in (Kind.INSTRUCTION, Kind.LABEL) or statement.name in SECTION_DIRECTIVES:
            return True
        if statement.kind == Kind.OPAQUE or statement.name in WORDS:
            return False
    return True


def _places(operands: str, labels: set[str], places: Mapping[str, int]) -> list[int]:
    """Return the instructions that words name; none if one of them is not a table's."""
    found: list[int] = []
    for one in operands.split(","):
        entry = _ENTRY.fullmatch(one.strip())
        if entry is None or not labels or (entry[2] and entry[2] not in labels):
            return []
        found.append(places.get(entry[1], -1))
    return [] if min(found) < 0 else found
