"""Text in, text out: the whole translation as one list of steps.

split -> facts -> normalise -> (retry) -> liveness -> probes -> unreported -> windows -> counter ->
reach -> edits -> wrapped functions -> site table

Large files go through in parts that end where functions end (see `inst.flow.pieces`).
"""

from __future__ import annotations

import gc
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from inst import isa as instruction_sets
from inst.asm.model import Kind, Statement, source_line
from inst.asm.opaque import check_opaque
from inst.asm.places import Places
from inst.asm.split import split
from inst.errors import InstError, Location
from inst.flow import pieces
from inst.flow.code import Code, read_code, table_labels
from inst.flow.liveness import Liveness, find_liveness
from inst.flow.sections import Position, Sections
from inst.hooktable import LEVEL_SYMBOLS, SMALL_DATA_SYMBOL
from inst.isa.model import Isa
from inst.program.sitetable import KEEPS_REGISTER, SECTION
from inst.rewrite import (
    counter,
    function_calls,
    growth,
    marks,
    normalise,
    ordering,
    powerpc,
    powerpc64,
    powerpc_leaving,
    reach,
    small_data,
    sparc,
    sparc_leaving,
    unreported,
    windows,
)
from inst.rewrite.context import Rewriting
from inst.rewrite.counted_targets import name_counted_targets
from inst.rewrite.edits import Edits, apply_edits
from inst.rewrite.exits import open_exits
from inst.rewrite.immediates import refuse_long_immediates
from inst.rewrite.leaving import Leaving, find_leaving
from inst.rewrite.link_home import link_home
from inst.rewrite.local_entries import pad_local_entries
from inst.rewrite.measured import measure_from_calls
from inst.rewrite.reservations import leaves_reservation, open_reservations
from inst.rewrite.sparc_site import SITES, link_kept
from inst.rewrite.unreportable import refuse_accumulators, refuse_unreportable
from inst.rewrite.wrapping import Wrapping
from inst.target.model import Target

_PROBES: dict[tuple[str, int], Callable[[Rewriting], None]] = {
    ("sparc", 32): sparc.place_probes,
    ("sparc", 64): sparc.place_probes,
    ("powerpc", 32): powerpc.place_probes,
    ("powerpc", 64): powerpc64.place_probes,
}
_ENDS: dict[str, Callable[[Rewriting, Leaving, bool], None]] = {
    "sparc": sparc_leaving.end,
    "powerpc": powerpc_leaving.end,
}
"""What ends a region in which hooks use the stack that is left."""
_SPLIT_STACK = ".note.GNU-split-stack"
"""The section by which objects say that they grow their stacks (gcc -fsplit-stack)."""
_LOCAL_LABEL = re.compile(r"\.L.*|\d+[bf]")
_ADDRESS_DIRECTIVE = {
    ("sparc", 32): ".uaword",
    ("sparc", 64): ".uaxword",
    ("powerpc", 32): ".4byte",
    ("powerpc", 64): ".8byte",
}


@dataclass(frozen=True, slots=True)
class Options:
    """What the user chose when the file is instrumented."""

    level: str = "values"
    """"values": addresses and values; "addresses": addresses only."""
    counter: bool = True
    """Count backward branches and calls for windowhook."""
    frames: bool = True
    """Report SPARC's frames to the library, so that it can guard where windows are saved."""
    restores: bool = True
    """Report SPARC's restores to the library, which moves them out of delay slots."""
    check_slots: bool = True
    """Open delay slots that insertion would break, and refuse those that cannot be opened."""
    check_registers: bool = True
    """Refuse code that uses registers which the instrumentation needs."""
    keep_conditions: bool = False
    """Save condition codes at every site, live or not."""
    keep_registers: bool = False
    """Save the return address at every site, live or not."""
    functions: bool = False
    """Call glue at the entry and at the exits of each function."""
    small_data: bool = False
    """Leave r13 to small data (32-bit PowerPC), also in files that do not use it themselves."""


def translate(source: str, target: Target, options: Options, file: str = "<stdin>") -> str:
    """Return the instrumented form of an assembly file.

    Text that holds neither an access nor a watched function is returned unchanged.
    Raises InstError (or ErrorList) with file, line and text for what cannot be understood or cannot
    be instrumented.
    """
    isa = instruction_sets.get(target.isa, target.abi)
    if small_data.names_small_data(source, isa):
        options = replace(options, small_data=True)
    with _collector_paused():
        if pieces.may_be_cut(source, _scratch(isa)):
            try:
                names = pieces.function_names(source)
                return _File(isa, options, file, names).translate(source, pieces.cut(source))
            except (InstError, _CrossingLabel, _SmallData):
                pass  # as one piece: errors are complete then, and every label is there
        try:
            return _File(isa, options, file).translate(source, [source])
        except _SmallData:
            return _File(isa, replace(options, small_data=True), file).translate(source, [source])


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Keep the cycle collector from visiting the many statements that live to the end."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _scratch(isa: Isa) -> tuple[str, ...]:
    """Return the registers that make a file one piece when it names them."""
    return SITES[isa.abi].scratch if isa.abi in SITES else ()


