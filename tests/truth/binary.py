"""What the oracle needs to know of a linked program: its users' code, word by word."""

from __future__ import annotations

import io
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from elftools.elf.elffile import ELFFile
from elftools.elf.relocation import RelocationSection

from inst.objects.archive import read_members
from inst.program.sitetable import read_sites
from truth.machine import MemoryWord, memory_word, shape
from truth.tables import FUNCTION, Symbol, relocations, symbols, words

_INPUT_SECTION = re.compile(r"^ (\.text\S*)\s+0x([0-9a-f]+)\s+0x([0-9a-f]+) (\S.*)$", re.M)
_R_PPC64_CALL, _R_PPC64_RELATIVE = 10, 22
_PLT_SEQUENCE = {"EM_PPC": frozenset((29, 31, 119)), "EM_PPC64": frozenset((60, 119, 121))}
"""PLT16_LO(_DS), PLTSEQ(_NOTOC) and the like: words that the linker may turn into nops."""
_R_PPC64_PLTCALL = frozenset((120, 122))
"""PLTCALL, PLTCALL_NOTOC: after the call the TOC pointer is loaded, or there is a nop."""
_R_PPC64_TOC16 = frozenset((63, 64))
"""TOC16_DS, TOC16_LO_DS: loads of an entry of the TOC."""
_RESERVED = 0xFF00
"""From this number on a symbol's section is none (SHN_LORESERVE)."""
_NOPS = (bytes.fromhex("60000000"), bytes.fromhex("00000060"))
"""A nop, with the highest byte first and with the lowest."""
_PAST = {"sparc": 0x20800002, "powerpc": 0x48000008}
"""What leads past one instruction; on PowerPC, where programs do that too, past a load of r1."""
_WRITERS = ("/wrappers-", "/libc.a(", "/libm.a(")
_WRAPPER = "inst.wrap."
"""What the symbol of inst's wrapper of a library function begins with."""


_DCBZ = 31 << 26 | 1014 << 1
_LINES = {32: 32, 64: 128}
"""Bytes that dcbz clears on QEMU's default processors of so many bits: not encoded in the word."""


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
    """Address -> instruction word, of the user's objects; of two the first is above the second."""
    functions: dict[str, list[tuple[int, int]]]
    """Name -> ranges: static functions of several files may share a name."""
    relaxed: frozenset[int]
    """Addresses where the linker may put a reload of the TOC pointer in place of a nop."""
    runs: dict[int, int] = field(default_factory=dict)
    """Sites of instructions that never run -> what runs instead, whose word here is theirs."""
    little: bool = False
    """Whether the lowest byte of a number comes first."""
    entries: dict[int, str] = field(default_factory=dict)
    """Loads from the TOC -> the symbol whose address they load."""
    wrapped: frozenset[str] = frozenset()
    """Library functions that the program has by inst's wrappers of them."""
    atomic_calls: frozenset[int] = frozenset()
    """Where the user's code calls functions of libatomic: their accesses have these places."""
    writers: tuple[tuple[int, int], ...] = ()
    """Ranges of what else writes memory that the user's code reads: inst's wrappers of library
    functions, and a C library in the program itself; all outside of it is watched anyway."""

    def only(self, addresses: Collection[int]) -> Binary:
        """Return the file with nothing but some of its code."""
        chosen = set(addresses)
        return replace(self, code={a: w for a, w in self.code.items() if a in chosen})

    def without(self, addresses: Collection[int]) -> Binary:
        """Return the file without some of its code."""
        return self.only(self.code.keys() - set(addresses))

    def memory(self, address: int) -> MemoryWord | None:
        """Return what the instruction at an address does to memory."""
        word = self.code.get(address)
        known = None if word is None else memory_word(self.isa, word)
        if known and word and self.isa == "powerpc" and word & 0xFC0007FE == _DCBZ:
            return replace(known, size=_LINES[self.bits])
        return known

    def sites(self) -> set[int]:
        """Return where what the site table names runs."""
        return {self.runs.get(site.address, site.address) for site in read_sites(self.path)}

    def shape(self, address: int) -> int:
        """Return what instrumenting leaves of an access."""
        return shape(self.isa, self.code[address])


