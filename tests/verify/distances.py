"""Differences of labels in instructions: measured from where they were measured before.

The output may measure from other labels than the input, which later passes move with a call:
then these must be directly before the output's own call.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from inst.isa.model import Facts, Transfer

from .listing import Instruction, Listing

if TYPE_CHECKING:
    from .walk import Walk

_NAME = r"(?:[A-Za-z_.$][\w.$]*|\d+[bf](?!\w))"
_FROM = re.compile(rf"-(\(*)({_NAME})")
_SLOT = 4
"""How far the slot, which the location counter means there, is after its transfer."""


@dataclass(slots=True)
class Measures:
    """From where the output measures distances, by what the input has in their place."""

    taken: dict[tuple[int, str], set[str]] = field(default_factory=dict)
    """(statement of the input, name in it) -> names that stand for that in the output."""

    def same(self, theirs: Instruction, before: str, now: str) -> bool:
        """Return whether two operands are the same but for where they measure from."""
        names: list[str] = []

        def alternatives(match: re.Match[str]) -> str:
            names.append(match[2])
            bare = re.escape(match[2])
            moved = rf"([\w.$]+)\+{_SLOT}" if match[2] == "." else r"([\w.$]+)"
            return f"-(?:{bare}|{moved})"

        pattern = "".join(
            alternatives(part) if (part := _FROM.fullmatch(piece)) else re.escape(piece)
            for piece in _pieces(_flat(before))
        )
        found = re.fullmatch(pattern, _flat(now))
        if not found:
            return False
        for name, other in zip(names, found.groups(), strict=True):
            self.taken.setdefault((theirs.statement, name), set()).add(other or name)
        return True


def _pieces(text: str) -> list[str]:
    """Return an expression cut where it names what it measures from."""
    return [piece for piece in re.split(rf"(-{_NAME})", text) if piece]


def _flat(text: str) -> str:
    """Return an expression without blanks and brackets, but for where a base follows."""
    return re.sub(r"[\s()]", "", re.sub(r"(?<=[\w.$)])\s*\(", "|", text))


def check_distances(walk: Walk) -> None:
    """What is measured from the label of a call is measured from where that call is."""
    for index, found in enumerate(walk.old.instructions):
        for match in _FROM.finditer("".join(found.operands.split())):
            call = _meant(walk.old, index, match[2])
            if call is None or not _is_call(walk.old.instructions[call].facts):
                continue
            for place in walk.core.get(index, ()):
                _check(walk, index, match[2], call, place)


def _check(walk: Walk, index: int, name: str, call: int, place: int) -> None:
    statement = walk.old.instructions[index].statement
    calls = walk.core.get(call, set())
    for other in walk.measures.taken.get((statement, name), {name}):
        there = walk.new.labels.get(other) if other in walk.new.labels else None
        if other == name:
            there = _meant(walk.new, place, name)
        if there not in calls:
            walk.complain(index, f"measures from {name}, which is not where its call is any more")


def _meant(listing: Listing, index: int, name: str) -> int | None:
    """Return the instruction that a name precedes; of a slot `.` is its transfer."""
    if name == ".":
        before = listing.instructions[index - 1].facts if index else None
        return index - 1 if before is not None and before.delay_slot else None
    return listing.target(index, name)


def _is_call(facts: Facts) -> bool:
    return facts.transfer == Transfer.CALL or (facts.delay_slot and facts.pc_relative_data)
