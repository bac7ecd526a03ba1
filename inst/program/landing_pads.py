"""Where exceptions go on: the call sites of .gcc_except_table that have a landing pad.

Each row of .eh_frame (Linux Standard Base, "Exception Frames") names a function and its table
(the Itanium C++ ABI's exception handling tables): ranges of code, and the landing pad of each. No
length that a table states is trusted: each row takes bytes of the section, and no two tables the
same ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from inst.common.elf import Elf, reading
from inst.program.cursor import Cursor

_OMITTED = 0xFF
_RELATIVE, _INDIRECT = 0x10, 0x80
_FORMS = {0x00: 0, 0x02: 2, 0x03: 4, 0x04: 8, 0x0A: 2, 0x0B: 4, 0x0C: 8}
"""Size of each form of pointer; 0: an address."""
_ULEB128, _SIGNED = 0x01, 0x08

Row = tuple[int, int, int]
"""First address of a range of code, its end, and the landing pad of calls in it."""


@dataclass(frozen=True, slots=True)
class _Common:
    """What the functions that refer to one common entry share."""

    pointers: int
    """How their addresses are encoded."""
    tables: int
    """The same of their tables' addresses."""


def read_landing_pads(elf: Elf) -> Iterator[Row]:
    """Yield the ranges of code with a landing pad; none if the program has no tables."""
    frames, sites = elf.section(".eh_frame"), elf.section(".gcc_except_table")
    if frames is None or sites is None:
        return
    with reading(elf.path, "exception tables"):
        order = "little" if elf.is_little else "big"
        table, taken = _Pointers(*sites, order, elf.width // 8), 0
        for function, address in _functions(_Pointers(*frames, order, elf.width // 8)):
            if table.start <= address < table.start + len(table.data):
                begin = table.at = address - table.start
                yield from _call_sites(table, function)
                taken += table.at - begin
                if taken > len(table.data):
                    raise ValueError("tables overlap")


class _Pointers(Cursor):
    """A position in a section with encoded pointers."""

    def __init__(self, data: bytes, start: int, order: str, address_size: int) -> None:
        super().__init__(data, order)
        self.start = start
        self._address_size = address_size

    def pointer(self, encoding: int) -> int:
        """Return an address that is not omitted; what it is relative to is in `encoding`."""
        here = self.start + self.at
        if encoding & 0x0F == _ULEB128:
            value = self.unsigned()
        else:
            size = _FORMS[encoding & 0x0F] or self._address_size
            value = self.number(size)
            if encoding & _SIGNED and value >> 8 * size - 1:
                value -= 1 << 8 * size
        if encoding & 0x70 not in (0, _RELATIVE) or encoding & _INDIRECT:
            raise ValueError
        return value + here & (1 << 64) - 1 if encoding & _RELATIVE else value


def _functions(cursor: _Pointers) -> Iterator[tuple[int, int]]:
    """Yield address and table of each function that has one."""
    common = dict[int, _Common]()
    while cursor.at + 4 <= len(cursor.data):
        begin, length = cursor.at, cursor.number(4)
        if length == 0:
            continue  # the end of what one object file has
        entry = cursor.at
        end = entry + length
        distance = cursor.number(4)
        if distance == 0:
            common[begin] = _read_common(cursor)
        elif (shared := common.get(entry - distance)) and shared.tables != _OMITTED:
            function = cursor.pointer(shared.pointers)
            cursor.pointer(shared.pointers & 0x0F)
            cursor.unsigned()
            here, table = cursor.at, cursor.pointer(shared.tables & 0x0F)
            if table:
                cursor.at = here
                yield function, cursor.pointer(shared.tables)
        cursor.at = end


def _read_common(cursor: _Pointers) -> _Common:
    """Read what a common entry says of the rows that refer to it."""
    cursor.number(1)
    letters = cursor.text().decode("latin-1")
    cursor.unsigned()
    cursor.signed()
    cursor.unsigned()
    pointers, tables = 0, _OMITTED
    if letters.startswith("z"):
        cursor.unsigned()
    for letter in letters[1:]:
        if letter == "R":
            pointers = cursor.number(1)
        elif letter == "L":
            tables = cursor.number(1)
        elif letter == "P":
            cursor.pointer(cursor.number(1) & 0x0F)
    return _Common(pointers, tables)


def _call_sites(table: _Pointers, function: int) -> Iterator[Row]:
    """Yield the call sites of a function."""
    encoding = table.number(1)
    base = function if encoding == _OMITTED else table.pointer(encoding)
    if table.number(1) != _OMITTED:
        table.unsigned()
    encoding = table.number(1)
    length = table.unsigned()
    end = table.at + length
    while table.at < end:
        first, size, pad = (table.pointer(encoding) for _ in range(3))
        table.unsigned()
        if pad:
            yield function + first, function + first + size, base + pad
