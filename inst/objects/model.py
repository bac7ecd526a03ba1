"""A relocatable object as values: sections with their relocations, and symbols."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from inst.errors import InstError

UNDEFINED, ABSOLUTE, COMMON = 0, 0xFFF1, 0xFFF2
"""Numbers of sections (st_shndx) that stand for none."""
OF_GROUP = -1
"""The section of symbols that are only the signature of a group."""
LOCAL, GLOBAL, WEAK, UNIQUE = 0, 1, 2, 10
"""Bindings of symbols."""
FUNCTION, SECTION, FILE, TLS = 2, 3, 4, 6
"""Types of symbols that are asked for."""
PROGBITS, NOBITS, ATTRIBUTES = 1, 8, 0x6FFFFFF5
"""Types of sections that are asked for."""
ALLOC, EXECUTE, MERGE, STRINGS = 2, 4, 16, 32
LINK_ORDER, IN_GROUP = 0x80, 0x200
"""Flags of sections."""
Place = tuple[int, int]
"""Index of a section, and an offset in it."""


@dataclass(frozen=True, slots=True)
class Symbol:
    """One row of the symbol table."""

    index: int
    name: str
    value: int
    """Offset in the section; alignment for common symbols."""
    size: int
    kind: int
    """STT_*."""
    binding: int
    """STB_*."""
    other: int
    """st_other: the visibility in two bits; on ppc64le the local entry in the upper three."""
    section: int
    """Its index, or UNDEFINED, ABSOLUTE, COMMON, OF_GROUP."""


@dataclass(frozen=True, slots=True)
class Relocation:
    """One row of a section's relocations."""

    offset: int
    """Where in the section."""
    kind: int
    symbol: int
    """Index of a symbol; 0 for none."""
    addend: int
    extra: int = 0
    """The number that SPARC's R_SPARC_OLO10 adds after it has taken the low bits."""


@dataclass(frozen=True, slots=True)
class Section:
    """A section that is not itself about symbols, names, relocations or groups."""

    index: int
    name: str
    kind: int
    """SHT_*."""
    flags: int
    size: int
    align: int
    entry: int
    """sh_entsize."""
    data: bytes
    """Empty for SHT_NOBITS."""
    relocations: tuple[Relocation, ...]
    """In the order of the file."""
    group: str = ""
    """The signature of the group that it belongs to."""
    comdat: bool = False
    """The group is one of which linkers keep one."""
    ordered: int = 0
    """Index of the section that SHF_LINK_ORDER names."""

    @property
    def is_code(self) -> bool:
        """Return whether it holds instructions."""
        return bool(self.flags & EXECUTE) and self.kind == PROGBITS


@dataclass(frozen=True)
class ObjectFile:
    """A relocatable object."""

    name: str
    """What errors call it."""
    machine: int
    """e_machine."""
    flags: int
    """e_flags."""
    bits: int
    byte_order: str
    sections: tuple[Section, ...]
    symbols: tuple[Symbol, ...]

    @cached_property
    def by_index(self) -> dict[int, Section]:
        """Return the sections by their index in the file."""
        return {section.index: section for section in self.sections}


def refused(found: ObjectFile, section: Section, offset: int, reason: str) -> InstError:
    """Return the error for an object into which code cannot be inserted, with the place."""
    return InstError(
        f"{found.name}: {section.name}+{offset:#x}: {reason}",
        hint="leave this object as it is, or compile its source with inst-cc",
    )