def read_binary(
    path: Path, link_map: Path, isa: str, objects: Iterable[str], directory: Path = Path()
) -> Binary:
    """Read a program; `objects` are the user's object files as the linker was given them.

    `directory` is where the linker ran.
    """
    wanted = set(objects)
    linked = list(_pieces(link_map))
    pieces = [piece for piece in linked if piece.object in wanted]
    writers = tuple(
        (one.low, one.high) for one in linked if any(name in one.object for name in _WRITERS)
    )
    with path.open("rb") as stream:
        elf = ELFFile(stream)
        bits = elf.elfclass
        code, table = dict(_code(elf, pieces)), symbols(elf)
        functions: dict[str, list[tuple[int, int]]] = {}
        for name, low, high in _functions(elf, table):
            if low in code:
                functions.setdefault(name, []).append((low, _end_of_code(code, low, high)))
        wrapped = frozenset(
            one.name.removeprefix(_WRAPPER) for one in table if one.name.startswith(_WRAPPER)
        )
        calls = frozenset(_atomic_calls(elf, table, isa))
        little = elf.little_endian
    relaxed: set[int] = set()
    entries: dict[int, str] = {}
    for piece, of_object, section in _relocations(pieces, directory):
        relaxed |= {piece.low + n for n in _relaxed(of_object, section)}
        entries |= {piece.low + n: name for n, name in _entries(of_object, section)}
    runs = replaced(isa, code, path)
    code = _with_prefixes(code) if bits == 64 and isa == "powerpc" else code
    code |= {place: code[at] for at, place in runs.items()}
    for at in runs:
        del code[at]
    return Binary(
        path, isa, bits, pieces, code, functions, frozenset(relaxed), runs, little=little,
        entries=entries, wrapped=wrapped, writers=writers,
        atomic_calls=calls,
    )  # fmt: skip


def _with_prefixes(code: dict[int, int]) -> dict[int, int]:
    """Return code in which instructions of two words are one number, at the first one's address."""
    found, end = dict[int, int](), 0
    for at in sorted(code):
        if at >= end:
            two = code[at] >> 26 == 1 and at + 4 in code
            found[at] = code[at] << 32 | code[at + 4] if two else code[at]
            end = at + 8 if two else at + 4
    return found


def replaced(isa: str, code: dict[int, int], path: Path) -> dict[int, int]:
    """Return the sites of instructions that never run -> where something runs instead."""
    sites = {site.address for site in read_sites(path)}
    return {at: place for at in sites if (place := _instead(isa, code, at))}


def all_code(path: Path) -> dict[int, int]:
    """Return every word of a file's code sections, by address."""
    with path.open("rb") as stream:
        return _all_code(ELFFile(stream))


def _all_code(elf: ELFFile) -> dict[int, int]:
    code: dict[int, int] = {}
    for section in elf.iter_sections():
        if section["sh_flags"] & 4 and section["sh_type"] == "SHT_PROGBITS":
            found, start = words(section.data(), elf.little_endian), section["sh_addr"]
            code.update(zip(range(start, start + 4 * len(found), 4), found, strict=True))
    return code


def atomic_calls(path: Path, isa: str) -> set[int]:
    """Return where a file's code calls inst's wrappers of the functions of libatomic."""
    with path.open("rb") as stream:
        elf = ELFFile(stream)
        return _atomic_calls(elf, symbols(elf), isa)


def _atomic_calls(elf: ELFFile, table: list[Symbol], isa: str) -> set[int]:
    wrappers = {one.value for one in table if one.name.startswith(f"{_WRAPPER}__atomic_")}
    code = _all_code(elf) if wrappers else {}
    return {at for at, word in code.items() if _called(isa, at, word) in wrappers}


def _called(isa: str, at: int, word: int) -> int | None:
    """Return where an instruction calls (`call`; `bl`), if it does."""
    bits, is_call = (
        (30, word >> 30 == 1) if isa == "sparc" else (24, word & 0xFC000003 == 0x48000001)
    )
    if not is_call:
        return None
    words = (word if isa == "sparc" else word >> 2) & (1 << bits) - 1
    words -= (words >> bits - 1) << bits
    return (at + 4 * words) & 0xFFFFFFFF


def _instead(isa: str, code: dict[int, int], at: int) -> int | None:
    """Return what runs in the place of an instruction that a jump leads past; None if it runs."""
    if code.get(at - 4) != _PAST[isa] or (isa == "powerpc" and code[at] >> 21 & 31 != 1):
        return None
    return at + 4 if memory_word(isa, code.get(at + 4, 0)) else at - 8


