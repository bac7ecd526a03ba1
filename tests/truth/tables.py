"""The tables of ELF files, read at once: pyelftools reads them an entry and a field at a time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import Section

FUNCTION = 2
"""The kind of a symbol that is a function: STT_FUNC."""
_SYMBOL = {
    32: [("name", "u4"), ("value", "u4"), ("size", "u4"), ("info", "u1"), ("other", "u1"),
         ("section", "u2")],
    64: [("name", "u4"), ("info", "u1"), ("other", "u1"), ("section", "u2"), ("value", "u8"),
         ("size", "u8")],
}  # fmt: skip
"""Elf32_Sym and Elf64_Sym."""
_RELOCATION = {
    32: [("offset", "u4"), ("info", "u4"), ("addend", "i4")],
    64: [("offset", "u8"), ("info", "u8"), ("addend", "i8")],
}
"""Elf32_Rela and Elf64_Rela."""
_KIND_BITS = {32: 8, 64: 32}
"""How many bits of a relocation's `info` are its kind; the symbol's number is above these."""


class Symbol(NamedTuple):
    """A row of a symbol table."""

    name: str
    value: int
    size: int
    kind: int
    section: int
    """The number of its section; from 0xff00 on it has none."""


class Relocation(NamedTuple):
    """A row of a table of relocations."""

    offset: int
    kind: int
    symbol: int
    addend: int


def symbols(elf: ELFFile) -> list[Symbol]:
    """Return the rows of `.symtab`, in order."""
    section = elf.get_section_by_name(".symtab")
    rows = _rows(elf, section, _SYMBOL)
    names = elf.get_section(section["sh_link"]).data()
    columns = (rows[one].tolist() for one in ("name", "value", "size", "info", "section"))
    return [
        Symbol(names[at : names.index(b"\0", at)].decode(), value, size, info & 15, number)
        for at, value, size, info, number in zip(*columns, strict=True)
    ]


def relocations(elf: ELFFile, section: Section) -> list[Relocation]:
    """Return the rows of a section of the type SHT_RELA, in order."""
    rows, bits = _rows(elf, section, _RELOCATION), _KIND_BITS[elf.elfclass]
    columns = (rows[one].tolist() for one in ("offset", "info", "addend"))
    return [
        Relocation(offset, info & (1 << bits) - 1, info >> bits, addend)
        for offset, info, addend in zip(*columns, strict=True)
    ]


def words(data: bytes, little: bool = False) -> list[int]:
    """Return the words of some code."""
    return np.frombuffer(data, "<u4" if little else ">u4", len(data) // 4).tolist()


def _rows(
    elf: ELFFile, section: Section, fields: dict[int, list[tuple[str, str]]]
) -> np.ndarray[tuple[int], np.dtype[np.void]]:
    kind = np.dtype(fields[elf.elfclass]).newbyteorder("<" if elf.little_endian else ">")
    return np.frombuffer(section.data(), kind)
