"""Functions of the C library that touch just the memory which their arguments state.

Re-execution has the arguments of a call, so that nothing has to be recorded of such memory.
"""

from __future__ import annotations

import re

from inst.calls import touched
from inst.dataclass import dataclass

NAMES = (
    "memcpy", "memmove", "mempcpy", "memset", "memcmp", "memrchr", "bcmp", "bzero", "bcopy",
)  # fmt: skip
"""They leave errno alone, and call no other function of the program."""
_ROW = re.compile(rf"\b({'|'.join(NAMES)})\((.*)\) \|(.*)\|(.*)")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Touched:
    """What a function touches, by the numbers of its arguments, from 0."""

    size: int
    """The bytes of each range."""
    reads: tuple[int, ...]
    """Where the ranges begin that it reads, in the order in which they are reported."""
    writes: tuple[int, ...]
    """Where those begin that it has written when it returns."""


def touched_by() -> dict[str, Touched]:
    """Return what the functions touch, by their names."""
    return {row[1]: _touched(row[2], row[3], row[4]) for row in _ROW.finditer(touched.ROWS)}


def _touched(parameters: str, reads: str, writes: str) -> Touched:
    names = [_WORD.findall(one)[-1] for one in parameters.split(",")]
    ranges = [
        [[names.index(word) for word in _WORD.findall(one)] for one in part.split(";")]
        for part in (reads, writes)
    ]
    (size,) = {size for part in ranges for _, size in filter(None, part)}
    read, written = (tuple(start for start, _ in filter(None, part)) for part in ranges)
    return Touched(size, read, written)
