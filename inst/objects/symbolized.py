"""Which numbers of an object are distances and addresses of its code, and of what: symbolization.

In an object, the sizes and ends of functions, the ranges of tables of exceptions, jump tables and
what debuggers read are plain numbers, or relocations with plain numbers in them. `Symbolized` finds
what each of them is; what cannot be classified as one or the other is refused.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable

from inst.objects import exceptions, frames
from inst.objects.code_data import (
    CodeData,
    Traceback,
    find_jump_tables,
    find_tracebacks,
    first_tables,
)
from inst.objects.contents import Contents
from inst.objects.descriptors import read_descriptors
from inst.objects.model import (
    FUNCTION,
    LOCAL,
    ObjectFile,
    Place,
    Relocation,
    Section,
    Symbol,
    refused,
)
from inst.objects.names import place, quoted
from inst.objects.parts import Objects, number_size

FROM_HERE = "-."
"""How forms of relocations end that are distances from their own place."""
HALF = 0x8000
"""What compilers add to the middle of a table of addresses, so that it reaches to both sides."""
OFFSET_TABLE = "_GLOBAL_OFFSET_TABLE_"


class Symbolized:
    """What the numbers of one object stand for."""

    def __init__(
        self, found: ObjectFile, kept: ObjectFile, contents: Contents, part: Objects
    ) -> None:
        """`kept` is what of the object is written; `contents` are those of `kept`."""
        self.found, self.contents, self.part = kept, contents, part
        self.dropped = {s.index for s in found.sections} - kept.by_index.keys()
        """Sections that describe the code, which are left out or written anew."""
        setup = {kind: one.form for kind, one in part.table_setup.items()}
        self.forms = {**part.forms(kept), **setup}
        """How relocations are written."""
        self.labels: dict[int, set[int]] = defaultdict(set)
        """Section -> where labels are needed for what was found."""
        self.numbers = {
            index: {row.offset for row in rows if number_size(self.forms, row)}
            for index, rows in contents.rows.items()
        }
        """Section -> where its relocations are of numbers, not of instructions."""
        self.frames = frames.read_frames(found)
        self.exceptions = {
            section.index: self._read_exceptions(section)
            for section in kept.sections
            if section.name.startswith(exceptions.NAME) and section.size
        }
        """Section -> its tables of exceptions, in order."""
        self.described: dict[Place, list[Symbol]] = {}
        """Where functions begin whose symbols are those of descriptors -> these symbols."""
        for section in kept.sections:
            if section.name == part.descriptors(kept):
                self.described |= read_descriptors(kept, section)
        self.descriptors = {s.index for symbols in self.described.values() for s in symbols}
        """These symbols, by their index."""
        self.tables: dict[Place, tuple[Place, Place]] = {}
        """An entry of a jump table -> where it leads, and the beginning of the table."""
        self.from_table: dict[Place, Place] = {}
        """An instruction with a part of the distance from a jump table to the GOT -> the table."""
        self.starts: dict[int, list[int]] = {}
        """Section of code -> where its functions begin, in order."""
        self.ends: dict[Place, list[str]] = defaultdict(list)
        """Where functions end -> their `.size`."""
        for section in kept.sections:
            if section.is_code:
                self._read_functions(section)
                self._read_described(section)
        for section in kept.sections:
            self._read_tables(section)
        self.tracebacks: dict[Place, str] = {}
        """Words that debuggers read after functions -> their directives."""
        self._read_code_data(part.code_data(found))

    def _read_exceptions(self, section: Section) -> tuple[exceptions.Table, ...]:
        named = {row.offset for row in self.contents.rows[section.index]}
        named |= {offset for offset in self.contents.symbols[section.index] if offset}
        return exceptions.read_tables(self.found, section, self.frames.tables, named)

    def is_code(self, index: int) -> bool:
        """Return whether a section is of code."""
        section = self.found.by_index.get(index)
        return section is not None and section.is_code

    def _read_functions(self, section: Section) -> None:
        found, index = self.found, section.index
        if section.size % 4:
            raise refused(found, section, section.size, "the section ends within an instruction")
        begins = {0}
        for offset, symbols in self.contents.symbols[index].items():
            for symbol in symbols:
                if offset % 4 or offset > section.size or symbol.size % 4:
                    reason = f"{symbol.name} does not hold whole instructions"
                    raise refused(found, section, offset, reason)
                if symbol.kind == FUNCTION:
                    begins.add(offset)
                if symbol.size:
                    if offset + symbol.size > section.size:
                        reason = f"{symbol.name} ends outside of its section"
                        raise refused(found, section, offset, reason)
                    name = quoted(symbol.name)
                    self.ends[index, offset + symbol.size].append(f".size\t{name}, .-{name}")
        self.starts[index] = sorted(begins)
        words = self.contents.words[index]
        self._read_first_tables(section)
        rows = {row.offset for row in section.relocations}
        rows |= {offset for one, offset in self.tables if one == index}
        for number, word in enumerate(words):
            if number * 4 not in rows and self.part.is_data(words, number):
                reason = f"the word {word:#010x} may be data among code, such as a jump table"
                raise refused(found, section, number * 4, reason)
            if self.part.own_place(word) and not self._sets_up(section, number * 4):
                reason = "code may be counted from the address that this instruction reads, its own"
                raise refused(found, section, number * 4, reason)

    def _read_first_tables(self, section: Section) -> None:
        """Find jump tables before a section's functions, by the code that refers to them."""
        index, setup = section.index, self.part.table_setup
        begins = {
            row.offset: row.offset - row.addend
            for row in section.relocations
            if row.kind in setup and row.addend != setup[row.kind].addend
            if self.found.symbols[row.symbol].name == OFFSET_TABLE
        }
        first = next((n for n in self.starts[index] if (n, FUNCTION) in self._kinds(index)), 0)
        entries = first_tables(self.contents.words[index], begins.values(), first)
        for offset, (target, begin) in entries.items():
            self.tables[index, offset] = (index, target), (index, begin)
            self.labels[index] |= {target, begin}
        for offset, begin in begins.items():
            if (index, begin) in self.tables:
                self.from_table[index, offset] = index, begin

    def _kinds(self, index: int) -> set[tuple[int, int]]:
        """Return where in a section symbols are, with their types."""
        return {
            (n, one.kind) for n, symbols in self.contents.symbols[index].items() for one in symbols
        }

    def _sets_up(self, section: Section, offset: int) -> bool:
        """Return whether relocations around an instruction set up the pointer to the table."""
        kinds = {row.kind for row in section.relocations if abs(row.offset - offset) <= 8}
        return not kinds.isdisjoint(self.part.table_setup)

    def _read_described(self, section: Section) -> None:
        """Find where functions of a section begin and end whose symbols are of descriptors."""
        index, begins = section.index, set(self.starts[section.index])
        for (code, offset), symbols in self.described.items():
            if code != index:
                continue
            begins.add(offset)
            self.labels[index].add(offset)
            for symbol in symbols:
                if symbol.size:
                    size = f".size\t{quoted(symbol.name)}, .-{place(index, offset)}"
                    self.ends[index, offset + symbol.size].append(size)
        self.starts[index] = sorted(begins)

    def _read_code_data(self, data: CodeData) -> None:
        """Find jump tables and tables for debuggers among code."""
        if data.jump >= 0:
            found = self.found, self.contents.words, self.limits, data.jump, self.part.branches
            self.tables |= (tables := find_jump_tables(*found))
            for entry in tables.values():
                for index, offset in entry:
                    self.labels[index].add(offset)
        order = self.found.byte_order

        def read(content: bytes) -> Iterable[Traceback]:
            return data.tracebacks(content, order)

        for index, words in self.contents.words.items():
            section = self.found.by_index[index]
            found_here = find_tracebacks(section, words, self.tables, self.ends, read)
            for offset, table in found_here.items():
                self._add_traceback(section, offset, table)

    def _add_traceback(self, section: Section, start: int, table: Traceback) -> None:
        """Find the words of a table for debuggers; the function's length is a difference."""
        index, begin = section.index, self.function(section.index, start - 4)
        for offset in range(start, min(start + table.size, section.size - 3), 4):
            text = f".byte\t{', '.join(map(str, section.data[offset : offset + 4]))}"
            if table.distance and offset == start + table.distance:
                self.labels[index] |= {begin, start}
                text = f".long\t{place(index, start)}-{place(index, begin)}"
            self.tracebacks[index, offset] = text

    def limits(self, section: int, offset: int) -> tuple[int, int]:
        """Return where the function begins and ends that an offset of code is in."""
        starts = self.starts[section]
        number = bisect_right(starts, offset)
        size = self.found.by_index[section].size
        return starts[number - 1], starts[number] if number < len(starts) else size

    def function(self, section: int, offset: int) -> int:
        """Return where the function begins that an offset of code is in."""
        return self.limits(section, offset)[0]

    def _is_from_here(self, row: Relocation) -> bool:
        form = self.forms.get(row.kind)
        return form is not None and form.text.endswith(FROM_HERE) and bool(form.directive)

    def _read_tables(self, section: Section) -> None:
        """Find the jump tables of a section: distances of code from where the table begins.

        A table begins where something else refers to; its entries follow without a gap.
        """
        rows = {
            row.offset: row for row in self.contents.rows[section.index] if self._is_from_here(row)
        }
        if not rows:
            return
        begins = {
            symbol.value + row.addend
            for other in self.found.sections
            for row in other.relocations
            if not self._is_from_here(row)
            for symbol in (self.found.symbols[row.symbol],)
            if symbol.section == section.index
        }
        begin = before = function = -1
        for offset, row in sorted(rows.items()):
            symbol = self.found.symbols[row.symbol]
            if not self.is_code(symbol.section):
                continue
            if offset in begins:
                begin, function = offset, -1
            elif begin < 0 or before != offset - number_size(self.forms, row):
                begin = -1
            before = offset
            target = symbol.value + row.addend - (offset - begin)
            if not self._is_label(symbol, target) or begin < 0 or section.is_code:
                raise refused(
                    self.found, section, offset, "this distance of code is in no jump table"
                )
            start = self.function(symbol.section, target)
            if target == start or function not in (-1, start):
                reason = "this may be an entry of a jump table, or a distance from its own place"
                raise refused(self.found, section, offset, reason)
            function = start
            self.tables[section.index, offset] = ((symbol.section, target),
                                                  (section.index, begin))  # fmt: skip

    def _is_label(self, symbol: Symbol, offset: int) -> bool:
        section = self.found.by_index[symbol.section]
        return symbol.binding == LOCAL and offset % 4 == 0 and 0 <= offset < section.size

    def is_number(self, section: Section, offset: int) -> bool:
        """Return whether a place is a number with a relocation."""
        return offset in self.numbers[section.index]
