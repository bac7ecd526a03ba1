"""Data among code: tables of jumps without relocations, and what debuggers read after a function.

64-bit PowerPC has both. A jump table follows the jump; its entries are distances from its first
one, numbers that the assembler has computed. A traceback table follows a function's last
instruction, after a word of 0 (64-bit PowerPC ELF ABI supplement 1.9, "Traceback Tables").
On SPARC, GCC puts the jump tables of position-independent code before the functions of their
section (.subsection -1), and code has the distance from them to the GOT.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from inst.objects.model import ObjectFile, Place, Section

_WORD = 4


@dataclass(frozen=True, slots=True)
class CodeData:
    """What an instruction set has among its code."""

    jump: int = -1
    """The word of the jump that a table follows; -1: tables are elsewhere, with relocations."""
    tracebacks: Callable[[bytes, str], Iterable[Traceback]] = lambda _data, _order: ()
    """Return the tables that may begin with the first byte, in that byte order."""


@dataclass(frozen=True, slots=True)
class Traceback:
    """The table that follows a function."""

    size: int
    """Bytes, whole words."""
    distance: int = 0
    """Where in it the function's length is, a word; 0: nowhere."""


def jump_targets(words: Sequence[int], table: int, begin: int, end: int) -> list[int]:
    """Return where the entries of a jump table lead, which lies in the function from `begin` to
    `end`; offsets in bytes from the first of `words`.

    The table ends where one of its entries leads, or at a word that is no distance within the
    function: instructions have other numbers, which are distances of code far away.
    """
    found: list[int] = []
    last = end
    for offset in range(table, end, _WORD):
        word = words[offset // _WORD]
        target = table + (word - (1 << 32) if word >> 31 else word)
        is_code = begin <= target < table or offset < target < end
        if offset >= last or target % _WORD or not is_code:
            break
        if target > table:
            last = min(last, target)
        found.append(target)
    return found


def find_jump_tables(
    found: ObjectFile,
    words: Mapping[int, Sequence[int]],
    limits: Callable[[int, int], tuple[int, int]],
    jump: int,
    branches: Container[int],
) -> dict[Place, tuple[Place, Place]]:
    """Return the entries of tables that follow a jump and to which something refers: where each
    leads, and where its table begins.

    `words` are those of sections of code; `limits` gives where the function begins and ends that
    a place is in; `branches` are relocations that do not take an address.
    """
    entries: dict[Place, tuple[Place, Place]] = {}
    for section in found.sections:
        for row in section.relocations:
            symbol = found.symbols[row.symbol]
            index, table = symbol.section, symbol.value + row.addend
            code = words.get(index, ())
            if row.kind in branches or table % _WORD or not 0 < table < len(code) * _WORD:
                continue
            if code[table // _WORD - 1] == jump:
                targets = jump_targets(code, table, *limits(index, table))
                for number, target in enumerate(targets):
                    entries[index, table + number * _WORD] = (index, target), (index, table)
    return entries


def first_tables(
    words: Sequence[int], begins: Iterable[int], code: int
) -> dict[int, tuple[int, int]]:
    """Return the entries of jump tables before the functions of a section, which begin at `code`:
    where each leads, and where its table begins; offsets in bytes.

    `begins` are where tables begin. One ends at the next, or at a word that leads to no function.
    """
    entries = {}
    for begin, limit in pairwise([*sorted({one for one in begins if 0 <= one < code}), code]):
        for offset in range(begin, limit, _WORD):
            target = begin + words[offset // _WORD]
            if target % _WORD or not code <= target < len(words) * _WORD:
                break
            entries[offset] = target, begin
    return entries


def find_tracebacks(
    section: Section,
    words: Sequence[int],
    others: Container[Place],
    ends: Container[Place],
    read: Callable[[bytes], Iterable[Traceback]],
) -> dict[int, Traceback]:
    """Return the tables that debuggers read by their offsets: a word of 0, and what follows it up
    to a function's end, or from there on.

    `others` are other data, `ends` where functions end; `read` returns what may be a
    table.
    """
    index, rows = section.index, {row.offset for row in section.relocations}
    found: dict[int, Traceback] = {}
    last = 0
    for number, word in enumerate(words):
        offset = number * _WORD
        if word or offset < last or offset in rows or (index, offset) in others:
            continue
        for table in read(section.data[offset:]):
            if (index, offset) in ends or (index, offset + table.size) in ends:
                found[offset] = table
                last = offset + table.size
                break
    return found
