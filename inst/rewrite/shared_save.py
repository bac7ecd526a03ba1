"""A register that one site saves and the next ones of its basic block find saved.

No label, transfer or window change is between such sites, and no instruction between them
changes the registers that matter.
"""

from __future__ import annotations

from bisect import bisect_left

from inst import TYPE_CHECKING
from inst.dataclass import dataclass, field
from inst.flow.code import Code
from inst.isa.model import RegisterSet, Transfer

if TYPE_CHECKING:
    from typing import Protocol
else:
    Protocol = object


class SaveSlot(Protocol):
    """A place in memory where sites may save a register; sites must be passed in order."""

    def serves(self, index: int) -> bool:
        """Return whether the register may be saved there around an access."""

    def take(self, index: int) -> bool:
        """Use it for the site of access `index`; return whether it held the register already."""


@dataclass(slots=True)
class SharedSave:
    """Which sites have saved a register, and how far that lasts; sites come in order."""

    code: Code
    changed: RegisterSet
    """Registers that, once changed, end it."""
    labelled: frozenset[int] = field(init=False)
    saved: list[int] = field(default_factory=list)
    """Instructions whose sites have saved it, in ascending order."""

    def __post_init__(self) -> None:
        self.labelled = self.code.labelled()

    def take(self, index: int) -> bool:
        """Let the site of an instruction save the register; return whether it is saved already."""
        held = self._lasts_to(index)
        if not self.saved or self.saved[-1] < index:
            self.saved.append(index)
        return held

    def _lasts_to(self, index: int) -> bool:
        found = bisect_left(self.saved, index)
        if not found:
            return False
        start = self.saved[found - 1]
        return not any(
            fact.transfer != Transfer.NONE or fact.window or fact.defs & self.changed
            for fact in self.code.facts[start:index]
        ) and self.labelled.isdisjoint(range(start + 1, index + 1))
