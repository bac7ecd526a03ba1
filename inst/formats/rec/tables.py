"""What explains the blocks: the tables of a recording, and the accesses of each segment.

A segment's row states how many words its block has, and for each access in which of them the
registers of its address and its value are. What the access is, its instruction's word states.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inst.trace.model import Array, Kind
from inst.words.model import Recorded

DENSE = 1 << 24
"""Words of code for which a table by address is made; a search is made in larger programs."""

_LONGEST_START = 64
"""Words in which the code that reserves space is searched."""
BITS = (1 << 64) - 1
"""Of an address."""

NONE, REGISTER, REVERSED, SHIFTED, TWO, HALVES = range(6)
"""How a value is taken: not at all, the low bytes of a register, those reversed, the high bytes of
a word, two words; two words that are a number each, of 16 bytes."""
WIDE = 16
"""Bytes of the largest access, which has two values."""


class Code:
    """The instructions of the program, by link address."""

    def __init__(self) -> None:
        self._parts: list[tuple[int, Array]] = []

    def add(self, address: int, words: Array) -> None:
        self._parts.append((address, words))

    def at(self, addresses: Array) -> tuple[Array, Array]:
        """Return the words at addresses, and which of these are code."""
        found, known = np.zeros(len(addresses), "u4"), np.zeros(len(addresses), bool)
        for start, words in self._parts:
            place = (addresses - np.uint64(start)) // np.uint64(4)
            inside = (addresses >= start) & (place < len(words))
            found[inside] = words[place[inside].astype("i8")]
            known |= inside
        return found, known

    def instructions(self, addresses: Array, prefix: tuple[int, int] | None) -> tuple[Array, Array]:
        """Return the instructions at addresses, as `Words.prefix` says, and which are code."""
        words, known = self.at(addresses)
        if prefix is None:
            return words, known
        mask, value = prefix
        found, rows = words.astype("u8"), np.flatnonzero(words & np.uint32(mask) == value)
        second, _ = self.at(addresses[rows].astype("u8") + np.uint64(4))
        found[rows] = found[rows] << np.uint64(32) | second
        return found, known


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a function that touches just what its arguments state: nothing, if it leaves the
    context for another one."""

    link: int
    """The link address that it returns to."""
    size: int
    """Which argument is the bytes of each range, from 0."""
    reads: tuple[int, ...]
    """Which are where ranges begin that the function reads."""
    writes: tuple[int, ...]

    @classmethod
    def of(cls, link: int, code: int) -> Call:
        """Return what the code of a row states."""
        arguments = range(4)
        reads, writes = (tuple(n for n in arguments if code >> first + n & 1) for first in (0, 4))
        return cls(link, code >> 8 & 15, reads, writes)


RANGE_KINDS = (Kind.OTHER, Kind.READ, Kind.WRITE, Kind.FRAME)
"""What functions have done with ranges; the first is no range's."""


@dataclass(frozen=True, slots=True)
class Tables:
    """The segments by the distance of their code from the start of the image, and their items."""

    distance: Array
    words: Array
    """Of a block of each segment."""
    ranges: Array
    """Whether blocks of each segment are ranges: a place in `RANGE_KINDS`."""
    first: Array
    """The first item of each segment, and at the end how many there are."""
    pc: Array
    word: Array
    size: Array
    write: Array
    base: Array
    has_base: Array
    index: Array
    addend: Array
    """With the displacement of the word."""
    value: Array
    kind: Array
    constant: Array
    align: Array
    """What addresses are rounded down to a multiple of."""
    entered: Array
    """Which are stores of registers that a function is entered with."""
    name: Array
    """Which store the name of their segment."""
    is_loose: bool
    """Values follow each other, and are no blocks."""
    mask: Array
    code: Code
    image: int
    """The link address of the start of the image."""
    bias: int
    """What is added to link addresses."""
    instrumented: Array
    """Of a recording for re-execution: starts and ends of the instrumented code, in two columns,
    its stores that are not recorded, and accesses that call hooks, by link addresses."""
    stores: Array
    hooked: Array
    windowed: Array
    """Those whose values the library `windows` may leave out."""
    left: Array
    """Instructions that are not executed again: what they leave is recorded after them."""
    calls: list[Call]
    """Whose memory re-execution reports."""
    glue: list[tuple[int, int]]
    """Where the glue of sites begins, by link addresses, and its bytes."""
    addresses: list[tuple[int, bytes]]
    """Where the tables of addresses lie that the linker has made, and what they hold."""

    @classmethod
    def empty(cls, width: int) -> Tables:
        """Return the tables of a program that has no segments."""
        none: dict[str, object] = {name: np.zeros(0, "i4") for name in cls.__slots__}
        none |= {"pc": np.zeros(0, f"u{width}"), "first": np.zeros(1, "i8")}
        none |= {
            "instrumented": np.zeros((0, 2), "u8"),
            **{name: np.zeros(0, "u8") for name in ("stores", "hooked", "windowed", "left")},
        }
        none |= {"calls": [], "glue": [], "addresses": [], "is_loose": False}
        none |= {"mask": np.zeros(0, "u8"), "size": np.zeros(0, "u1")}
        return cls(**none | {"code": Code(), "image": 0, "bias": 0})  # type: ignore[arg-type]

    def address(self, segment: int) -> int:
        """Return the address of a segment's code."""
        return self.image + int(self.distance[segment]) + self.bias & BITS

    def reserved(self, segment: int, recorded: Recorded) -> int:
        """Return the address where the space of a segment's blocks has been reserved."""
        distance = int(self.distance[segment])
        if self.is_loose:
            return self.address(segment) + 4 * (int(self.words[segment]) - 1)
        start = np.uint64(self.image + distance & BITS)
        words, known = self.code.at(start + 4 * np.arange(_LONGEST_START, dtype="u8"))
        size = int(self.words[segment]) * self.pc.dtype.itemsize
        count = recorded.reserves(words[known].astype("i8"), -distance & 0xFFFFFFFF, size)
        return self.address(segment) + 4 * count

    def dense(self) -> tuple[Array, Array]:
        """Return tables by address: how many words a block has, and which segment it is of.

        The last entry stands for all that is no segment.
        """
        places = self.distance // 4
        length = int(places[-1]) + 2 if len(places) else 1
        words, rows = np.zeros(length, "u1"), np.zeros(length, "i4")
        words[places], rows[places] = self.words, np.arange(len(places))
        return words, rows
