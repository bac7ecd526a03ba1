"""Instructions whose accesses tests record, segments of them, and threads that run these."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Word:
    """An instruction, with the displacement that it is made with."""

    word: int
    size: int
    low: int = 0
    """The bits of the displacement; 0: two registers."""
    store: bool = False
    kind: str = "register"

    def moved(self, by: int) -> int:
        """Return the word with a displacement."""
        return self.word | by & self.low


PPC = {
    "lwz": Word(0x80640000, 4, 0xFFFF),
    "stwu": Word(0x94640000, 4, 0xFFFF, True),
    "stb": Word(0x98640000, 1, 0xFFFF, True),
    "lhax": Word(0x7C642AAE, 2),
    "stwbrx": Word(0x7C642D2C, 4, 0, True, "reversed"),
    "lhbrx": Word(0x7C642E2C, 2, 0, False, "reversed"),
    "lfd": Word(0xC8240000, 8, 0xFFFF, False, "raw"),
    "stfs": Word(0xD0240000, 4, 0xFFFF, True, "raw"),
}
PPC64 = PPC | {
    "ld": Word(0xE8640000, 8, 0xFFFC),
    "lwa": Word(0xE8640002, 4, 0xFFFC),
    "std": Word(0xF8640000, 8, 0xFFFC, True),
    "stdbrx": Word(0x7C642D28, 8, 0, True, "reversed"),
}
SPARC = {
    "ld": Word(0xD2022000, 4, 0x1FFF),
    "lduh": Word(0xD2120009, 2),
    "stb": Word(0xD22A2000, 1, 0x1FFF, True),
    "ldd": Word(0xD41A2000, 8, 0x1FFF, False, "raw"),
    "stdf": Word(0xC53A0009, 8, 0, True, "raw"),
}
MACHINES = {
    "ppc": (4, "big", PPC),
    "ppc64": (8, "big", PPC64),
    "ppc64le": (8, "little", PPC64),
    "sparc-v8": (4, "big", SPARC),
}
"""Width of a word, order of bytes, and instructions, by the producer's word."""
NOP = 0x60000000


@dataclass(frozen=True)
class Item:
    """One access of a segment."""

    name: str
    moved: int = 0
    """The displacement of the instruction."""
    addend: int = 0
    value_addend: int = 0
    value: str = "slot"
    """Or "constant", or "unknown"."""
    shares: bool = False
    """The base is the one before this item's."""
    whole: bool = False


@dataclass
class Segment:
    """A segment with the place of its code."""

    label: int
    items: list[Item]
    words: list[Word]
    pcs: list[int]
    """Link addresses of the accesses."""
    slots: list[tuple[int, int, int]]
    length: int


@dataclass
class Does:
    """What one access does: numbers in registers, and bytes in memory."""

    base: int = 0
    index: int = 0
    data: int = 0
    """The register, or as many bytes of memory, as a big-endian number."""


@dataclass
class Thread:
    """One thread while its records are written."""

    number: int
    tid: int
    events: int = -1
    """Its chunk of events."""
    at: int = 0
    chunk: int = 0
    cursor: int = 0
    expected: list[tuple[int, bytes]] = field(default_factory=list)
    """Records with the order they begin with; 0: they follow those before."""
    order: int = 0
    """Of its run."""
    interrupted: list[tuple[int, int]] = field(default_factory=list)
    """The chunks and places in which interrupted code goes on."""
    spare: tuple[int, int] = (0, 0)
    later: list[tuple[int, bytes]] = field(default_factory=list)
    """What comes after the handlers that run, with their signals' numbers."""
