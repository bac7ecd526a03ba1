"""A program without an operating system: its ring of records, its texts and its instructions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from inst.common.elf import Elf, Symbol
from inst.errors import InstError
from inst.trace.model import Array, Image

RINGS, FLIGHT, BUILD = "inst_rings", "inst_flight", "inst.build"
"""The symbols of the array of rings, of what code records inline instead, and of the program's
build (runtime/include/inst/ring.h and flight.h)."""
_IMAGE = "__ehdr_start"
"""The symbol from which segments are counted."""
LONGEST_TEXT = 4096
"""Bytes of a string that are read."""


@dataclass(frozen=True, slots=True)
class RingPlace:
    """Where the rings of a program lie."""

    address: int
    size: int
    """Bytes of the rings of all processors."""
    build: int
    inline: bool = False
    """It is what code records inline (`inst.formats.flight`)."""


class Firmware:
    """One ELF file; what is not in it is unknown."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._elf = Elf(path)
        self._contents = self._elf.contents()
        self._texts: dict[int, str] = {}

    @property
    def image(self) -> Image:
        """Return the program as an image that a trace names."""
        return Image(str(self.path), min((at for at, _ in self._elf.loads), default=0))

    @property
    def machine(self) -> int:
        """Return e_machine."""
        return self._elf.machine_number

    def rings(self) -> RingPlace:
        """Return where the rings lie; raise InstError for a program that has none."""
        found = self._symbols
        name = RINGS if RINGS in found else FLIGHT
        if name not in found or BUILD not in found:
            bare = not self._elf.has_section(".symtab")
            raise InstError(
                f"{self.path} has no ring of records: there is no symbol {RINGS}",
                hint="name the file as it was linked: this one has no symbols"
                if bare
                else "link it with inst-cc --inst-runtime=bare, whose hook library `ring` has one",
            )
        rings, build = found[name], found[BUILD].value & 0xFFFFFFFF
        return RingPlace(rings.value, rings.size, build, inline=name == FLIGHT)

    @cached_property
    def _symbols(self) -> dict[str, Symbol]:
        names = (RINGS, FLIGHT, BUILD, _IMAGE)
        return {one.name: one for one in self._elf.symbols(".symtab") if one.name in names}

    @property
    def image_start(self) -> int:
        """Return the address from which segments are counted: 0 where no header is loaded."""
        found = self._symbols.get(_IMAGE)
        return found.value if found else 0

    @property
    def contents(self) -> list[tuple[int, bytes]]:
        """Return the address of each segment that is loaded, and its bytes in the file."""
        return self._contents

    def has_code(self, address: int) -> bool:
        """Return whether an address is in what is loaded of the file."""
        return any(start <= address < start + len(data) for start, data in self._contents)

    def section(self, name: str) -> bytes:
        """Return a section's content; empty if there is none."""
        found = self._elf.section(name)
        return found[0] if found else b""

    def text(self, address: int) -> str:
        """Return the string at an address; its number in hexadecimal where the file has none."""
        if address not in self._texts:
            self._texts[address] = self._read_text(address)
        return self._texts[address]

    def _read_text(self, address: int) -> str:
        if not address:
            return ""
        for start, data in self._contents:
            if start <= address < start + len(data):
                at = address - start
                end = data.find(b"\0", at, at + LONGEST_TEXT)
                if end >= 0:
                    return data[at:end].decode("utf-8", "backslashreplace")
        return f"{address:#x}"

    def words(self, addresses: Array) -> tuple[Array, Array]:
        """Return the instruction words at addresses (u4), and which of them the file has."""
        words, known = np.zeros(len(addresses), "u4"), np.zeros(len(addresses), bool)
        for start, data in self._contents:
            column = np.frombuffer(data, ">u4", len(data) // 4)
            inside = (addresses >= start) & (addresses < start + 4 * len(column))
            words[inside] = column[((addresses[inside] - np.uint64(start)) // 4).astype("i8")]
            known |= inside
        return words, known
