"""Names in the text: of symbols as the assembler reads them, and of places without a symbol."""

from __future__ import annotations

import re
from collections import Counter

from inst.errors import InstError
from inst.objects.model import FILE, FUNCTION, LOCAL, SECTION, ObjectFile, Relocation, Symbol

_PLAIN = re.compile(r"[A-Za-z_.][\w.$]*", re.ASCII)
_NONE = re.compile(r"[\x00-\x1f\x7f\"\\]")


def quoted(name: str) -> str:
    """Return a symbol's or a section's name as the assembler reads it."""
    return name if _PLAIN.fullmatch(name) else f'"{name}"'


def place(section: int, offset: int) -> str:
    """Return the label of an offset in a section."""
    return f".L{section}.{offset:x}"


def base(section: int) -> str:
    """Return the label of a section's first byte."""
    return f".L{section}.start"


def check_names(found: ObjectFile) -> None:
    """Raise InstError for symbols that one file of assembly cannot have."""
    named = [s for s in found.symbols if s.name and s.kind not in (SECTION, FILE)]
    for name, count in Counter(symbol.name for symbol in named).items():
        if count > 1:
            raise InstError(
                f"{found.name} has {count} symbols called {name}, which one file of assembly "
                "cannot have",
                hint="take the objects that were joined by `ld -r` to this one",
            )
    for name in [s.name for s in named] + [section.name for section in found.sections]:
        if _NONE.search(name) or "@" in name:
            raise InstError(
                f"{found.name} has the name {name!r}, which assembly cannot define",
                hint="symbols with versions (.symver) are not supported",
            )


def called_by_name(found: ObjectFile) -> dict[str, str]:
    """Return the labels of places where functions begin that only this object sees -> their names.

    Passes over code take a call of a label without a name for one that reads where it is.
    """
    return {
        place(symbol.section, symbol.value): quoted(symbol.name)
        for symbol in found.symbols
        if (symbol.kind, symbol.binding) == (FUNCTION, LOCAL) and not symbol.name.startswith(".L")
    }


class Targets:
    """Texts for what relocations refer to, and the labels that they need."""

    def __init__(self, found: ObjectFile) -> None:
        self.found = found
        self.wanted: dict[int, set[int]] = {s.index: set() for s in found.sections}
        """Offsets in each section at which labels are needed."""

    def of(self, row: Relocation, more: int = 0) -> str:
        """Return symbol and addend, to which `more` is added, as an expression."""
        symbol = self.found.symbols[row.symbol]
        addend = row.addend + more
        if not row.symbol:
            return str(addend)
        if symbol.kind == SECTION:
            return self._in_section(symbol, addend)
        return quoted(symbol.name) + (f"{addend:+d}" if addend else "")

    def _in_section(self, symbol: Symbol, addend: int) -> str:
        section = self.found.by_index[symbol.section]
        offset = symbol.value + addend
        if 0 <= offset <= section.size and not (section.is_code and offset % 4):
            self.wanted[section.index].add(offset)
            return place(section.index, offset)
        return base(section.index) + (f"{offset:+d}" if offset else "")
