"""Where exceptions that pass through a call go on, from a program's tables of call sites.

The tables (`.gcc_except_table`, found by way of `.eh_frame`) are read as the C++ ABI's run-time
library does: of each range of code where its landing pad is.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from elftools.dwarf.callframe import FDE
from elftools.elf.elffile import ELFFile

_OMITTED, _ULEB128, _DATA4, _PC_RELATIVE_DATA4 = 0xFF, 0x01, 0x03, 0x1B
"""Encodings of numbers, DW_EH_PE_omit and so on."""
Row = tuple[int, int, int]
"""First address, end, and landing pad."""


@dataclass(slots=True)
class _Bytes:
    """A table that is read from a place on."""

    data: bytes
    address: int
    """Of its first byte."""
    order: str
    at: int

    def number(self, encoding: int) -> int:
        """Read a number; of those that are relative, where they point."""
        here = self.address + self.at
        if encoding in (_DATA4, _PC_RELATIVE_DATA4):
            self.at += 4
            relative = encoding == _PC_RELATIVE_DATA4
            word = self.data[self.at - 4 : self.at]
            value = int.from_bytes(word, self.order, signed=relative)  # type: ignore[arg-type]
            return here + value if relative else value
        assert encoding == _ULEB128, f"encoding {encoding:#x}"
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def byte(self) -> int:
        """Read a byte."""
        self.at += 1
        return self.data[self.at - 1]


@dataclass(slots=True)
class LandingPads:
    """The landing pads of a program, by the calls that they belong to."""

    rows: list[Row] = field(default_factory=list)
    _starts: list[int] = field(default_factory=list)

    @property
    def places(self) -> set[int]:
        """Where they are."""
        return {pad for _, _, pad in self.rows if pad}

    def of(self, back: int) -> int:
        """Return where an exception goes on that a call lets through; 0: in no landing pad.

        `back` is the address to which the call would return.
        """
        place = bisect.bisect_right(self._starts, back - 1) - 1
        if place < 0 or back > self.rows[place][1]:
            return 0
        return self.rows[place][2]


def read_landing_pads(program: Path) -> LandingPads:
    """Read the tables of a program; one without exceptions has none."""
    with program.open("rb") as stream:
        elf = ELFFile(stream)
        section = elf.get_section_by_name(".gcc_except_table")
        if section is None:
            return LandingPads()
        order = "little" if elf.little_endian else "big"
        table = _Bytes(section.data(), section["sh_addr"], order, 0)
        rows = []
        for entry in elf.get_dwarf_info(relocate_dwarf_sections=False).EH_CFI_entries():
            if isinstance(entry, FDE) and entry.lsda_pointer:
                table.at = entry.lsda_pointer - table.address
                rows += _rows(table, entry["initial_location"])
    rows.sort()
    return LandingPads(rows, [start for start, _, _ in rows])


def _rows(table: _Bytes, function: int) -> Iterator[Row]:
    """Yield the call sites of a function."""
    encoding = table.byte()
    base = function if encoding == _OMITTED else table.number(encoding)
    if table.byte() != _OMITTED:
        table.number(_ULEB128)
    encoding = table.byte()
    end = table.number(_ULEB128)
    end += table.at
    while table.at < end:
        start, size, pad = (table.number(encoding) for _ in range(3))
        table.number(_ULEB128)
        yield function + start, function + start + size, base + pad if pad else 0
