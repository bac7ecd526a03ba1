"""The text of an object into which code can be inserted: what is a distance is written as one.

Sizes, unwinding information, jump tables and distances from the program counter are plain numbers
in an object, or relocations with plain numbers in them. Here they are differences of labels. What
cannot be told to be one or the other is refused; debugging information is left out.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise

from inst import isa as instruction_sets
from inst.errors import InstError
from inst.objects import exceptions, frames
from inst.objects.code_data import (
    CodeData,
    Traceback,
    find_jump_tables,
    find_tracebacks,
    first_tables,
)
from inst.objects.descriptors import read_descriptors
from inst.objects.exceptions import Table
from inst.objects.label_uses import Function, is_only_jumped_to
from inst.objects.model import (
    ALLOC,
    FUNCTION,
    LOCAL,
    SECTION,
    ObjectFile,
    Place,
    Relocation,
    Section,
    Symbol,
    refused,
)
from inst.objects.names import place, quoted
from inst.objects.text import Levels, Text, Writer, content
from inst.target.model import Target

_FROM_HERE = "-."
_NO_TABLE = "this is in no function's table of exceptions"
_TABLE = "_GLOBAL_OFFSET_TABLE_"
_DATA_OBJECT = 1
MADE_BY_INST = ".debug_inst_"
"""How the names of sections begin that only instrumented objects have."""
_ADDRESSES = frozenset((".got2", ".toc"))
"""Sections of addresses that code loads instead of making them."""
_HALF = 0x8000
"""What compilers add to the middle of a table of addresses, so that it reaches to both sides."""
ALREADY = "instrumented already"
"""What the error about an object that inst-cc made says."""


def without_debugging(found: ObjectFile) -> ObjectFile:
    """Return the object without what describes its code: debugging and unwinding information."""
    kept = tuple(s for s in found.sections if s.name != frames.NAME and not _is_debugging(s))
    return replace(found, sections=kept)


def _is_debugging(section: Section) -> bool:
    return not section.flags & ALLOC and section.name.startswith((".debug", ".stab", ".line"))


class GrowingWriter(Writer):
    """Writes the text of one object so that it stays right when code is inserted."""

    def __init__(self, found: ObjectFile, target: Target, levels: Levels) -> None:
        """`levels` are those by which the object's own text was found to be right."""
        kept = without_debugging(found)
        super().__init__(kept, target.isa, levels)
        self.isa = instruction_sets.get(target.isa, target.abi)
        self.dropped = {s.index for s in found.sections} - kept.by_index.keys()
        """Sections that describe the code, which are left out or written anew."""
        setup = {kind: one.form for kind, one in self.part.table_setup.items()}
        self.speller.forms = {**self.speller.forms, **setup}
        self.numbers = {
            index: {row.offset for row in rows if self._size(row)}
            for index, rows in self.rows.items()
        }
        """Section -> where its relocations are of numbers, not of instructions."""
        _check_sections(found)
        if reason := self.part.cannot_grow(found):
            raise InstError(f"{found.name}: {reason}", hint="compile its source with inst-cc")
        self.frames = frames.read_frames(found)
        self.exceptions = {
            section.index: tuple(self._read_exceptions(section))
            for section in kept.sections
            if section.name.startswith(exceptions.NAME) and section.size
        }
        """Section -> its tables of exceptions, in order."""
        self.described: dict[Place, list[Symbol]] = {}
        """Where functions begin whose symbols are those of descriptors -> these symbols."""
        for section in kept.sections:
            if section.name == self.part.descriptors(kept):
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
        self._read_code_data(self.part.code_data(found))
        for section in kept.sections:
            self._check_rows(section)
        for symbol in kept.symbols:
            if symbol.kind == _DATA_OBJECT and self._is_code(symbol.section):
                code = kept.by_index[symbol.section]
                raise refused(kept, code, symbol.value, f"{symbol.name} is data among code")
        self.found = replace(
            kept,
            symbols=tuple(
                replace(s, name="", section=0) if s.section in self.dropped else s
                for s in kept.symbols
            ),
        )

    def _read_exceptions(self, section: Section) -> tuple[Table, ...]:
        """Return the tables of a section, which functions point to and which fill it."""
        found, index, end = self.found, section.index, 0
        stray = {row.offset for row in self.rows[index]}
        stray |= {offset for offset in self.symbols[index] if offset}
        starts = sorted(offset for one, offset in self.frames.tables if one == index)
        tables = []
        for start, limit in pairwise([*starts, section.size]):
            table = exceptions.read_table(found, section, start, limit)
            if any(section.data[end:start]) or start - end >= table.align or start % table.align:
                raise refused(found, section, end, _NO_TABLE)
            _, begin, last = self.frames.tables[index, start]
            for one in (n for site in table.sites for n in (site.start, site.end, site.pad)):
                if one % 4 or begin + one > last:
                    reason = "a range of code leads out of its function"
                    raise refused(found, section, start, reason)
            tables.append(table)
            end = table.end
            stray -= {start, *range(*table.types)}
        if end != section.size or stray:
            raise refused(found, section, min([end, *stray]), _NO_TABLE)
        return tuple(tables)

    def _is_code(self, index: int) -> bool:
        section = self.found.by_index.get(index)
        return section is not None and section.is_code

    def _read_functions(self, section: Section) -> None:
        found, index = self.found, section.index
        if section.size % 4:
            raise refused(found, section, section.size, "the section ends within an instruction")
        begins = {0}
        for offset, symbols in self.symbols[index].items():
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
        words = self.words[index]
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
            if self.found.symbols[row.symbol].name == _TABLE
        }
        first = next((n for n in self.starts[index] if (n, FUNCTION) in self._kinds(index)), 0)
        entries = first_tables(self.words[index], begins.values(), first)
        for offset, (target, begin) in entries.items():
            self.tables[index, offset] = (index, target), (index, begin)
            self.targets.wanted[index] |= {target, begin}
        for offset, begin in begins.items():
            if (index, begin) in self.tables:
                self.from_table[index, offset] = index, begin

    def _kinds(self, index: int) -> set[tuple[int, int]]:
        """Return where in a section symbols are, with their types."""
        return {(n, one.kind) for n, symbols in self.symbols[index].items() for one in symbols}

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
            self.targets.wanted[index].add(offset)
            for symbol in symbols:
                if symbol.size:
                    size = f".size\t{quoted(symbol.name)}, .-{place(index, offset)}"
                    self.ends[index, offset + symbol.size].append(size)
        self.starts[index] = sorted(begins)

    def _read_code_data(self, data: CodeData) -> None:
        """Find jump tables and tables for debuggers among code."""
        if data.jump >= 0:
            found = self.found, self.words, self._limits, data.jump, self.part.branches
            self.tables |= (tables := find_jump_tables(*found))
            for entry in tables.values():
                for index, offset in entry:
                    self.targets.wanted[index].add(offset)
        order = self.found.byte_order

        def read(content: bytes) -> Iterable[Traceback]:
            return data.tracebacks(content, order)

        for index, words in self.words.items():
            section = self.found.by_index[index]
            found_here = find_tracebacks(section, words, self.tables, self.ends, read)
            for offset, table in found_here.items():
                self._add_traceback(section, offset, table)

    def _add_traceback(self, section: Section, start: int, table: Traceback) -> None:
        """Find the words of a table for debuggers; the function's length is a difference."""
        index, begin = section.index, self._function(section.index, start - 4)
        for offset in range(start, min(start + table.size, section.size - 3), 4):
            text = f".byte\t{', '.join(map(str, section.data[offset : offset + 4]))}"
            if table.distance and offset == start + table.distance:
                self.targets.wanted[index] |= {begin, start}
                text = f".long\t{place(index, start)}-{place(index, begin)}"
            self.tracebacks[index, offset] = text

    def _limits(self, section: int, offset: int) -> tuple[int, int]:
        """Return where the function begins and ends that an offset of code is in."""
        starts = self.starts[section]
        number = bisect_right(starts, offset)
        size = self.found.by_index[section].size
        return starts[number - 1], starts[number] if number < len(starts) else size

    def _function(self, section: int, offset: int) -> int:
        """Return where the function begins that an offset of code is in."""
        return self._limits(section, offset)[0]

    def _is_from_here(self, row: Relocation) -> bool:
        form = self.speller.forms.get(row.kind)
        return form is not None and form.text.endswith(_FROM_HERE) and bool(form.directive)

    def _read_tables(self, section: Section) -> None:
        """Find the jump tables of a section: distances of code from where the table begins.

        A table begins where something else refers to; its entries follow without a gap.
        """
        rows = {row.offset: row for row in self.rows[section.index] if self._is_from_here(row)}
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
            if not self._is_code(symbol.section):
                continue
            if offset in begins:
                begin, function = offset, -1
            elif begin < 0 or before != offset - self._size(row):
                begin = -1
            before = offset
            target = symbol.value + row.addend - (offset - begin)
            if not self._is_label(symbol, target) or begin < 0 or section.is_code:
                raise refused(
                    self.found, section, offset, "this distance of code is in no jump table"
                )
            start = self._function(symbol.section, target)
            if target == start or function not in (-1, start):
                reason = "this may be an entry of a jump table, or a distance from its own place"
                raise refused(self.found, section, offset, reason)
            function = start
            self.tables[section.index, offset] = ((symbol.section, target),
                                                  (section.index, begin))  # fmt: skip

    def _is_label(self, symbol: Symbol, offset: int) -> bool:
        section = self.found.by_index[symbol.section]
        return symbol.binding == LOCAL and offset % 4 == 0 and 0 <= offset < section.size

    def _check_rows(self, section: Section) -> None:
        """Refuse relocations that would be wrong when code is inserted."""
        setup = self.part.table_setup
        for row in section.relocations:
            symbol = self.found.symbols[row.symbol]
            if symbol.section in self.dropped:
                reason = "this refers to what describes the code: unwinding, debugging"
                raise refused(self.found, section, row.offset, reason)
            if (section.index, row.offset) in self.from_table:
                continue
            if row.kind in setup and (symbol.name, row.addend) != (_TABLE, setup[row.kind].addend):
                reason = f"a distance from the program counter to {symbol.name or 'a section'}"
                raise refused(self.found, section, row.offset, reason)
            if (section.index, row.offset) in self.tables or not self._is_code(symbol.section):
                continue
            self._check_code(section, row, symbol)

    def _check_code(self, section: Section, row: Relocation, symbol: Symbol) -> None:
        """Refuse relocations by which code may be counted from a place within a function."""
        offset = symbol.value + row.addend
        if symbol.kind != SECTION:
            form = self.speller.forms.get(row.kind)
            if row.addend and not (form and "@plt" in form.text and row.addend == _HALF):
                reason = f"{symbol.name}{row.addend:+d} is a place within a function"
                raise refused(self.found, section, row.offset, reason)
            return
        target = self.found.by_index[symbol.section]
        if not 0 <= offset < target.size or offset % 4:
            reason = f"{target.name}{offset:+d} is no instruction"
            raise refused(self.found, section, row.offset, reason)
        if section.is_code:
            takes = row.kind not in self.part.branches and not self._is_number(section, row.offset)
        else:
            takes = section.name in _ADDRESSES
        if not takes:
            return
        if offset in self.symbols[target.index] or self._is_number(target, offset):
            return
        if (target.index, offset) in self.tables:
            return
        if section is target and self._is_only_jumped_to(section, row, offset):
            return
        reason = (
            f"the address of {target.name}{offset:+d} is taken, "
            "from which other code may be counted"
        )
        raise refused(self.found, section, row.offset, reason)

    def _is_only_jumped_to(self, section: Section, row: Relocation, label: int) -> bool:
        """Return whether code takes the address of a label of its own function to jump there."""
        index, place = section.index, row.offset - row.offset % 4
        begin, end = self._limits(index, place)
        if not begin <= label < end:
            return False
        branches, parts, labels = {}, set(), set()
        for other in self.found.sections:
            for one in other.relocations:
                symbol = self.found.symbols[one.symbol]
                offset = symbol.value + one.addend if symbol.section == index else end
                is_here = other is section
                if is_here and one.kind in self.part.branches:
                    branches[one.offset] = offset
                elif begin <= offset < end:
                    labels.add(offset)
                    if is_here and offset == label:
                        parts.add(one.offset - one.offset % 4)
        code = Function(self.isa, self.words[index], begin, end, labels, branches)
        return is_only_jumped_to(code, place, parts)

    def _is_number(self, section: Section, offset: int) -> bool:
        return offset in self.numbers[section.index]

    def _want_labels(self, section: Section) -> None:
        for row in section.relocations:
            entry = self.tables.get((section.index, row.offset))
            for index, offset in entry or ():
                self.targets.wanted[index].add(offset)
            if not entry:
                self.targets.of(row)
        for table in self.exceptions.get(section.index, ()):
            self.targets.wanted[section.index].add(table.start)
            index, begin, _ = self.frames.tables[section.index, table.start]
            for site in table.sites:
                self.targets.wanted[index] |= {
                    begin, *(begin + one for one in (site.start, site.end, site.pad))
                }  # fmt: skip
        if section.is_code:
            self._code(section, Text())

    def _data(self, section: Section, start: int, end: int, out: Text | None = None) -> None:
        if section.index not in self.exceptions:
            super()._data(section, start, end, out)
            return
        for table in self.exceptions[section.index]:
            self._exceptions(section, table)

    def _exceptions(self, section: Section, table: Table) -> None:
        """Write a table of exceptions with differences of labels."""
        lines, name = self.out.lines, place(section.index, table.start)
        function, begin, _ = self.frames.tables[section.index, table.start]
        if table.align > 1:
            lines.append(f"\t.balign\t{table.align}")
        self._labels(section, table.start, self.out)
        lines.append(f"\t.byte\t{exceptions.OMITTED:#x}, {table.encoding:#x}")
        if table.encoding != exceptions.OMITTED:
            lines += [f"\t.uleb128\t{name}.types-{name}.head", f"{name}.head:"]
        lines += [f"\t.byte\t{exceptions.ULEB128:#x}",
                  f"\t.uleb128\t{name}.actions-{name}.sites", f"{name}.sites:"]  # fmt: skip
        for site in table.sites:
            start, end, pad = (
                place(function, begin + one) for one in (site.start, site.end, site.pad)
            )
            base = place(function, begin)
            lines += [f"\t.uleb128\t{start}-{base}", f"\t.uleb128\t{end}-{start}",
                      f"\t.uleb128\t{pad}-{base}" if site.pad else "\t.uleb128\t0",
                      f"\t.uleb128\t{site.action}"]  # fmt: skip
        lines.append(f"{name}.actions:")
        lines += content(section, *table.actions)
        first, last = table.types
        if table.align > 1:
            lines.append(f"\t.balign\t{table.align}")
        if first < last:
            super()._data(section, first, last)
        if table.encoding != exceptions.OMITTED:
            lines.append(f"{name}.types:")
            lines += content(section, last, table.end)

    def _labels(self, section: Section, offset: int, out: Text) -> None:
        where = section.index, offset
        closing = [*self.frames.end.get(where, ()), *self.ends.get(where, ())]
        out.lines += [f"\t{line}" for line in closing]
        super()._labels(section, offset, out)
        out.lines += [f"{quoted(f'.L.{one.name}')}:" for one in self.described.get(where, ())]
        opening = [*self.frames.begin.get(where, ()), *self.frames.rules.get(where, ())]
        out.lines += [f"\t{line}" for line in opening]

    def _attributes(self, symbol: Symbol) -> list[str]:  # type: ignore[override]
        lines = list(super()._attributes(symbol))
        if self._is_code(symbol.section) or symbol.index in self.descriptors:
            lines = [line for line in lines if not line.startswith("\t.size")]
        return lines

    def _number(
        self, section: Section, offset: int, size: int, rows: list[Relocation], out: Text
    ) -> None:
        entry = self.tables.get((section.index, offset))
        if entry is None:
            super()._number(section, offset, size, rows, out)
            return
        form = self.speller.forms[rows[0].kind]
        out.lines.append(f"\t{form.directive}\t{place(*entry[0])}-{place(*entry[1])}")

    def _word(
        self, section: Section, offset: int, word: int, rows: list[Relocation], out: Text
    ) -> None:
        if offset in self.padding[section.index]:
            alignment = self.padding[section.index][offset]
            out.lines += [f"\t.balign\t{alignment}"] if alignment else []
            return
        data = self._code_data(section, offset)
        if data:
            out.lines.append(f"\t{data}")
            return
        super()._word(section, offset, word, rows, out)
        chosen, texts = out.chosen.get((section.index, offset), (0, 2))
        if chosen == texts - 1 and word:  # 0 is an instruction of none, which traps
            reason = f"the word {word:#010x} has no text as an instruction"
            raise refused(self.found, section, offset, reason)
        line = out.lines[-1]
        table = self.from_table.get((section.index, offset))
        if table:
            number = f"{_TABLE}{rows[0].addend:+d}"
            out.lines[-1] = line.replace(number, f"{_TABLE}-({place(*table)}-.)")
        if any(self._counts_from_here(row) for row in rows):
            begin = self._counted_from(section, offset, word, rows)
            self.targets.wanted[section.index].add(begin)
            out.lines[-1] = self._counted(line, section, offset, begin)
        elif "\t." in line[1:] and (".+" in line or ".-" in line):
            raise refused(self.found, section, offset, "a branch out of its section")

    def _code_data(self, section: Section, offset: int) -> str:
        """Return the directive for a word of data among code; empty: it is an instruction."""
        entry = self.tables.get((section.index, offset))
        if entry:
            return f".long\t{place(*entry[0])}-{place(*entry[1])}"
        return self.tracebacks.get((section.index, offset), "")

    def _counts_from_here(self, row: Relocation) -> bool:
        form = self.speller.forms.get(row.kind)
        return form is not None and not form.directive and "({}-.)" in form.text

    def _counted_from(
        self, section: Section, offset: int, word: int, rows: list[Relocation]
    ) -> int:
        """Return the place whose address the code has, to which a distance is added."""
        function = self._function(section.index, offset)
        words = self.words[section.index]
        candidates = [
            n + 4 for n in range(function, offset, 4) if words[n // 4] in self.part.reads_counter
        ]
        if self.part.reads_entry(words[function // 4]):
            candidates.append(function)
        row = rows[0]
        rest = row.addend - (row.offset - offset)
        fits = [n for n in candidates if rest - (offset - n) in (0, _HALF)]
        if len(fits) != 1:
            raise refused(self.found, section, offset, "it is not known what a distance begins at")
        return fits[0]

    def _counted(self, line: str, section: Section, offset: int, begin: int) -> str:
        """Return a line with the distance counted from a label instead of from itself."""
        head, _, tail = line.partition("-.)")
        start = head.rfind("(") + 1
        expression = head[start:]
        moved = f"{expression}{begin - offset:+d}-{place(section.index, begin)}"
        return f"{head[:start]}{moved}){tail}"


def _check_sections(found: ObjectFile) -> None:
    for section in found.sections:
        if section.name.startswith(MADE_BY_INST):
            raise refused(found, section, 0, f"the object is {ALREADY}")
