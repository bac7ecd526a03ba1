"""What the oracle needs to know of a linked program: its users' code, word by word."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from elftools.elf.elffile import ELFFile

from truth.machine import MemoryWord, memory_word, words

_INPUT_SECTION = re.compile(r"^ (\.text\S*)\s+0x([0-9a-f]+)\s+0x([0-9a-f]+) (\S.*)$", re.M)
_R_SPARC_GOTDATA_OP = 84


@dataclass(frozen=True, slots=True)
class Piece:
    """A code section of one of the user's objects, as linked."""

    section: str
    low: int
    high: int
    object: str


@dataclass(frozen=True, slots=True)
class Binary:
    """A linked program."""

    path: Path
    isa: str
    bits: int
    pieces: list[Piece]
    code: dict[int, int]
    """Address -> instruction word, of the user's objects."""
    functions: dict[str, list[tuple[int, int]]]
    """Name -> ranges: static functions of several files may share a name."""
    relaxed: frozenset[int]
    """Addresses of GOT loads that the linker may have turned into additions."""

    def memory(self, address: int) -> MemoryWord | None:
        """Return what the instruction at an address does to memory."""
        word = self.code.get(address)
        return None if word is None else memory_word(self.isa, word)


def read_binary(
    path: Path, link_map: Path, isa: str, objects: Iterable[str], directory: Path = Path()
) -> Binary:
    """Read a program; `objects` are the user's object files as the linker was given them.

    `directory` is where the linker ran.
    """
    wanted = set(objects)
    pieces = [piece for piece in _pieces(link_map) if piece.object in wanted]
    with path.open("rb") as stream:
        elf = ELFFile(stream)
        bits = elf.elfclass
        code = dict(_code(elf, pieces))
        functions: dict[str, list[tuple[int, int]]] = {}
        for name, low, high in _functions(elf):
            if low in code:
                functions.setdefault(name, []).append((low, high))
    return Binary(path, isa, bits, pieces, code, functions, frozenset(_relaxed(pieces, directory)))


def _pieces(link_map: Path) -> Iterator[Piece]:
    # Sections dropped by the linker are listed first, at address 0.
    for name, address, size, source in _INPUT_SECTION.findall(link_map.read_text()):
        low, length = int(address, 16), int(size, 16)
        if low and length:
            yield Piece(name, low, low + length, source)


def _code(elf: ELFFile, pieces: list[Piece]) -> Iterator[tuple[int, int]]:
    for section in elf.iter_sections():
        start, end = section["sh_addr"], section["sh_addr"] + section["sh_size"]
        if not section["sh_flags"] & 4:  # executable
            continue
        data = section.data()
        for piece in pieces:
            if start <= piece.low and piece.high <= end:
                for offset, word in words(data[piece.low - start : piece.high - start]):
                    yield piece.low + offset, word


def _functions(elf: ELFFile) -> Iterator[tuple[str, int, int]]:
    for symbol in elf.get_section_by_name(".symtab").iter_symbols():
        if symbol["st_info"]["type"] == "STT_FUNC" and symbol["st_size"]:
            yield symbol.name, symbol["st_value"], symbol["st_value"] + symbol["st_size"]


def _relaxed(pieces: list[Piece], directory: Path) -> Iterator[int]:
    for piece in pieces:
        archive, _, member = piece.object.partition("(")
        path = directory / archive
        if member:  # archive(member): the member's object lies beside its archive
            path = path.with_name(member.rstrip(")"))
        with path.open("rb") as stream:
            section = ELFFile(stream).get_section_by_name(f".rela{piece.section}")
            for entry in section.iter_relocations() if section else ():
                if entry["r_info_type"] == _R_SPARC_GOTDATA_OP:
                    yield piece.low + entry["r_offset"]
