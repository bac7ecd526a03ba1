"""Differences of labels that stay in SPARC's immediates of 13 bits: what has grown must fit.

Those in addresses and jumps keep their form, as `ld [%o7+(TABLE-1b)],%o0`.  The assembler lets
differences up to 8191 pass, of which the processor makes negative ones, so they are checked here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from inst.asm.model import Kind
from inst.flow.code import Code, statement_error
from inst.rewrite.bounds import Bounds, bound_of
from inst.rewrite.context import Rewriting
from inst.rewrite.measured import DIFFERENCE, MINUS_NAME, MODIFIER, NAME, assigned_differences

_LARGEST = 4095
_NUMBER = re.compile(r"(?<![\w.$%])(?:0[xX][0-9a-fA-F]+|\d+)(?![\w.$])")


def refuse_long_immediates(work: Rewriting) -> None:
    """Refuse differences that may not fit any more; the edits must be complete."""
    code, edits = work.whole, work.edits
    if work.isa.name != "sparc" or not edits.by_statement:
        return
    differences = _Differences(code)
    measuring = [index for index in range(len(code.facts)) if differences.are_in(index)]
    if not measuring:
        return
    labels, bounds = _Labels(code), Bounds(code, edits, relaxed=True)
    for index in measuring:
        for text, here in differences.of(index):
            places = [labels.place(name, here) for name in NAME.findall(text)]
            known = [place for place in places if place is not None]
            if len(known) < len(places) and code.elsewhere:
                raise statement_error(code, index, "a distance across parts of the file")
            apart = (bounds.distance(one, other) for one in known for other in known)
            farthest = max(apart, default=0) * (len(known) // 2)
            if farthest + sum(bound_of(number) for number in _NUMBER.findall(text)) > _LARGEST:
                raise statement_error(
                    code,
                    index,
                    f"a distance may grow past {_LARGEST} here, which is all an immediate holds",
                    "put the difference into a register first: `set` takes one of any size",
                )


class _Differences:
    """The differences of labels that instructions hold in immediates."""

    def __init__(self, code: Code) -> None:
        self._code = code
        self._assigned = assigned_differences(code)

    def are_in(self, index: int) -> bool:
        """Return whether there is one in an instruction: a quick check that most do not pass."""
        operands = self._code.at(index).operands
        if not self._assigned and ("-" not in operands or not MINUS_NAME.search(operands)):
            return False
        return self._code.facts[index].length == 4 and any(self.of(index))

    def of(self, index: int) -> Iterator[tuple[str, int]]:
        """Yield the text of each, and the statement in which it is written."""
        position = self._code.statement[index]
        text = MODIFIER.sub("", self._code.statements[position].operands)
        if DIFFERENCE.search(text):
            yield text, position
        for name in NAME.findall(text) if self._assigned else ():
            if name in self._assigned:
                yield self._assigned[name]


class _Labels:
    """The statements of a file's labels."""

    def __init__(self, code: Code) -> None:
        self._places: dict[str, list[int]] = {}
        for position, statement in enumerate(code.statements):
            if statement.kind == Kind.LABEL:
                self._places.setdefault(statement.name, []).append(position)

    def place(self, name: str, here: int) -> int | None:
        """Return where a name is defined, as statement `here` names it; None: not in this file."""
        if name in (".", "$"):
            return here
        if not name[0].isdigit():
            return self._places.get(name, [None])[0]
        places = self._places.get(name[:-1], ())
        if name[-1] == "b":
            return next((place for place in reversed(places) if place < here), None)
        return next((place for place in places if place > here), None)
