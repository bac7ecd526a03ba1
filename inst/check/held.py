"""A change of memory that is not judged yet: what comes later in the trace may explain it."""

from __future__ import annotations

from dataclasses import dataclass

from inst.check.cells import CELL
from inst.trace.model import Array


@dataclass(frozen=True, slots=True)
class Held:
    """Bytes of one cell that a row has read, and which are not what was last known of them."""

    row: Array
    """The reading event."""
    cell: int
    mask: int
    """Which bytes of the cell differ."""
    found: int
    expected: int
    record: int
    """Of the access that touched the cell last before; and its pc and thread."""
    pc: int
    other: int

    @property
    def reader(self) -> int:
        """The thread that has read, as `other` is."""
        return int(self.row["thread"]) & 0xFFFFFFFF

    @property
    def at(self) -> int:
        """The record that has read."""
        return int(self.row["record"])

    @property
    def foreign(self) -> bool:
        """Whether another thread touched the cell last before."""
        return self.other != self.reader

    @property
    def address(self) -> int:
        """The first byte that differs."""
        return self.cell * CELL + (self.mask & -self.mask).bit_length() - 1

    @property
    def size(self) -> int:
        """Bytes from the first that differs to the last."""
        return self.cell * CELL + self.mask.bit_length() - self.address
