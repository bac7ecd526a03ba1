"""How far apart the places of a file may come to lie, bounded from above.

Every instruction counts with its greatest length, every directive with what it may add, and every
branch with what may still be added to it.
"""

from __future__ import annotations

import re

from inst.asm.model import Kind, Statement
from inst.flow.code import Code
from inst.flow.sections import SECTION_DIRECTIVES, Sections
from inst.rewrite.edits import Edits

_ITEM_SIZE = {
    ".byte": 1,
    ".2byte": 2,
    ".half": 2,
    ".short": 2,
    ".hword": 2,
    ".uahalf": 2,
    ".4byte": 4,
    ".long": 4,
    ".int": 4,
    ".word": 4,
    ".uaword": 4,
    ".value": 2,
    ".8byte": 8,
    ".llong": 8,
    ".octa": 16,
    ".uleb128": 10,
    ".sleb128": 10,
    ".quad": 8,
    ".xword": 8,
    ".uaxword": 8,
    ".float": 4,
    ".single": 4,
    ".double": 8,
}
_STRINGS = (".ascii", ".asciz", ".string")
_ALIGNMENTS = (".align", ".balign", ".p2align")
_SPACES = (".space", ".skip", ".zero", ".fill")
_SIZED = frozenset((*_ITEM_SIZE, *_STRINGS, *_ALIGNMENTS))
_ROOM = frozenset((*_SPACES, ".org", ".incbin"))
_NUMBER = re.compile(r"(0x[0-9a-fA-F]+|\d+)$")
_SUBSECTIONS = re.compile(r"\.(?:subsection|text\s+[1-9]|data\s+[1-9])")
RELAXED_WORDS = 3
"""How many instructions a branch gets that goes farther than its own form."""
_UNKNOWN = 1 << 40
_PAGE = 4096
"""Bytes that a `.org` may leave free whose operand is not a plain number."""


class Bounds:
    """Upper bounds of the distances in one file, once its edits are known.

    All sections count as one: sections that interleave only add to a distance.  Subsections follow
    one another, whatever their order in the file: the distance from one to another counts as the
    length of the whole file.
    """

    def __init__(self, code: Code, edits: Edits, relaxed: bool = False) -> None:
        """`relaxed`: the edits that let far branches reach have been made."""
        self._place, self._size = _places(code, edits, 0 if relaxed else RELAXED_WORDS)
        self._subsection = _subsections(code)

    def distance(self, one: int, other: int) -> int:
        """Return how many bytes two statements are apart at most."""
        if self._subsection and self._subsection[one] != self._subsection[other]:
            return self._size
        return abs(self._place[one] - self._place[other])


def _subsections(code: Code) -> list[str]:
    """Return the subsection of each statement; nothing if the file has only whole sections."""
    if not any(_SUBSECTIONS.match(f"{one.name} {one.operands}") for one in code.statements):
        return []
    sections, found = Sections(), []
    for statement in code.statements:
        if statement.name in SECTION_DIRECTIVES:
            sections.directive(statement.name, statement.operands)
        found.append(sections.current)
    return found


def bound_of(number: str) -> int:
    """Return an upper bound of an integer literal: an octal one is less than it looks."""
    return int(number, 16 if number[:2] in ("0x", "0X") else 10)


def words_bound(code: Code, edits: Edits) -> int:
    """Bound the words of code and of what may stand among it: a check that most files pass."""
    among = code.statements[code.statement[0] : max(code.statement)]
    data = sum(len(s.operands) for s in among if s.name in _SIZED)
    room = sum(_directive_size(s) for s in among if s.name in _ROOM)
    return len(code.facts) + 8 * len(edits.by_statement) + data + room // 4


def _places(code: Code, edits: Edits, margin: int) -> tuple[list[int], int]:
    """Return an upper bound of each statement's offset, and of the size of all.

    `margin`: words that may still be added to each branch.
    """
    facts_at = dict(zip(code.statement, code.facts, strict=True))
    place, offset = [], 0
    for position, statement in enumerate(code.statements):
        place.append(offset)
        fact = facts_at.get(position)
        if fact is not None:
            offset += fact.length if not fact.reach else fact.length + 4 * margin
        elif statement.kind == Kind.DIRECTIVE:
            offset += _directive_size(statement)
        elif statement.kind == Kind.OPAQUE:
            offset += _UNKNOWN
        edit = edits.by_statement.get(position)
        if edit is not None:
            offset += 4 * max(0, edit.words())
    return place, offset


def _directive_size(statement: Statement) -> int:
    """Bound how many bytes a directive adds to its section."""
    name, operands = statement.name, statement.operands
    if name in _ITEM_SIZE:
        return _ITEM_SIZE[name] * (operands.count(",") + 1)
    if name in _STRINGS:
        return len(operands)
    if name not in _ROOM and name not in _ALIGNMENTS:
        return 0
    match = _NUMBER.match(operands.split(",")[0].strip())
    if not match:
        return _PAGE if name == ".org" else _UNKNOWN
    number = bound_of(match[1])
    if name == ".p2align" and number < 32:
        return 1 << number
    return 8 * number if name == ".fill" else max(number, 64)  # 8: the greatest size of one
