"""Function descriptors of 64-bit PowerPC (ELFv1): the symbols of functions are in another section.

A descriptor has the address of the code, the TOC pointer and an environment pointer (64-bit PowerPC
ELF ABI supplement 1.9, "Function Descriptors"). The size of its symbol is the length of the code.
"""

from __future__ import annotations

from collections import defaultdict

from inst.objects.model import FUNCTION, ObjectFile, Place, Section, Symbol, refused


def read_descriptors(found: ObjectFile, section: Section) -> dict[Place, list[Symbol]]:
    """Return where functions begin, index of the section and offset, with their symbols.

    Raises InstError for symbols that are not of a function of this object.
    """
    rows = {row.offset: row for row in section.relocations}
    functions: dict[Place, list[Symbol]] = defaultdict(list)
    for symbol in found.symbols:
        if symbol.section != section.index or symbol.kind != FUNCTION:
            continue
        row = rows.get(symbol.value)
        target = found.symbols[row.symbol] if row else None
        code = found.by_index.get(target.section) if target else None
        if row is None or target is None or code is None or not code.is_code:
            reason = f"{symbol.name} is no descriptor of a function of this object"
            raise refused(found, section, symbol.value, reason)
        begin = target.value + row.addend
        if begin % 4 or symbol.size % 4 or not 0 <= begin <= code.size - symbol.size:
            raise refused(found, section, symbol.value, f"{symbol.name} is not within {code.name}")
        functions[code.index, begin].append(symbol)
    return functions
