"""Differences of two objects, as linkers see them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from inst.objects.model import (
    FILE,
    LOCAL,
    MERGE,
    SECTION,
    ObjectFile,
    Relocation,
    Section,
    Symbol,
)

_ALWAYS = (".text", ".data", ".bss")


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that differs."""

    message: str
    section: int = 0
    """Index of the section in the first object; 0: it is about no place."""
    offset: int = 0


def differences(first: ObjectFile, second: ObjectFile) -> Iterator[Difference]:
    """Yield what differs in headers, sections, relocations and symbols.

    Relocations that refer to a local symbol and those that refer to the same place by its section
    are equal, but for sections whose content is merged. Empty sections that assemblers always make
    are left out, as are the assembler's own labels (.LC0) but for the places that relocations take
    from them; the order of symbols is free.
    """
    for name in ("machine", "flags", "bits", "byte_order"):
        one, other = getattr(first, name), getattr(second, name)
        if one != other:
            yield Difference(f"{name} is {other!r} instead of {one!r}")
    pairs = _paired(first, second)
    if pairs is None:
        yield Difference(f"its sections are {_names(second)} instead of {_names(first)}")
        return
    for one, other in pairs:
        yield from _in_section(first, one, second, other)
    keys, others = _symbols(first), _symbols(second)
    for what, some in (("missing", keys - others), ("extra", others - keys)):
        for key in some:
            yield Difference(f"symbol {what}: {key}")


def _kept(found: ObjectFile) -> list[Section]:
    return [s for s in found.sections if s.size or s.relocations or s.name not in _ALWAYS]


def _names(found: ObjectFile) -> str:
    return " ".join(section.name for section in _kept(found))


def _paired(first: ObjectFile, second: ObjectFile) -> list[tuple[Section, Section]] | None:
    one, other = _kept(first), _kept(second)
    if [(s.name, s.group) for s in one] != [(s.name, s.group) for s in other]:
        return None
    return list(zip(one, other, strict=True))


def _in_section(
    first: ObjectFile, one: Section, second: ObjectFile, other: Section
) -> Iterator[Difference]:
    for name in ("kind", "flags", "align", "entry", "size", "comdat"):
        before, after = getattr(one, name), getattr(other, name)
        if before != after:
            yield Difference(f"{one.name}: its {name} is {after:#x} instead of {before:#x}")
    if one.ordered and _section_key(first, one.ordered) != _section_key(second, other.ordered):
        yield Difference(f"{one.name}: it is ordered by another section")
    if one.data != other.data:
        for offset in range(min(one.size, other.size)):
            if one.data[offset] != other.data[offset]:
                yield Difference(f"{one.name}+{offset:#x}: another byte", one.index, offset)
    rows, others = _rows(first, one), _rows(second, other)
    for offset in sorted(rows.keys() | others.keys()):
        before_row, after_row = rows.get(offset), others.get(offset)
        if before_row != after_row:
            message = f"{one.name}+{offset:#x}: relocation {after_row} instead of {before_row}"
            yield Difference(message, one.index, offset)


def _rows(found: ObjectFile, section: Section) -> dict[int, list[tuple[object, ...]]]:
    rows: dict[int, list[tuple[object, ...]]] = {}
    for row in section.relocations:
        rows.setdefault(row.offset, []).append((row.kind, row.extra, *_target(found, row)))
    return rows


def _target(found: ObjectFile, row: Relocation) -> tuple[object, ...]:
    symbol = found.symbols[row.symbol]
    section = found.by_index.get(symbol.section)
    if symbol.binding == LOCAL and section is not None:
        by_section = symbol.kind == SECTION
        if by_section or not section.flags & MERGE or not row.addend:
            return _section_key(found, section.index), symbol.value + row.addend
        return symbol.name, _section_key(found, section.index), symbol.value, row.addend
    return symbol.name, row.addend


def _section_key(found: ObjectFile, index: int) -> tuple[object, ...]:
    section = found.by_index.get(index)
    if section is None:
        return (index,)
    same = [s.index for s in found.sections if (s.name, s.group) == (section.name, section.group)]
    return section.name, section.group, same.index(index)


def _symbols(found: ObjectFile) -> Counter[tuple[object, ...]]:
    return Counter(
        _symbol(found, symbol)
        for symbol in found.symbols[1:]
        if symbol.kind not in (SECTION, FILE) and not _is_temporary(symbol)
    )


def _is_temporary(symbol: Symbol) -> bool:
    """Return whether it is a label of the assembler's own; its uses are in the relocations."""
    return symbol.binding == LOCAL and not symbol.kind and symbol.name.startswith(".L")


def _symbol(found: ObjectFile, symbol: Symbol) -> tuple[object, ...]:
    where = _section_key(found, symbol.section)
    return symbol.name, symbol.value, symbol.size, symbol.kind, symbol.binding, symbol.other, where