class _CrossingLabel(Exception):
    """A local label of another part of the file is used."""


class _SmallData(Exception):
    """The file uses the register that probes of 32-bit PowerPC put addresses in."""


class _File:
    """A file on its way through the passes, in one or several parts."""

    def __init__(
        self, isa: Isa, options: Options, file: str, names: frozenset[str] | None = None
    ) -> None:
        self.isa = isa
        self.options = options
        self.file = file
        self.names = names
        """Labels of the whole file that are not local; None if it is in one part."""
        self.sections = Sections()
        self.places = Places()
        self.table = _SiteTable(isa, options)
        self.wrapping = Wrapping()
        self.table_labels: frozenset[str] = frozenset()
        self.line = 1
        self.declared = False
        self.labels = self.opened = 0
        """How many labels probes and opened slots have so far."""
        self.called = False
        """Whether glue is called for something other than an access."""

    def translate(self, source: str, parts: Iterable[str]) -> str:
        """Return the whole output: the parts in order, then the site table."""
        texts = []
        self.table_labels = table_labels(source)
        for part in parts:
            texts.append(self._translate_part(part))
            self.line += part.count("\n")
        wrapped = self.wrapping.text()
        if not self.table.rows and not wrapped and not self.called:
            return source
        return "".join([*texts, wrapped, *(self.table.text() if self.table.rows else ())])

    def _translate_part(self, source: str) -> str:
        before = self.sections.state()
        code = self._read(source)
        self.wrapping.add(code.statements)
        mentioned = code.mentioned()
        growth.refuse_measured_jumps(code)
        checks = self.options.check_registers
        if self.options.functions:
            code = self._reread(code, open_exits(code, self.isa, self.opened), before)
        if self.isa.name != "sparc":
            opened = name_counted_targets(code, self.opened)
            measure_from_calls(code, opened)
        elif self.options.check_slots:
            opened = normalise.normalise(code, self.isa, self.opened, checks)
        else:
            opened = Edits()
        code = self._reread(code, opened, before)
        growth.refuse_measured_code(code)
        if self.names is not None:
            _refuse_crossing_labels(code)
        refuse_unreportable(code, self.isa)
        values = self.options.level == "values"
        liveness = self._kept(find_liveness(code, self.isa))
        marked = marks.find_marks(code)
        marks.keep_all(marked, liveness, self.isa)
        work = Rewriting(code, self.isa, liveness, values, mentioned, checks)
        work.edits.labels = self.labels
        work.originals = {code.labels[label]: text for label, text in opened.renamed.items()}
        work.marked = frozenset(marked)
        work.reserved = open_reservations(code)
        if self.names is not None and leaves_reservation(code, work.reserved):
            raise _CrossingLabel  # its conditional store may stand in another part
        work.orders = ordering.find_orders(code, self.isa.registers) if values else {}
        if not self.options.keep_registers:
            work.link_home = link_home(code, self.isa)
            work.link_kept = link_kept(code, self.isa)
        refuse_accumulators(work)
        work.leaving = find_leaving(code, self.isa)
        if not self.options.small_data and small_data.reads_register(code, self.isa):
            raise _SmallData
        work.small_data = self.options.small_data and self.isa.abi == "svr4"
        self.table.on_small_data |= work.small_data and small_data.counts_on_register(
            code, self.isa
        )
        _PROBES[self.isa.name, 64 if work.small_data else self.isa.bits](work)
        marks.name_accesses(work, marked)
        self.called |= unreported.place_unreported(work)
        self.called |= windows.place_windows(work, self.options.frames, self.options.restores)
        self.called |= self.options.counter and counter.place_counts(work)
        for line in work.leaving.values():
            _ENDS[self.isa.name](work, line, self.options.frames)
        self.called |= self.options.functions and function_calls.place_functions(work)
        if work.edits.by_statement:
            reach.relax(code, work.edits, self.isa.jump)
            if self.isa.abi == "elfv2":
                pad_local_entries(code, work.edits)
            if self.isa.name == "sparc":
                refuse_long_immediates(code, work.edits)
        if work.edits.by_statement:
            self._declare(work)
        self.wrapping.define_commons(code.statements, work.edits)
        self.labels = work.edits.labels
        self.table.add(work, self.places.of(code.statements))
        return apply_edits(code.statements, work.edits)

    def _reread(self, code: Code, opened: Edits, sections: Position) -> Code:
        """Return the code after opening what had to be, read from where the part began."""
        if not opened.by_statement:
            return code
        self.opened = opened.labels
        self.sections.restore(sections)
        read = self._read(apply_edits(code.statements, opened))
        read.written = code.written or code.statements
        return read

    def _declare(self, work: Rewriting) -> None:
        """Declare the registers used to the assembler, once, on a line that exists already."""
        site = SITES.get(self.isa.abi)
        if self.declared or site is None or not site.declaration:
            return
        self.declared = True
        declared = any(
            statement.name == ".register" and statement.operands.startswith(f"%{name}")
            for statement in work.code.statements
            for name in site.scratch
        )
        if not declared:
            first = min(work.edits.by_statement)  # an instruction, or what describes the one before
            place = max((one for one in work.code.statement if one <= first), default=first)
            work.edits.at(place).before.insert(0, site.declaration)

    def _kept(self, liveness: Liveness) -> Liveness:
        """Return liveness with the registers to save at every site counted as live."""
        registers = self.isa.registers
        always = registers.special if self.options.keep_conditions else 0
        always |= registers.link if self.options.keep_registers else 0
        if always:
            liveness.before = [live | always for live in liveness.before]
            liveness.after = [live | always for live in liveness.after]
        return liveness

    def _read(self, source: str) -> Code:
        statements = split(source, self.isa.name, self.file, self.line)
        check_opaque(statements, self.file)
        if _SPLIT_STACK in source:
            _refuse_split_stack(statements, self.file)
        compiled = self.names is not None  # only a compiler's file is cut
        code = read_code(statements, self.isa, self.file, self.sections, compiled)
        code.table = self.table_labels
        if self.names is not None:
            code.elsewhere = self.names
        return code


