"""Read a relocatable object; refuse what is none, or what cannot be taken apart."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from itertools import chain

from inst.common.elf import DamagedElf, Elf, Header, reading
from inst.errors import InstError
from inst.objects.model import (
    ALLOC,
    COMMON,
    OF_GROUP,
    SECTION,
    ObjectFile,
    Relocation,
    Section,
    Symbol,
)

_SYMBOLS, _NAMES, _ADDENDS, _NO_ADDENDS, _GROUP, _INDICES = 2, 3, 4, 9, 17, 18
_OF_THE_FILE = frozenset((0, _SYMBOLS, _ADDENDS, _NO_ADDENDS, _GROUP, _INDICES))
"""Types of sections that become directives, not sections."""
_COMDAT = 1
_EXTENDED, _RESERVED = 0xFFFF, 0xFF00
_SYMBOL = {32: "IIIBBH", 64: "IBBHQQ"}
_RELOCATION = {32: "IIi", 64: "QQq"}
_NO_SYMBOL = Symbol(0, "", 0, 0, 0, 0, 0, 0)
_LTO = ".gnu.lto_"


def read_object(name: str, content: bytes) -> ObjectFile:
    """Return the object in a file's content; `name` is what errors call it.

    Raises InstError for damaged files, programs and shared objects, stripped objects and objects
    that hold only a compiler's intermediate code.
    """
    elf = Elf(name, content)
    if not elf.is_object:
        raise InstError(
            f"{name} is not a relocatable object (ET_REL), which has relocations to read",
            hint="give the .o or .a files that the program was linked from",
        )
    headers = elf.headers()
    tables = [header for header in headers if header.kind == _SYMBOLS]
    if len(tables) > 1 or (not tables and any(h.flags & ALLOC and h.size for h in headers)):
        raise InstError(
            f"{name} has no symbol table, so its code cannot be read: it was stripped",
            hint="take the object as the compiler wrote it, or stripped by --strip-debug only",
        )
    order = "<" if elf.is_little else ">"
    with reading(name, "symbol table"):
        rows = (_symbols(headers, table, order, elf.width) for table in tables)
        symbols = tuple(chain.from_iterable(rows)) or (_NO_SYMBOL,)
    _refuse_intermediate(name, headers, symbols)
    with reading(name, "groups of sections"):
        groups = _groups(headers, symbols, order)
    with reading(name, "relocations"):
        moved = _relocations(name, headers, order, elf.width, len(symbols))
    sections = tuple(
        Section(h.index, h.name, h.kind, h.flags, h.size, max(h.align, 1), h.entry, h.data,
                moved.get(h.index, ()), *groups.get(h.index, ("", False)),
                ordered=h.link if h.flags & 0x80 else 0)
        for h in headers
        if h.kind not in _OF_THE_FILE and not _is_names(h, headers, elf)
    )  # fmt: skip
    _check_places(name, sections, symbols)
    byte_order = "little" if elf.is_little else "big"
    return ObjectFile(name, elf.machine_number, elf.flags, elf.width, byte_order, sections, symbols)


def _check_places(name: str, sections: tuple[Section, ...], symbols: tuple[Symbol, ...]) -> None:
    """Raise DamagedElf for symbols, and sections that relocations name, without a place."""
    known = {section.index for section in sections}
    used = {row.symbol for section in sections for row in section.relocations}
    for symbol in symbols:
        is_section = symbol.kind == SECTION
        may_lie = (symbol.index in used) if is_section else 0 < symbol.section < _RESERVED
        if may_lie and symbol.section not in known and symbol.index:
            raise DamagedElf(
                f"{name} is damaged: symbol {symbol.index} lies in section {symbol.section}, "
                "which has no content"
            )


def _is_names(header: Header, headers: list[Header], elf: Elf) -> bool:
    """Return whether a section holds the names of symbols or of sections."""
    return header.kind == _NAMES and header.name in (".strtab", ".shstrtab")


def _symbols(headers: list[Header], table: Header, order: str, bits: int) -> Iterator[Symbol]:
    layout = struct.Struct(order + _SYMBOL[bits])
    names = headers[table.link].data
    room = len(names) * 16
    indices = _extended_indices(headers, table, order)
    for index, row in enumerate(layout.iter_unpack(table.data)):
        if bits == 32:
            start, value, size, info, other, section = row
        else:
            start, info, other, section, value, size = row
        end = names.find(b"\0", start)
        room -= end - start
        if end < 0 or room < 0:
            raise ValueError
        if section == _EXTENDED:
            section = indices[index]
        elif 0 < section < len(headers) and headers[section].kind == _GROUP:
            section = OF_GROUP
        elif _RESERVED <= section < COMMON - 1:
            raise ValueError
        name = names[start:end].decode("utf-8", "surrogateescape")
        yield Symbol(index, name, value, size, info & 15, info >> 4, other, section)


def _extended_indices(headers: list[Header], table: Header, order: str) -> tuple[int, ...]:
    for header in headers:
        if header.kind == _INDICES and header.link == table.index:
            return struct.unpack(f"{order}{len(header.data) // 4}I", header.data)
    return ()


def _refuse_intermediate(name: str, headers: list[Header], symbols: tuple[Symbol, ...]) -> None:
    slim = any(symbol.name.lstrip("_") == "gnu_lto_slim" for symbol in symbols)
    has_code = any(h.flags & 4 and h.size for h in headers)
    if slim or (not has_code and any(h.name.startswith(_LTO) for h in headers)):
        raise InstError(
            f"{name} holds only the compiler's intermediate code (-flto), no instructions",
            hint="compile it with -ffat-lto-objects or without -flto",
        )


def _groups(
    headers: list[Header], symbols: tuple[Symbol, ...], order: str
) -> dict[int, tuple[str, bool]]:
    """Return signature and kind of the group of each section that is in one."""
    found = {}
    for header in headers:
        if header.kind != _GROUP:
            continue
        kind, *members = struct.unpack(f"{order}{len(header.data) // 4}I", header.data)
        signature = symbols[header.info]
        name = signature.name
        if not name and signature.kind == SECTION:
            name = headers[signature.section].name
        found.update(dict.fromkeys(members, (name, kind == _COMDAT)))
    return found


def _relocations(
    name: str, headers: list[Header], order: str, bits: int, symbols: int
) -> dict[int, tuple[Relocation, ...]]:
    """Return the relocations of each section, by its index."""
    layout = struct.Struct(order + _RELOCATION[bits])
    found = {}
    for header in headers:
        if header.kind == _NO_ADDENDS:
            raise InstError(f"{name} has relocations without addends (SHT_REL), which no ABI of "
                            "SPARC or PowerPC has")  # fmt: skip
        if header.kind != _ADDENDS:
            continue
        rows = [_relocation(row, bits) for row in layout.iter_unpack(header.data)]
        size = headers[header.info].size
        if any(row.offset > size or row.symbol >= symbols for row in rows):
            raise ValueError
        found[header.info] = tuple(rows)
    return found


def _relocation(row: tuple[int, int, int], bits: int) -> Relocation:
    offset, info, addend = row
    if bits == 32:
        return Relocation(offset, info & 0xFF, info >> 8, addend)
    extra = (info >> 8 & 0xFFFFFF) - ((info >> 31 & 1) << 24)  # SPARC V9's ELF64_R_TYPE_DATA
    return Relocation(offset, info & 0xFF, info >> 32, addend, extra)
