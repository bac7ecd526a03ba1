"""References to code: refused where other code may be counted from what they name.

The address of a function is nothing but that; to the address of a place within a function, code may
add the distance to another place, which is a plain number in the object.
"""

from __future__ import annotations

from inst.isa.model import Isa
from inst.objects.label_uses import Function, is_only_jumped_to
from inst.objects.model import SECTION, Relocation, Section, Symbol, refused
from inst.objects.symbolized import HALF, OFFSET_TABLE, Symbolized

_DATA_OBJECT = 1
_ADDRESSES = frozenset((".got2", ".toc"))
"""Sections of addresses that code loads instead of making them."""


def check_references(known: Symbolized, isa: Isa) -> None:
    """Raise InstError for what refers to code in a way that would be wrong when code is inserted,
    and for data among code."""
    found = known.found
    for section in found.sections:
        _check_section(known, isa, section)
    for symbol in found.symbols:
        if symbol.kind == _DATA_OBJECT and known.is_code(symbol.section):
            code = found.by_index[symbol.section]
            raise refused(found, code, symbol.value, f"{symbol.name} is data among code")


def _check_section(known: Symbolized, isa: Isa, section: Section) -> None:
    """Refuse relocations that would be wrong when code is inserted."""
    found, setup = known.found, known.part.table_setup
    for row in section.relocations:
        symbol = found.symbols[row.symbol]
        if symbol.section in known.dropped:
            reason = "this refers to what describes the code: unwinding, debugging"
            raise refused(found, section, row.offset, reason)
        if (section.index, row.offset) in known.from_table:
            continue
        if row.kind in setup and (symbol.name, row.addend) != (
            OFFSET_TABLE,
            setup[row.kind].addend,
        ):
            reason = f"a distance from the program counter to {symbol.name or 'a section'}"
            raise refused(found, section, row.offset, reason)
        if (section.index, row.offset) in known.tables or not known.is_code(symbol.section):
            continue
        _check_code(known, isa, section, row, symbol)


def _check_code(
    known: Symbolized, isa: Isa, section: Section, row: Relocation, symbol: Symbol
) -> None:
    """Refuse relocations by which code may be counted from a place within a function."""
    found, offset = known.found, symbol.value + row.addend
    if symbol.kind != SECTION:
        form = known.forms.get(row.kind)
        if row.addend and not (form and "@plt" in form.text and row.addend == HALF):
            reason = f"{symbol.name}{row.addend:+d} is a place within a function"
            raise refused(found, section, row.offset, reason)
        return
    target = found.by_index[symbol.section]
    if not 0 <= offset < target.size or offset % 4:
        reason = f"{target.name}{offset:+d} is no instruction"
        raise refused(found, section, row.offset, reason)
    if section.is_code:
        takes = row.kind not in known.part.branches and not known.is_number(section, row.offset)
    else:
        takes = section.name in _ADDRESSES
    if not takes:
        return
    if offset in known.contents.symbols[target.index] or known.is_number(target, offset):
        return
    if (target.index, offset) in known.tables:
        return
    if section is target and _is_only_jumped_to(known, isa, section, row, offset):
        return
    reason = (
        f"the address of {target.name}{offset:+d} is taken, from which other code may be counted"
    )
    raise refused(found, section, row.offset, reason)


def _is_only_jumped_to(
    known: Symbolized, isa: Isa, section: Section, row: Relocation, label: int
) -> bool:
    """Return whether code takes the address of a label of its own function to jump there."""
    index, place = section.index, row.offset - row.offset % 4
    begin, end = known.limits(index, place)
    if not begin <= label < end:
        return False
    branches, parts, labels = {}, set(), set()
    for other in known.found.sections:
        for one in other.relocations:
            symbol = known.found.symbols[one.symbol]
            offset = symbol.value + one.addend if symbol.section == index else end
            is_here = other is section
            if is_here and one.kind in known.part.branches:
                branches[one.offset] = offset
            elif begin <= offset < end:
                labels.add(offset)
                if is_here and offset == label:
                    parts.add(one.offset - one.offset % 4)
    code = Function(isa, known.contents.words[index], begin, end, labels, branches)
    return is_only_jumped_to(code, place, parts)
