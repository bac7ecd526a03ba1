"""The text of an object into which code can be inserted: what is a distance is written as one.

Sizes, unwinding information, jump tables and distances from the program counter are plain numbers
in an object, or relocations with plain numbers in them. Here they are differences of labels. What
cannot be classified as one or the other is refused; debugging information is left out.
"""

from __future__ import annotations

from dataclasses import replace

from inst import isa as instruction_sets
from inst.errors import InstError
from inst.isa.model import Transfer
from inst.objects import exceptions, frames
from inst.objects.exceptions import Table
from inst.objects.model import ALLOC, ObjectFile, Relocation, Section, Symbol, refused
from inst.objects.names import place, quoted
from inst.objects.references import check_references
from inst.objects.symbolized import HALF, OFFSET_TABLE, Symbolized
from inst.objects.text import Levels, Text, Writer, content
from inst.target.model import Target
from inst.words.facts import decoder

MADE_BY_INST = ".debug_inst_"
"""How the names of sections begin that only instrumented objects have."""
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
        _check_sections(found)
        if reason := self.part.cannot_grow(found):
            raise InstError(f"{found.name}: {reason}", hint="compile its source with inst-cc")
        self._decode = decoder(self.part.producer(found))
        self.known = Symbolized(found, kept, self.contents, self.part)
        self.speller.forms = self.known.forms
        check_references(self.known, instruction_sets.get(target.isa, target.abi))
        for index, offsets in self.known.labels.items():
            self.targets.wanted[index] |= offsets
        self.found = replace(
            kept,
            symbols=tuple(
                replace(s, name="", section=0) if s.section in self.known.dropped else s
                for s in kept.symbols
            ),
        )

    def _want_labels(self, section: Section) -> None:
        for row in section.relocations:
            entry = self.known.tables.get((section.index, row.offset))
            for index, offset in entry or ():
                self.targets.wanted[index].add(offset)
            if not entry:
                self.targets.of(row)
        for table in self.known.exceptions.get(section.index, ()):
            self.targets.wanted[section.index].add(table.start)
            index, begin, _ = self.known.frames.tables[section.index, table.start]
            for site in table.sites:
                self.targets.wanted[index] |= {
                    begin, *(begin + one for one in (site.start, site.end, site.pad))
                }  # fmt: skip
        if section.is_code:
            self._code(section, Text())

    def _data(self, section: Section, start: int, end: int, out: Text | None = None) -> None:
        if section.index not in self.known.exceptions:
            super()._data(section, start, end, out)
            return
        for table in self.known.exceptions[section.index]:
            self._exceptions(section, table)

    def _exceptions(self, section: Section, table: Table) -> None:
        """Write a table of exceptions with differences of labels."""
        lines, name = self.out.lines, place(section.index, table.start)
        function, begin, _ = self.known.frames.tables[section.index, table.start]
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
        closing = [*self.known.frames.end.get(where, ()), *self.known.ends.get(where, ())]
        out.lines += [f"\t{line}" for line in closing]
        super()._labels(section, offset, out)
        out.lines += [f"{quoted(f'.L.{one.name}')}:" for one in self.known.described.get(where, ())]
        opening = [*self.known.frames.begin.get(where, ()), *self.known.frames.rules.get(where, ())]
        out.lines += [f"\t{line}" for line in opening]

    def _attributes(self, symbol: Symbol) -> list[str]:  # type: ignore[override]
        lines = list(super()._attributes(symbol))
        if self.known.is_code(symbol.section) or symbol.index in self.known.descriptors:
            lines = [line for line in lines if not line.startswith("\t.size")]
        return lines

    def _number(
        self, section: Section, offset: int, size: int, rows: list[Relocation], out: Text
    ) -> None:
        entry = self.known.tables.get((section.index, offset))
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
        # 0 is an instruction of none, which traps
        if chosen == texts - 1 and word and not self._stays_a_number(word, rows):
            reason = f"the word {word:#010x} has no text as an instruction"
            raise refused(self.found, section, offset, reason)
        line = out.lines[-1]
        table = self.known.from_table.get((section.index, offset))
        if table:
            number = f"{OFFSET_TABLE}{rows[0].addend:+d}"
            out.lines[-1] = line.replace(number, f"{OFFSET_TABLE}-({place(*table)}-.)")
        if any(self._counts_from_here(row) for row in rows):
            begin = self._counted_from(section, offset, word, rows)
            self.targets.wanted[section.index].add(begin)
            out.lines[-1] = self._counted(line, section, offset, begin)
        elif "\t." in line[1:] and (".+" in line or ".-" in line):
            raise refused(self.found, section, offset, "a branch out of its section")

    def _stays_a_number(self, word: int, rows: list[Relocation]) -> bool:
        """Return whether it is known what a word does which the assembler has no text for.

        It accesses nothing and goes on to the next one, like `mtfsf 255,0,1,0`, which GNU as does
        not take for most processors.
        """
        facts = self._decode(word).facts
        return facts is not None and not (
            facts.access or facts.transfer is not Transfer.NONE or rows
        )

    def _code_data(self, section: Section, offset: int) -> str:
        """Return the directive for a word of data among code; empty: it is an instruction."""
        entry = self.known.tables.get((section.index, offset))
        if entry:
            return f".long\t{place(*entry[0])}-{place(*entry[1])}"
        return self.known.tracebacks.get((section.index, offset), "")

    def _counts_from_here(self, row: Relocation) -> bool:
        form = self.speller.forms.get(row.kind)
        return form is not None and not form.directive and "({}-.)" in form.text

    def _counted_from(
        self, section: Section, offset: int, word: int, rows: list[Relocation]
    ) -> int:
        """Return the place whose address the code has, to which a distance is added."""
        function = self.known.function(section.index, offset)
        words = self.contents.words[section.index]
        candidates = [
            n + 4 for n in range(function, offset, 4) if words[n // 4] in self.part.reads_counter
        ]
        if self.part.reads_entry(words[function // 4]):
            candidates.append(function)
        row = rows[0]
        rest = row.addend - (row.offset - offset)
        fits = [n for n in candidates if rest - (offset - n) in (0, HALF)]
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
