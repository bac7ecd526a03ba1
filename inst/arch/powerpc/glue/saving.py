"""What PowerPC's entries save around the call of a hook, and where in their frame."""

from __future__ import annotations

from dataclasses import dataclass

VOLATILE = ("r0", *(f"r{n}" for n in range(3, 13)))
FLOATS, VECTORS, WIDE_VECTORS = 14, 20, 32
"""How many floating-point, vector and VSX registers entries save: the first ones, which a call may
change."""
FLOAT_ROOM = 8 * (FLOATS + 2)
"""Bytes for those of floating point, fpscr, and what aligns."""
VECTOR_ROOM = 16 * (VECTORS + 1)
"""Bytes for vector registers and vscr."""
CONDITIONS = frozenset(("cr0", "cr1", "cr5", "cr6", "cr7"))
"""Fields of the condition register that a call may change."""


@dataclass(frozen=True, slots=True)
class Saving:
    """What is saved around the call, and where in the frame."""

    frame: int
    offsets: dict[str, int]
    """General registers, and cr, ctr, xer, lr where they need saving."""
    floats: int
    """Where the floating-point registers are saved; 0: nowhere."""
    vectors: int
    """Where the vector registers are saved, if the machine has them; 0: nowhere."""
    scratch: int = 0
    """A doubleword for one more register, where an ABI's entries need it."""

    @property
    def float_places(self) -> list[tuple[int, int]]:
        """Return the numbers of floating-point registers, and where each is saved."""
        return [(n, self.floats + 8 * n) for n in range(FLOATS)]

    @property
    def fpscr(self) -> int:
        """Return where fpscr is saved."""
        return self.floats + 8 * FLOATS

    @property
    def vector_places(self) -> list[tuple[int, int]]:
        """Return the numbers of vector registers, and where each is saved."""
        return [(n, self.vectors + 16 * n) for n in range(VECTORS)]

    @property
    def vscr(self) -> int:
        """Return where vscr is saved."""
        return self.vectors + 16 * VECTORS

    @property
    def wide_places(self) -> list[tuple[int, int]]:
        """Return the numbers of VSX registers, and where each is saved where there are any."""
        return [(n, self.vectors + VECTOR_ROOM + 16 * n) for n in range(WIDE_VECTORS)]
