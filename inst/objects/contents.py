"""What an object contains, by its place: symbols, relocations, and words of code."""

from __future__ import annotations

from collections import defaultdict

from inst.objects.model import FILE, SECTION, ObjectFile, Section, Symbol


class Contents:
    """Symbols, relocations and words of one object; places are offsets in a section."""

    def __init__(self, found: ObjectFile) -> None:
        self.symbols: dict[int, dict[int, list[Symbol]]] = defaultdict(lambda: defaultdict(list))
        """Section -> offset -> symbols there."""
        for symbol in found.symbols:
            if symbol.section in found.by_index and symbol.kind not in (SECTION, FILE):
                self.symbols[symbol.section][symbol.value].append(symbol)
        self.rows = {
            s.index: sorted(s.relocations, key=lambda row: row.offset) for s in found.sections
        }
        """Section -> its relocations, in order."""
        self.words = {s.index: _words(s, found.byte_order) for s in found.sections if s.is_code}
        """Section of code -> its words."""


def _words(section: Section, order: str) -> list[int]:
    return [
        int.from_bytes(section.data[n : n + 4], order)  # type: ignore[arg-type]
        for n in range(0, section.size - 3, 4)
    ]
