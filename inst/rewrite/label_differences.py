"""Differences of labels in instructions, and the calls that they are relative to.

Code adds a difference from a label before a call to what the call leaves in the link register
(`add %o7,TABLE-1b,%o0` after `1: call .+8`), so nothing may be inserted between the two.  Where
something is, the difference is taken from another label, which stays where the call is
(`Edits.new_pin`); branches to the old one still lead to what is inserted.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable

from inst.asm.model import Kind
from inst.flow.code import LABEL, Code, label_of, statement_error
from inst.isa.model import Transfer
from inst.rewrite.edits import Edits
from inst.rewrite.neighbours import labels_at

NAME = re.compile(rf"(?<![\w.$%]){LABEL}(?![\w.$])")
"""A label in an expression."""
LOCATION = re.compile(r"(?<![\w.$])\.(?![\w.$])")
"""The location counter in an expression, which moves with its instruction."""
_DEEPEST = 5
"""How deep brackets may be nested in an expression."""
_INSIDE = functools.reduce(lambda inner, _: rf"(?:[^()]|\({inner}\))*", range(_DEEPEST), r"[^()]*")
MODIFIER = re.compile(rf"%\w+\({_INSIDE}\)")
"""An operator that takes a part of a value: `%lo(...)`."""
MINUS_NAME = re.compile(r"-\s*\(*\s*(?:[A-Za-z_.$]|\d+[bf])")
"""What every operand with a difference of labels has: a quick check."""
DIFFERENCE = re.compile(rf"{LABEL}\s*-\s*\(*\s*(?:[A-Za-z_.$]|\d+[bf])")
_FROM = re.compile(rf"(?<=-)(\s*\(*\s*)({LABEL})(?![\w.$])")
_ASSIGNS = frozenset((".set", ".equ", ".equiv", ".eqv"))

CANNOT_GROW = "a difference of labels cannot grow in this place"


def assigned_differences(code: Code) -> dict[str, tuple[str, int]]:
    """Return the symbols that stand for differences of labels: the text, and its statement."""
    found = {}
    for position, statement in enumerate(code.statements):
        if statement.name in _ASSIGNS:
            name, _, text = (part.strip() for part in statement.operands.partition(","))
        elif statement.kind is Kind.ASSIGNMENT:
            name, text = statement.name, statement.operands
        else:
            continue
        if DIFFERENCE.search(text):
            found[name] = text, position
    return found


class LabelDifferences:
    """The differences of one file, and the labels that stay at the calls they are relative to."""

    def __init__(
        self, code: Code, edits: Edits, may_be_parted: Callable[[Code, int], bool]
    ) -> None:
        """`may_be_parted` returns whether something may be inserted before a call."""
        self.code = code
        self.edits = edits
        self.assigned = assigned_differences(code)
        self._may_be_parted = may_be_parted
        self._pins: dict[int, str] = {}
        """Call -> the label that stays where it is."""

    def are_in(self, index: int) -> bool:
        """Return whether there may be one in an instruction: most have none."""
        operands = self.code.at(index).operands
        if not self.assigned and ("-" not in operands or not MINUS_NAME.search(operands)):
            return False
        return not self.code.facts[index].target

    def keep_at_calls(self, index: int, hint: str) -> None:
        """Make those of an instruction relative to calls; `hint`: what to do if that fails."""
        statement = self.code.at(index)
        self._refuse_symbols(index)
        position = self.code.statement[index]
        operands = self.pinned(position, statement.operands)
        if operands == statement.operands:
            return
        if position in self.edits.by_statement:
            raise statement_error(self.code, index, CANNOT_GROW, hint)
        self.edits.at(position).instead = f"{statement.name} {operands}"

    def pinned(self, here: int, text: str) -> str:
        """Return an expression of statement `here` with its differences relative to calls."""

        def replaced(match: re.Match[str]) -> str:
            call = self._parted_call(here, match[2])
            return match[0] if call is None else f"{match[1]}{self.pin(call)}"

        return _FROM.sub(replaced, text)

    def pin(self, index: int) -> str:
        """Return a label that stays right before an instruction."""
        found = self._pins.get(index)
        if found is None:
            found = self._pins[index] = self.edits.new_pin()
            self.edits.at(self.code.statement[index]).before.append(f"{found}:")
        return found

    def _refuse_symbols(self, index: int) -> None:
        """Refuse a symbol for a distance from a call that does not stay with its label."""
        operands = self.code.at(index).operands
        for name in NAME.findall(operands) if self.assigned else ():
            text, here = self.assigned.get(name, ("", 0))
            if self.pinned(here, text) != text:
                raise statement_error(self.code, index, CANNOT_GROW, f"write {text} here")

    def _parted_call(self, here: int, name: str) -> int | None:
        """Return the call right after a label, if something may be inserted between the two.

        `here` is the statement that names the label.
        """
        code = self.code
        place = code.place_of(name, here)
        if place is None or not 0 <= place < len(code.facts) - 1:
            return None
        fact, label = code.facts[place], label_of(name)
        if fact.transfer != Transfer.CALL and not fact.pc_relative_data:
            return None
        if label not in labels_at(code, place):
            return None
        return place if self._may_be_parted(code, place) else None


def keep_differences_at_calls(code: Code, edits: Edits) -> None:
    """Make differences in PowerPC code relative to its calls, before which counts are inserted."""
    found = LabelDifferences(code, edits, lambda code, call: not code.facts[call].pc_relative_data)
    for index in range(len(code.facts)):
        if found.are_in(index):
            found.keep_at_calls(index, "name the call's place by a label of its own")
