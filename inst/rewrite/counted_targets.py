"""Branches to a label plus some bytes, or to `.` plus some: their target gets a label.

`brnz %o2,.Lloop+4`, with the loop's first instruction in the slot, is how hand-written SPARC code
saves an instruction.  That first instruction grows, so the distance would lead into the middle of
its probe; and so does one that `be .+16` skips, or that `bdnz $-8` goes back over.  Where such a
branch ends at an alignment (`bne 0,$+8; b .L2; .p2align 4,,15`, gcc's branch to a far place), it
may as well go past it: what fills code up to an alignment does nothing.
"""

from __future__ import annotations

import re

from inst.asm.model import Kind
from inst.flow.code import LABEL, Code, label_of, statement_error
from inst.flow.encoded import BYTES, bytes_of
from inst.isa.model import Facts
from inst.rewrite.edits import Edits
from inst.rewrite.neighbours import labels_at, may_grow, says_nothing

_COUNTED = re.compile(rf"({LABEL})\s*([+-])\s*({BYTES})")

_HERE = (".", "$")
_ALIGNMENT = re.compile(r"\.(?:p2align|balign|align)")
_FILL = re.compile(r"[^,]+(?:,\s*(?:,.*)?)?")
"""Operands of an alignment that leave the assembler to fill it."""


class CountedTargets:
    """The labels given to such targets."""

    def __init__(self, code: Code, edits: Edits) -> None:
        self.code = code
        self.edits = edits
        self._labels: dict[int, str] = {}

    def name_all(self) -> None:
        """Redirect all branches of a file; calls that read their own address keep their target."""
        for index, fact in enumerate(self.code.facts):
            if not fact.pc_relative_data:
                self.name(index, fact)

    def name(self, index: int, fact: Facts) -> None:
        """Redirect a branch or call to a label at its target, if the target can be determined."""
        if "+" not in fact.target and "-" not in fact.target:
            return
        code = self.code
        match = _COUNTED.fullmatch(fact.target)
        target = _found(code, index, match[1], _distance(match)) if match else None
        if target is None or fact.target_operand < 0:
            return
        if fact.pc_relative_data:  # a label would make a call of it, to which conventions apply
            message = f"a call of {fact.target} depends on the length of the code in between"
            raise statement_error(code, index, message, "call a place right after the slot")
        edit = self.edits.at(code.statement[index])
        edit.instead = code.retargeted(index, self._label(target))

    def _label(self, target: int) -> str:
        found = self._labels.get(target)
        if found is None:
            found = self._labels[target] = self.edits.new_label()
            self.edits.at(self.code.statement[target]).before.append(f"{found}:")
        return found


def _distance(match: re.Match[str]) -> int:
    return -bytes_of(match[3]) if match[2] == "-" else bytes_of(match[3])


def _found(code: Code, index: int, name: str, distance: int) -> int | None:
    """Return the instruction so many bytes from a label, if only instructions lie between."""
    first = index if name in _HERE else _labelled(code, index, name)
    if first is None or distance % 4:
        return None
    target = first + distance // 4
    if not 0 <= target < len(code.facts) or code.is_slot(target):
        return None
    low, high = min(first, target), max(first, target)
    if any(fact.length != 4 for fact in code.facts[low:high]):
        return None
    if name in _HERE and target > index and not _skips_growth(code, index, target):
        return None
    between = range(code.statement[low], code.statement[high])
    kinds = (Kind.INSTRUCTION, Kind.LABEL)
    fills = range(code.statement[target - 1] + 1 if target > first else high, between.stop)
    if all(
        code.statements[n].kind in kinds
        or says_nothing(code, n)
        or (n in fills and _does_nothing(code, n))
        for n in between
    ):
        return target
    return None


def _does_nothing(code: Code, position: int) -> bool:
    """Return whether a statement is an alignment that the assembler fills with `nop`."""
    statement = code.statements[position]
    return bool(_ALIGNMENT.match(statement.name)) and bool(_FILL.fullmatch(statement.operands))


def _labelled(code: Code, index: int, name: str) -> int | None:
    """Return the instruction right after a label."""
    first = code.place_of(name, code.statement[index])
    if first is None or not 0 <= first < len(code.facts):
        return None
    return first if label_of(name) in labels_at(code, first) else None


def _skips_growth(code: Code, index: int, target: int) -> bool:
    """Return whether a branch skips code that may grow.

    `call .+8` skips nothing: what is inserted for its slot goes before the call.
    """
    first = index + 2 if code.facts[index].pc_relative_data else index + 1
    return any(map(may_grow, code.facts[first:target]))