def linked_objects(link_map: Path) -> set[str]:
    """Return the objects that a program has code of, as the linker's map names them."""
    return {piece.object for piece in _pieces(link_map)}


def code_of(link_map: Path, objects: Collection[str]) -> list[tuple[int, int]]:
    """Return the ranges of the code of some objects."""
    return [(one.low, one.high) for one in _pieces(link_map) if one.object in objects]


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
                part = words(data[piece.low - start : piece.high - start], elf.little_endian)
                yield from zip(range(piece.low, piece.low + 4 * len(part), 4), part, strict=True)


def _functions(elf: ELFFile, table: list[Symbol]) -> Iterator[tuple[str, int, int]]:
    described = _described(elf)
    for symbol in table:
        if symbol.kind == FUNCTION and symbol.size:
            start = described.get(symbol.value, symbol.value)
            yield symbol.name, start, start + symbol.size


def _end_of_code(code: dict[int, int], low: int, high: int) -> int:
    """Return where a function ends but for its traceback table, which a word of 0 begins."""
    return next((at for at in range(low, high, 4) if code.get(at) == 0), high)


def _described(elf: ELFFile) -> dict[int, int]:
    """Return where the code of each function descriptor starts (64-bit PowerPC ELFv1)."""
    section = elf.get_section_by_name(".opd")
    if section is None:
        return {}
    data, start = section.data(), section["sh_addr"]
    found = {start + n: int.from_bytes(data[n : n + 8], "big") for n in range(0, len(data), 8)}
    moved = elf.get_section_by_name(".rela.dyn")
    for entry in relocations(elf, moved) if moved else ():
        if entry.kind == _R_PPC64_RELATIVE and entry.offset in found:
            found[entry.offset] = entry.addend
    return found


def _relocations(
    pieces: list[Piece], directory: Path
) -> Iterator[tuple[Piece, ELFFile, RelocationSection]]:
    for piece in pieces:
        elf = ELFFile(io.BytesIO(_object(piece.object, directory)))
        section = elf.get_section_by_name(f".rela{piece.section}")
        if section:
            yield piece, elf, section


def _object(name: str, directory: Path) -> bytes:
    """Return an object as a link map names it: FILE, or ARCHIVE(MEMBER)."""
    archive, _, member = name.partition("(")
    path = directory / archive
    if not member:
        return path.read_bytes()
    beside = path.with_name(member.rstrip(")"))  # a member's object may lie beside its archive
    return beside.read_bytes() if beside.exists() else _members(path)[member.rstrip(")")]


@cache
def _members(archive: Path) -> dict[str, bytes]:
    """Return the members of an archive by their names."""
    return {one.name: one.content for one in read_members(str(archive), archive.read_bytes())}


def _entries(elf: ELFFile, section: RelocationSection) -> Iterator[tuple[int, str]]:
    """Yield offsets of loads from 64-bit PowerPC's TOC, and the symbols of the entries."""
    toc = elf.get_section_by_name(".rela.toc")
    if elf["e_machine"] != "EM_PPC64" or toc is None:
        return
    table = symbols(elf)
    held = {entry.offset: table[entry.symbol].name for entry in relocations(elf, toc)}
    for entry in relocations(elf, section):
        if entry.kind in _R_PPC64_TOC16 and entry.addend in held:
            base = table[entry.symbol].section
            if base < _RESERVED and elf.get_section(base).name == ".toc":
                yield entry.offset & ~3, held[entry.addend]


def _relaxed(elf: ELFFile, section: RelocationSection) -> Iterator[int]:
    """Yield offsets of words that only the linker decides about around calls.

    It turns nops into reloads of the TOC pointer, and calls by way of the PLT into direct ones.
    """
    machine = elf["e_machine"]
    if machine not in _PLT_SEQUENCE:
        return
    code = elf.get_section(section["sh_info"]).data()
    is_64_bit = machine == "EM_PPC64"
    for entry in relocations(elf, section):
        offset = entry.offset & ~3
        is_before_nop = entry.kind == _R_PPC64_CALL and code[offset + 4 : offset + 8] in _NOPS
        if entry.kind in _PLT_SEQUENCE[machine]:
            yield offset
        elif is_64_bit and (entry.kind in _R_PPC64_PLTCALL or is_before_nop):
            yield offset + 4
