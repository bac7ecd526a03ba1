"""Branches that growth pushed out of reach: inverted around an unconditional one.

The assembler relaxes no conditional PowerPC branch (32 KB) and none of SPARC V9's that are
short: with predictions (1 MB), on registers (128 KB), with a comparison (2 KB).  Distances are
bounded from above: every instruction by its greatest length, every directive by what it may
add, every branch as if it had been relaxed.  A branch that this bound cannot clear is
rewritten.
"""

from __future__ import annotations

import re

from inst.asm.model import Kind, Statement
from inst.asm.operands import split_operands
from inst.flow.code import Code, statement_error
from inst.isa.model import Transfer
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
    ".8byte": 8,
    ".quad": 8,
    ".xword": 8,
    ".uaxword": 8,
    ".float": 4,
    ".single": 4,
    ".double": 8,
}
_STRINGS = (".ascii", ".asciz", ".string")
_ALIGNMENTS = (".align", ".balign", ".p2align")
_SPACES = (".space", ".skip", ".zero")
_SIZED = frozenset((*_ITEM_SIZE, *_STRINGS, *_ALIGNMENTS, *_SPACES))
_NUMBER = re.compile(r"(0x[0-9a-fA-F]+|\d+)$")
_RELAXED_WORDS = 3
_FARTHEST_DELAYED = 8 << 20
"""What SPARC's branches without a prediction reach; no other goes farther."""
_UNKNOWN = 1 << 40


def relax(code: Code, edits: Edits, jump: str = "b") -> None:
    """Rewrite each direct branch whose target may be out of its reach.

    `jump` is the farthest unconditional branch, and runs nothing on its way (`Isa.jump`).
    """
    branches = [
        index
        for index, fact in enumerate(code.facts)
        if fact.reach and fact.transfer == Transfer.BRANCH
    ]
    nearest = min((code.facts[index].reach for index in branches), default=0)
    if not branches or 4 * _RELAXED_WORDS * _words_bound(code, edits) < nearest:
        return
    place = _places(code, edits)
    for index in branches:
        target = code.target(index)
        if target >= 0:
            distance = abs(place[code.statement[target]] - place[code.statement[index]])
            if distance + 64 >= code.facts[index].reach:
                _relax_one(code, index, edits, jump)


def _words_bound(code: Code, edits: Edits) -> int:
    """Bound the words of code and of what may stand among it: a look that most files pass."""
    among = code.statements[code.statement[0] : max(code.statement)]
    data = sum(len(s.operands) for s in among if s.name in _SIZED)
    return len(code.facts) + 8 * len(edits.by_statement) + data


def _places(code: Code, edits: Edits) -> list[int]:
    """Return an upper bound of each statement's offset, as if there were one section.

    Sections that interleave only add to a distance, never take from it.
    """
    facts_at = dict(zip(code.statement, code.facts, strict=True))
    place, offset = [], 0
    for position, statement in enumerate(code.statements):
        place.append(offset)
        fact = facts_at.get(position)
        if fact is not None:
            offset += fact.length if not fact.reach else fact.length + 4 * _RELAXED_WORDS
        elif statement.kind == Kind.DIRECTIVE:
            offset += _directive_size(statement)
        elif statement.kind == Kind.OPAQUE:
            offset += _UNKNOWN
        edit = edits.by_statement.get(position)
        if edit is not None:
            offset += 4 * max(0, edit.words())
    return place


def _directive_size(statement: Statement) -> int:
    """Bound how many bytes a directive adds to its section."""
    name, operands = statement.name, statement.operands
    if name in _ITEM_SIZE:
        return _ITEM_SIZE[name] * (operands.count(",") + 1)
    if name in _STRINGS:
        return len(operands)
    if name in _SPACES or name in _ALIGNMENTS:
        match = _NUMBER.match(operands.split(",")[0].strip())
        if not match:
            return _UNKNOWN
        number = int(match[1], 0)
        return 1 << number if name == ".p2align" and number < 32 else max(number, 64)
    return 0


def _relax_one(code: Code, index: int, edits: Edits, jump: str) -> None:
    statement = code.statements[code.statement[index]]
    fact = code.facts[index]
    if fact.delay_slot:
        _relax_delayed(code, index, edits, jump)
        return
    edit = edits.at(code.statement[index])
    operands = list(split_operands(statement.operands))
    skip = edits.new_label()
    if fact.inverse:
        operands[fact.target_operand] = skip
        text = [f"{fact.inverse} {','.join(operands)}", f"{jump} {fact.target}", f"{skip}:"]
    else:
        over = edits.new_label()
        operands[fact.target_operand] = over
        text = [f"{statement.name} {','.join(operands)}", f"{jump} {skip}", f"{over}:"]
        text += [f"{jump} {fact.target}", f"{skip}:"]
    edit.instead = "; ".join(text)


def _relax_delayed(code: Code, index: int, edits: Edits, jump: str) -> None:
    """Let a branch with a delay slot reach its target by a jump behind the slot.

    A branch that a probe has replaced goes no farther than the probe.
    """
    statement = code.statements[code.statement[index]]
    fact = code.facts[index]
    edit = edits.at(code.statement[index])
    if edit.instead is not None:
        return
    if fact.reach >= _FARTHEST_DELAYED:
        raise statement_error(code, index, "growth pushes this branch's target out of its reach")
    if not fact.conditional:
        plain = jump if fact.annul else jump.split(",")[0]
        edit.instead = f"{plain} {fact.target}"
        return
    near, past = edits.new_label(), edits.new_label()
    operands = list(split_operands(statement.operands))
    operands[fact.target_operand] = near
    edit.instead = f"{statement.name} {','.join(operands)}"
    behind = [f"{jump} {past}", f"{near}:", f"{jump} {fact.target}", f"{past}:"]
    edits.at(code.statement[index + 1]).after += behind