def _refuse_split_stack(statements: list[Statement], file: str) -> None:
    """Refuse functions that check for stack space by code which the linker must recognise.

    The linker rewrites the first instructions of functions that call code without split stacks,
    which hooks are, and refuses a file whose functions do not begin as the compiler wrote them.
    """
    for statement in statements:
        if statement.kind == Kind.DIRECTIVE and _SPLIT_STACK in statement.operands:
            raise InstError(
                "code with split stacks cannot be instrumented",
                location=Location(file, statement.line, statement.column),
                source=source_line(statements, statement),
                hint="compile without -fsplit-stack (gccgo: -fno-split-stack)",
            )


def _refuse_crossing_labels(code: Code) -> None:
    """Raise _CrossingLabel where control goes to a local label of another part."""
    for index, fact in enumerate(code.facts):
        if fact.target and _LOCAL_LABEL.fullmatch(fact.target) and code.target(index) < 0:
            raise _CrossingLabel(fact.target)


class _SiteTable:
    """The directives of a file's site table."""

    def __init__(self, isa: Isa, options: Options) -> None:
        self.address = _ADDRESS_DIRECTIVE[isa.name, isa.bits]
        self.level = quoted(LEVEL_SYMBOLS[options.level])
        self.small_data = options.small_data and isa.abi == "svr4"
        self.on_small_data = False
        """Whether the file relies on r13."""
        self.rows: list[str] = []
        self.current: str | None = None

    def add(self, work: Rewriting, places: list[tuple[str, int] | None]) -> None:
        """Add the sites of a part, whose statements stand at `places` in the source."""
        for site in work.sites:
            statement = work.code.statements[site.statement]
            name, line = places[site.statement] or (work.code.file, statement.line)
            if name != self.current:
                self.current = name
                self.rows.append(f"\t.ascii {quoted('F' + name)}\n\t.byte 0\n")
            own = site.text or f"{statement.name} {statement.operands}"
            text = " ".join(own.split())
            fields = quoted(f"{site.event}\t{site.size}\t{line}\t{text}")
            row = f'\t.ascii "S"\n\t{self.address} {site.label}\n\t.asciz {fields}\n'
            self.rows.append(row)

    def text(self) -> Iterator[str]:
        """Yield the section: the level, then the rows."""
        yield f'\n\t.section {SECTION},"",@progbits\n'
        symbols = [self.level, *([quoted(SMALL_DATA_SYMBOL)] if self.on_small_data else [])]
        end = f'.asciz "{KEEPS_REGISTER}"' if self.small_data else ".byte 0"
        for symbol in symbols:
            yield f'\t.ascii "L"\n\t{self.address} {symbol}\n\t{end}\n'
        yield from self.rows


def quoted(text: str) -> str:
    """Return text as a string (or symbol) in double quotes, as gas reads it."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t")
    return f'"{escaped}"'
