"""What a probe leaves for the next ones: the sites of one basic block share it.

No label, transfer or window change is between such sites, and no instruction between them
changes the registers that matter.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field

from inst.flow.code import Code
from inst.isa.model import RegisterSet, Transfer


@dataclass(slots=True)
class Line:
    """Where sites leave something, and how far it lasts."""

    code: Code
    changed: RegisterSet
    """Registers that, once changed, end what was left."""
    labelled: frozenset[int] = field(init=False)
    """Instructions that a label stands before, or that begin a section."""
    left: list[int] = field(default_factory=list)
    """Instructions whose sites have left it, in ascending order."""

    def __post_init__(self) -> None:
        numeric = (index for places in self.code.numeric.values() for _, index in places)
        named = self.code.labels.values()
        self.labelled = frozenset((*named, *numeric, *self.code.section_end))

    def leave(self, index: int) -> None:
        """Record that the site of an instruction leaves it; sites come in order."""
        if not self.left or self.left[-1] < index:
            self.left.append(index)

    def reaches(self, index: int) -> bool:
        """Return whether what an earlier site has left is there before instruction `index`."""
        found = bisect_left(self.left, index)
        if not found:
            return False
        start = self.left[found - 1]
        return not any(
            fact.transfer != Transfer.NONE or fact.window or fact.defs & self.changed
            for fact in self.code.facts[start:index]
        ) and self.labelled.isdisjoint(range(start + 1, index + 1))
