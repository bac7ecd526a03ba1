"""An object as assembly: sections, symbols, code and data, each with its relocations.

Every instruction and number has several texts, the most readable first and the exact one last:
the number, with `.reloc` for its relocations. `Levels` says which one is written.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from inst.arch.registry import architecture
from inst.asm import tokens
from inst.objects.contents import Contents
from inst.objects.leb128 import uleb128
from inst.objects.model import (
    ABSOLUTE,
    ATTRIBUTES,
    COMMON,
    FILE,
    GLOBAL,
    IN_GROUP,
    LINK_ORDER,
    LOCAL,
    MERGE,
    NOBITS,
    OF_GROUP,
    SECTION,
    STRINGS,
    TLS,
    UNIQUE,
    WEAK,
    ObjectFile,
    Place,
    Relocation,
    Section,
    Symbol,
)
from inst.objects.names import Targets, base, called_by_name, check_names, place, quoted
from inst.objects.parts import Objects, number_size
from inst.objects.spelling import Speller

_TYPES = {
    1: "object", 2: "function", 5: "common", 6: "tls_object", 10: "gnu_indirect_function",
}  # fmt: skip
_VISIBILITIES = {1: "internal", 2: "hidden", 3: "protected"}
_SECTION_TYPES = {1: "progbits", 7: "note", 8: "nobits", 14: "init_array", 15: "fini_array",
                  16: "preinit_array"}  # fmt: skip
_LETTERS = {1: "w", 2: "a", 4: "x", 16: "M", 32: "S", 0x80: "o", 0x200: "G", 0x400: "T",
            0x200000: "R", 0x80000000: "e"}  # fmt: skip
_CALL = re.compile(r"((?:call|bl) +)(\.L\d+\.[0-9a-f]+)$")
"""A call of a place without a name."""
_LEAVES_TABLE = 1
"""Instead of a distance: the function has one entry point, and may change the pointer to the table
of contents."""
_LINE = 16
"""Bytes of data on a line."""


@dataclass(slots=True)
class Levels:
    """Which of its texts each place gets, and which words have been found to need another one."""

    of: dict[Place, int] = field(default_factory=dict)
    """Place -> number of the text, counted from the most readable one."""
    words: dict[tuple[int, ...], int] = field(default_factory=dict)
    """Word with the types of its relocations -> the first text that is right: for all objects of
    one target that are assembled with the same options."""
    keys: dict[Place, tuple[int, ...]] = field(default_factory=dict)

    def choose(self, where: Place, key: tuple[int, ...], texts: int) -> int:
        """Return which of so many texts to write, and remember the key for `refuse`."""
        self.keys[where] = key
        return min(max(self.of.get(where, 0), self.words.get(key, 0)), texts - 1)

    def refuse(self, where: Place, chosen: int) -> None:
        """Write the next text at a place, and wherever else its word is."""
        self.of[where] = chosen + 1
        key = self.keys[where]
        self.words[key] = max(self.words.get(key, 0), chosen + 1)


@dataclass(slots=True)
class Text:
    """Assembly, and where in the object its lines belong."""

    lines: list[str] = field(default_factory=list)
    places: dict[int, Place] = field(default_factory=dict)
    """Number of a line, from 1, of an instruction or number with a choice -> its place."""
    chosen: dict[Place, tuple[int, int]] = field(default_factory=dict)
    """Place -> which text it has, of how many."""

    instructions: int = 0
    """Words of code."""
    numbers: int = 0
    """Of these, written as numbers."""

    def content(self) -> bytes:
        """Return the text as the assembler reads it."""
        return ("\n".join(self.lines) + "\n").encode("utf-8", "surrogateescape")


class Writer:
    """Writes the text of one object."""

    def __init__(self, found: ObjectFile, isa: str, levels: Levels) -> None:
        check_names(found)
        self.found, self.levels = found, levels
        self.part = architecture(isa).part(Objects)
        self.targets = Targets(found)
        self.speller = Speller(isa, found, self.targets)
        self.reloc_names = self.part.names(found)
        self.contents = Contents(found)
        self.called = called_by_name(found)
        self.local_entries = self._local_entries()
        """Section -> where functions have their local entry points -> the names of these."""
        self.padding = {
            index: self._paddings(words) for index, words in self.contents.words.items()
        }
        """Section of code -> words that align what follows -> to how many bytes; 0 for the rest."""
        self.out = Text()

    def _local_entries(self) -> dict[int, dict[int, list[str]]]:
        found: dict[int, dict[int, list[str]]] = {one.index: {} for one in self.found.sections}
        for symbol in self.found.symbols if self.part.local_entries else ():
            entry = symbol.other >> 5
            if entry > _LEAVES_TABLE and symbol.section in found:
                at = symbol.value + (1 << entry)
                found[symbol.section].setdefault(at, []).append(quoted(symbol.name))
        return found

    def _paddings(self, words: list[int]) -> dict[int, int]:
        found: dict[int, int] = {}
        for number in range(len(words)):
            if length := self.part.padding(words, number) * 4:
                offset = number * 4
                found |= dict.fromkeys(range(offset, offset + length, 4), 0)
                found[offset] = _alignment(offset, offset + length)
        return found

    def text(self) -> Text:
        """Return the whole text."""
        for section in self.found.sections:
            self._want_labels(section)
        lines = self.out.lines
        for symbol in self.found.symbols:
            if symbol.kind == FILE and symbol.name:
                lines.append(f"\t.file\t{tokens.quoted(symbol.name)}")
        lines += [f"\t{line}" for line in self.part.directives(self.found)]
        for section in self.found.sections:  # in this order, whatever is mentioned first
            if section.kind != ATTRIBUTES:
                lines.append(_section(section, self.found))
        for section in self.found.sections:
            self._section(section)
        for symbol in self.found.symbols:
            if symbol.section not in self.found.by_index and symbol.kind not in (SECTION, FILE):
                lines += self._elsewhere(symbol)
        return self.out

    def _want_labels(self, section: Section) -> None:
        """Find the labels that the section's texts name; the texts themselves come later."""
        for row in section.relocations:
            self.targets.of(row)
        if section.is_code:
            self._code(section, Text())

    def _section(self, section: Section) -> None:
        lines = self.out.lines
        if section.kind == ATTRIBUTES:
            lines += [f"\t{line}" for line in attributes(section.data, self.found)]
            return
        lines.append(_section(section, self.found))
        if section.align > 1:
            lines.append(f"\t.balign\t{section.align}")
        lines.append(f"{base(section.index)}:")
        if section.is_code:
            self._code(section, self.out)
        else:
            self._data(section, 0, section.size)
        self._labels(section, section.size, self.out)
        self._outside(section)

    def _outside(self, section: Section) -> None:
        """Define the symbols that lie within a word, or beyond the section."""
        for offset, symbols in self.contents.symbols[section.index].items():
            if offset > section.size or (section.is_code and offset % 4):
                for symbol in symbols:
                    self.out.lines += self._attributes(symbol)
                    value = f"{base(section.index)}+{offset}"
                    self.out.lines.append(f"\t.set\t{quoted(symbol.name)}, {value}")

    def _labels(self, section: Section, offset: int, out: Text) -> None:
        if offset in self.targets.wanted[section.index]:
            out.lines.append(f"{place(section.index, offset)}:")
        for symbol in self.contents.symbols[section.index].get(offset, ()):
            out.lines += self._attributes(symbol)
            out.lines.append(f"{quoted(symbol.name)}:")
            if self.part.local_entries and symbol.other >> 5 == _LEAVES_TABLE:
                out.lines.append(f"\t.localentry\t{quoted(symbol.name)}, {_LEAVES_TABLE}")
        for name in self.local_entries[section.index].get(offset, ()):
            out.lines.append(f"\t.localentry\t{name}, .-{name}")

    def _attributes(self, symbol: Symbol) -> Iterator[str]:
        name = quoted(symbol.name)
        if symbol.binding in (GLOBAL, UNIQUE):
            yield f"\t.globl\t{name}"
        elif symbol.binding == WEAK:
            yield f"\t.weak\t{name}"
        if symbol.other & 3:
            yield f"\t.{_VISIBILITIES[symbol.other & 3]}\t{name}"
        kind = "gnu_unique_object" if symbol.binding == UNIQUE else _TYPES.get(symbol.kind)
        if kind:
            yield f"\t.type\t{name}, @{kind}"
        if symbol.size and symbol.section != COMMON:
            yield f"\t.size\t{name}, {symbol.size}"

    def _elsewhere(self, symbol: Symbol) -> list[str]:
        """Return the directives of symbols that lie in no section."""
        declared = symbol.section == OF_GROUP or symbol.kind == self.part.register_symbols
        if declared or not symbol.name:
            return []
        lines, name = list(self._attributes(symbol)), quoted(symbol.name)
        if symbol.section == ABSOLUTE:
            lines.append(f"\t.set\t{name}, {symbol.value:#x}")
        elif symbol.section == COMMON:
            kind = ".tls_common" if symbol.kind == TLS else ".comm"
            local = [f"\t.local\t{name}"] if symbol.binding == LOCAL else []
            lines = [*local, f"\t{kind}\t{name}, {symbol.size}, {symbol.value}",
                     *(line for line in lines if ".globl" not in line)]  # fmt: skip
        return lines

    def _code(self, section: Section, out: Text) -> None:
        """Write words, each with its label; what is left at the end is data."""
        rows, next_row = self.contents.rows[section.index], 0
        offset, end = 0, section.size
        while offset + 4 <= end:
            self._labels(section, offset, out)
            found = []
            while next_row < len(rows) and rows[next_row].offset < offset + 4:
                found.append(rows[next_row])
                next_row += 1
            wide = any(self._size(row) == 8 and row.offset == offset for row in found)
            if wide and offset + 8 <= end and not self._is_split(section, offset + 4):
                self._number(section, offset, 8, found, out)
                offset += 8
                continue
            self._word(section, offset, self.contents.words[section.index][offset // 4], found, out)
            offset += 4
        if offset < end:
            self._data(section, offset, end, out)

    def _is_split(self, section: Section, offset: int) -> bool:
        """Return whether something else begins within a number of 8 bytes."""
        wanted = self.targets.wanted[section.index]
        return offset in self.contents.symbols[section.index] or offset in wanted

    def _size(self, row: Relocation) -> int:
        return number_size(self.speller.forms, row)

    def _word(
        self, section: Section, offset: int, word: int, rows: list[Relocation], out: Text
    ) -> None:
        if len(rows) == 1 and self._size(rows[0]) == 4 and rows[0].offset == offset:
            self._number(section, offset, 4, rows, out)
            return

        def label(distance: int) -> str:
            target = offset + distance
            if 0 <= target <= section.size and target % 4 == 0:
                self.targets.wanted[section.index].add(target)
                return place(section.index, target)
            return f".{distance:+d}"

        if self.padding[section.index].get(offset):
            texts = []  # whether there is one depends on the processor that is allowed
        elif rows:
            texts = self.speller.relocated(word, offset, rows)
        else:
            texts = self.speller.plain(word, label)
        texts = [
            _CALL.sub(lambda call: call[1] + self.called.get(call[2], call[2]), text)
            for text in texts
        ]
        forms = [["\t" + text.replace(" ", "\t", 1)] for text in texts]
        exact = [*self._reloc(section, rows), f"\t.long\t{word:#010x}"]
        key = (word, *(row.kind for row in rows))
        self._choose((section.index, offset), key, [*forms, exact], out)
        out.instructions += 1
        out.numbers += out.chosen[section.index, offset][0] == len(forms)

    def _number(
        self, section: Section, offset: int, size: int, rows: list[Relocation], out: Text
    ) -> None:
        """Write a number with its relocation, which its directive expresses if possible."""
        data = section.data[offset : offset + size]
        forms = []
        form = self.speller.forms.get(rows[0].kind) if len(rows) == 1 else None
        if form and form.directive and form.size == size and not any(data):
            expression = form.text.format(self.targets.of(rows[0]))
            forms = [[f"\t{form.directive}\t{expression}"]]
        exact = [*self._reloc(section, rows), *_bytes(data)]
        key = (-size, *(row.kind for row in rows), *data)
        self._choose((section.index, offset), key, [*forms, exact], out)

    def _choose(
        self, where: Place, key: tuple[int, ...], texts: list[list[str]], out: Text
    ) -> None:
        chosen = self.levels.choose(where, key, len(texts))
        out.chosen[where] = chosen, len(texts)
        for line in texts[chosen]:
            out.lines.append(line)
            out.places[len(out.lines)] = where

    def _reloc(self, section: Section, rows: list[Relocation]) -> Iterator[str]:
        for row in rows:
            name = self.reloc_names.get(row.kind)
            at = f"{base(section.index)}+{row.offset}"
            yield f"\t.reloc\t{at}, {name or row.kind}, {self.targets.of(row)}"

    def _data(self, section: Section, start: int, end: int, out: Text | None = None) -> None:
        """Write bytes in pieces that end at labels and relocations."""
        out = self.out if out is None else out
        index = section.index
        rows: dict[int, list[Relocation]] = defaultdict(list)
        for row in self.contents.rows[index]:
            if start <= row.offset:
                rows[row.offset].append(row)
        labels = self.targets.wanted[index] | self.contents.symbols[index].keys()
        cuts = {n for n in labels | rows.keys() if start <= n < end} | {start, end}
        covered = start
        for offset, following in pairwise(sorted(cuts)):
            self._labels(section, offset, out)
            begin = max(offset, covered)
            if offset in rows:
                size = max(self._size(rows[offset][0]), 1)
                if offset < covered or offset + size > following:
                    size = 0  # only .reloc: its bytes overlap with something else
                if size:
                    self._number(section, offset, size, rows[offset], out)
                else:
                    out.lines += self._reloc(section, rows[offset])
                begin = max(begin, offset + size)
            if begin < following:
                out.lines += content(section, begin, following)
            covered = max(covered, following)


def _alignment(start: int, end: int) -> int:
    """Return the least alignment that leads from one offset to the other."""
    found = 4
    while end - start >= found:
        found *= 2
    return found


def _section(section: Section, found: ObjectFile) -> str:
    """Return the directive that makes or continues a section."""
    known = sum(_LETTERS)
    flags = "".join(letter for bit, letter in _LETTERS.items() if section.flags & bit)
    if section.flags & ~known:
        flags += f"{section.flags & ~known:#x}"
    kind = _SECTION_TYPES.get(section.kind, f"{section.kind:#x}")
    words = [quoted(section.name), f'"{flags}"', f"@{kind}"]
    if section.flags & MERGE:
        words.append(str(section.entry))
    if section.flags & LINK_ORDER:
        ordered = found.by_index.get(section.ordered)
        words.append(base(section.ordered) if ordered else "0")
    if section.flags & IN_GROUP:
        words.append(quoted(section.group) + (",comdat" if section.comdat else ""))
    same = [s.index for s in found.sections if s.name == section.name and s.group == section.group]
    if len(same) > 1 and same[0] != section.index:
        words.append(f"unique,{section.index}")
    return "\t.section\t" + ",".join(words)


def content(section: Section, start: int, end: int) -> Iterator[str]:
    """Yield the directives of a part of a section without relocations."""
    if section.kind == NOBITS:
        yield f"\t.zero\t{end - start}"
        return
    data = section.data[start:end]
    if section.flags & STRINGS and section.entry == 1:
        yield from _strings(data)
    elif not any(data):
        yield f"\t.zero\t{len(data)}"
    else:
        yield from _bytes(data)


def _strings(data: bytes) -> Iterator[str]:
    for piece in data.split(b"\0")[:-1]:
        yield f'\t.string\t"{_escaped(piece)}"'
    rest = data.rpartition(b"\0")[2]
    if rest:
        yield f'\t.ascii\t"{_escaped(rest)}"'


def _escaped(data: bytes) -> str:
    return "".join(chr(c) if 32 <= c < 127 and c not in b'"\\' else f"\\{c:03o}" for c in data)


def _bytes(data: bytes) -> Iterator[str]:
    for start in range(0, len(data), _LINE):
        yield "\t.byte\t" + ", ".join(f"{c:#04x}" for c in data[start : start + _LINE])


def attributes(data: bytes, found: ObjectFile) -> list[str]:
    """Return the directives of .gnu.attributes: those of the whole file with numbers (gABI)."""
    order = found.byte_order
    lines: list[str] = []
    if data[5:9] != b"gnu\0" or data[9:10] != b"\1":
        return lines
    end = min(9 + int.from_bytes(data[10:14], order), len(data))  # type: ignore[arg-type]
    position = 14
    while position < end:
        tag, position = uleb128(data, position)
        value, position = uleb128(data, position)
        lines.append(f".gnu_attribute\t{tag}, {value}")
    return lines
