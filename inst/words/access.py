"""What an instruction word does with memory: one value, for both instruction sets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy.typing as npt

Array = npt.NDArray[Any]
Words = TypeVar("Words", int, Array)
"""A word, or a column of words: functions of fields are for both."""

READ, WRITE, BOTH = 1, 2, 3
"""What an access does; BOTH reads and writes in one instruction."""
MULTIPLE_BIT, RESERVE_BIT = 4, 8
"""Added to these in the columns that `lookup` returns."""

_SEVERAL = frozenset({"multiple", "counted", "indexed_string", "length"})
_RESERVATIONS = frozenset({"reserve", "conditional"})
_ACCESS = re.compile(r"([RWB])(\d+)(s?)")


@dataclass(frozen=True, slots=True)
class Access:
    """The memory access of an instruction."""

    mnemonic: str
    what: int
    size: int
    """Bytes; of one element for `multiple`; 0 when known only at run time."""
    value: str = "general"
    """Where the value is, and in which order: "float" and others (runtime/powerpc/decode.h)."""
    form: str = "simple"
    """How the access is done: "multiple", "reserve" and others (ibid.)."""
    bank: str = "low"
    """Which registers the field of the value's register counts (ibid.)."""
    bits: int = 32
    """The narrowest programs with this access: 64 for what only 64-bit programs contain."""
    algebraic: bool = False
    """A load that extends the sign."""

    @property
    def multiple(self) -> bool:
        """Return whether it is of several elements in a row: lmw, string forms."""
        return self.form in _SEVERAL

    @property
    def reserve(self) -> bool:
        """Return whether it makes or uses a reservation."""
        return self.form in _RESERVATIONS

    @property
    def updates(self) -> bool:
        """Return whether the base register receives the address (PowerPC)."""
        return self.mnemonic.removesuffix("x").endswith("u")

    @property
    def marks(self) -> int:
        """Return `what` with the bits of a multiple access or one that uses a reservation."""
        return self.what | self.multiple * MULTIPLE_BIT | self.reserve * RESERVE_BIT


def read_rows(
    text: str, value: str = "general", form: str = "simple", bank: str = "low", bits: int = 32
) -> Iterator[tuple[str, Access]]:
    """Yield (code, access) of a table's rows: `code mnemonic access` each.

    The access is R, W or B (both) with the number of bytes, and `s` if a load extends the sign.
    """
    for code, mnemonic, access in zip(*[iter(text.split())] * 3, strict=True):
        found = _ACCESS.fullmatch(access)
        assert found, access
        what = {"R": READ, "W": WRITE, "B": BOTH}[found[1]]
        yield code, Access(mnemonic, what, int(found[2]), value, form, bank, bits, bool(found[3]))
