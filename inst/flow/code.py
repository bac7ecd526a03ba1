"""The instructions of a file in the order they will have in memory, and where labels point.

Assembly switches sections at will; here every section's instructions are consecutive, so
"the next instruction" is the next index unless `section_end` says otherwise.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator

from inst.asm.model import Kind, Statement, source_line
from inst.asm.operands import split_operands
from inst.asm.syntax import Syntax
from inst.dataclass import dataclass, field, replace
from inst.errors import InstError, Location
from inst.flow.encoded import SKIP, Finder, facts_of
from inst.flow.model import Conventions
from inst.flow.sections import SECTION_DIRECTIVES, Sections
from inst.isa.model import Facts, Isa, RegisterSet, Transfer

_IDENT = re.compile(r'"(GCC|clang|.*clang version|GNU )', re.IGNORECASE)
_NUMERIC = re.compile(r"(\d+)([bf])")
NAME = re.compile(r"[A-Za-z_.$][\w.$]*")
"""A name among operands."""
_BEGINS_NUMBER = frozenset("0123456789(-~+")
_BYTES_ON = re.compile(r"\s*[-+]\s*\d+$")
_WORDS = frozenset((".long", ".4byte", ".int", ".word", ".uaword"))
_MISMATCHED_LIMIT = 20  # errors reported in one run


@dataclass(slots=True)
class Code:
    """Instructions by index; `statement[i]` is the place of instruction i in the file."""

    statements: list[Statement]
    file: str
    statement: list[int] = field(default_factory=list)
    facts: list[Facts] = field(default_factory=list)
    section_end: list[int] = field(default_factory=list)
    """For each section in order, the index after its last instruction."""
    sections: list[str] = field(default_factory=list)
    """Their names."""
    labels: dict[str, int] = field(default_factory=dict)
    """Label -> index of the instruction it precedes; numeric labels are not here."""
    numeric: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    """Numeric label -> (statement, instruction) of each definition, in file order."""
    written: list[Statement] = field(default_factory=list)
    """The user's statements, if passes have changed some since; errors show these."""
    compiled: bool = False
    elsewhere: frozenset[str] = frozenset()
    """Labels of the same file that stand outside of this part of it."""
    table: frozenset[str] = frozenset()
    """Labels of the file's part of the table of contents (64-bit PowerPC)."""
    _described: frozenset[int] | None = None

    def at(self, index: int) -> Statement:
        """Return the statement of an instruction."""
        return self.statements[self.statement[index]]

    def text(self, index: int) -> str:
        """Return an instruction as text."""
        statement = self.at(index)
        return f"{statement.name} {statement.operands}".rstrip()

    def retargeted(self, index: int, target: str, name: str = "") -> str:
        """Return a branch or call as text with another target, and perhaps another name."""
        statement = self.at(index)
        operands = list(split_operands(statement.operands))
        operands[self.facts[index].target_operand] = target
        return f"{name or statement.name} {','.join(operands)}"

    def is_slot(self, index: int) -> bool:
        """Return whether an instruction runs in the delay slot of the one before it."""
        before = self.facts[index - 1] if index else None
        return before is not None and before.runs_slot and index not in self.section_end

    def is_described(self, first: int, last: int) -> bool:
        """Return whether unwinding tables describe all from one instruction to another."""
        if self._described is None:
            self._described = frozenset(described(self.statements))
        start, end = self.statement[first], self.statement[last]
        return self._described.issuperset(range(start, end + 1))

    def labelled(self, ignored: tuple[str, ...] = ()) -> frozenset[int]:
        """Return the instructions that a label precedes, or that begin a section.

        Labels that begin with one of `ignored` do not count, but clang's `.LBB0_1` is a block's,
        where gcc's `.LBB1` is for debugging.
        """
        named = (
            at for label, at in self.labels.items() if not label.startswith(ignored) or "_" in label
        )
        numeric = (index for places in self.numeric.values() for _, index in places)
        return frozenset((*named, *numeric, *self.local_entries().values(), *self.section_end))

    def local_entries(self) -> dict[str, int]:
        """Return the functions with two entry points, and where the second is (64-bit PowerPC)."""
        found = {
            statement.operands.split(",")[0].strip(): position
            for position, statement in enumerate(self.statements)
            if statement.name == ".localentry"
        }
        if not found:
            return {}
        index_of = {position: index for index, position in enumerate(self.statement)}
        order = sorted(index_of)  # sections may alternate in the file
        following = {name: bisect_left(order, position) for name, position in found.items()}
        return {name: index_of[order[n]] for name, n in following.items() if n < len(order)}

    def mentioned(self) -> RegisterSet:
        """Return every register that some instruction names; traps read what they do not name."""
        found = 0
        for fact in self.facts:
            if fact.transfer != Transfer.TRAP:
                found |= fact.uses | fact.defs
        return found

    def functions(self) -> frozenset[str]:
        """Return the names that the file declares to be functions."""
        return frozenset(
            statement.operands.split(",")[0].strip()
            for statement in self.statements
            if statement.kind == Kind.DIRECTIVE
            and statement.name == ".type"
            and "function" in statement.operands
        )

    def target(self, index: int) -> int:
        """Return the instruction a direct branch goes to, or -1 if it is not in this file."""
        found = self.place_of(self.facts[index].target, self.statement[index])
        return self._skipping(index) if found is None else found

    def place_of(self, name: str, here: int) -> int | None:
        """Return the instruction that a label precedes, as named by statement `here`.

        -1: none follows it; None: there is no such label in this file.
        """
        found = self.labels.get(name)
        if found is not None:
            return found
        match = _NUMERIC.fullmatch(name)
        if not match:
            return None
        places = self.numeric.get(match[1], [])
        if match[2] == "b":
            position = bisect_right(places, (here, 1 << 60)) - 1
        else:
            position = bisect_left(places, (here, 0))
        return places[position][1] if 0 <= position < len(places) else -1

    def _skipping(self, index: int) -> int:
        """Return the target of a branch to `.+8` or `$+8`, if nothing skipped may grow."""
        match = SKIP.fullmatch(self.facts[index].target)
        if not match or int(match[1]) % 4:
            return -1
        target, left = index, int(match[1])
        for statement in self.statements[self.statement[index] :]:
            if not left:
                break
            if statement.kind == Kind.INSTRUCTION:
                target, left = target + 1, left - 4
            elif statement.name in _WORDS:  # PowerPC code has the distance of the GOT there
                left -= 4 * (statement.operands.count(",") + 1)
        if left or any(index < end <= target for end in self.section_end):
            return -1
        between = self.facts[index + 1 : target]
        return -1 if any(fact.access or fact.length != 4 for fact in between) else target


_TABLE_SECTION = re.compile(
    r'^\s*\.section\s+"?\.toc\b.*\n((?:[ \t]+\.(?!section).*\n|\S+:.*\n)+)', re.M
)
_TABLE_LABEL = re.compile(r"^([\w.$]+):", re.M)
_OTHER_NAME = re.compile(r"^[ \t]+\.set[ \t]+([\w.$]+)[ \t]*,[ \t]*([\w.$]+)[ \t]*$", re.M)


def table_labels(source: str) -> frozenset[str]:
    """Return the labels that stand in the table of contents of 64-bit PowerPC code."""
    if ".toc" not in source:
        return frozenset()
    found = {
        label for text in _TABLE_SECTION.findall(source) for label in _TABLE_LABEL.findall(text)
    }
    for name, label in _OTHER_NAME.findall(source):  # gcc has several names for one entry
        if label in found:
            found.add(name)
    return frozenset(found)


def made_by_compiler(statements: list[Statement]) -> bool:
    """Return whether the file carries a compiler's `.ident`."""
    return any(
        s.name == ".ident" and _IDENT.search(s.operands)
        for s in reversed(statements)
        if s.kind == Kind.DIRECTIVE
    )


class _Section:
    """Instructions and labels of one section while the file is read."""

    __slots__ = ("facts", "labels", "numeric", "statement")

    def __init__(self) -> None:
        self.statement: list[int] = []
        self.facts: list[Facts] = []
        self.labels: list[tuple[str, int]] = []
        self.numeric: list[tuple[str, int, int]] = []


def read_code(
    statements: list[Statement],
    isa: Isa,
    file: str,
    sections: Sections | None = None,
    compiled: bool = False,
) -> Code:
    """Find every instruction's facts and every label's place.

    `sections` goes on where the part of the file before this one ended; `compiled` says that a
    compiler has made it, also where this part does not show it.
    Raises InstError (or ErrorList) naming each statement that the tables do not know.
    """
    sections = sections or Sections()
    before = sections.state()
    code, has_words = _read(statements, isa, isa.facts, file, sections)
    if has_words:
        sections.restore(before)
        code.compiled |= compiled
        statements = _with_encoded(code, isa, file, sections)
        sections.restore(before)
        code, _ = _read(statements, isa, facts_of(isa), file, sections)
    code.compiled |= compiled
    return code


def _read(
    statements: list[Statement],
    isa: Isa,
    facts_of: Callable[[str, str], Facts],
    file: str,
    sections: Sections,
) -> tuple[Code, bool]:
    """Return the code, and whether numbers, except 0, may stand among instructions."""
    words = isa.part(Syntax).words
    parts: dict[str, _Section] = {}
    section = parts.setdefault(sections.current, _Section())
    has_words = False
    errors: list[InstError] = []
    relocations: list[int] = []
    instruction, label, directive = Kind.INSTRUCTION, Kind.LABEL, Kind.DIRECTIVE
    for position, statement in enumerate(statements):
        kind = statement.kind
        if kind == instruction:
            try:
                facts = facts_of(statement.name, statement.operands)
            except InstError as error:
                errors.append(_located(error, statements, position, file))
                continue
            if facts.window < 0 and facts.transfer == Transfer.RETURN and section.facts:
                facts = _after_jump(section.facts[-1], facts)
            section.statement.append(position)
            section.facts.append(facts)
        elif kind == label:
            index = len(section.statement)
            if statement.name.isdigit():
                section.numeric.append((statement.name, position, index))
            else:
                section.labels.append((statement.name, index))
        elif kind == directive and statement.name in SECTION_DIRECTIVES:
            sections.directive(statement.name, statement.operands)
            section = parts.setdefault(sections.current, _Section())
        elif kind == directive and statement.name == ".reloc":
            relocations.append(position)
        elif kind == directive and statement.name in words and section.facts:
            has_words |= statement.operands[:1] in _BEGINS_NUMBER and statement.operands != "0"
        elif kind == Kind.OPAQUE:
            has_words = True
    if errors:
        raise _joined(errors)
    code = _joined_sections(statements, file, parts)
    if relocations and (find_dropped := isa.part(Conventions).dropped_by_linker):
        dropped = find_dropped(statements, relocations)
        code.facts = [
            without_access_report(fact) if position in dropped else fact
            for position, fact in zip(code.statement, code.facts, strict=True)
        ]
    return code, has_words


def _after_jump(before: Facts, facts: Facts) -> Facts:
    """Return the facts of SPARC's `rett`, which is no separate transfer in a jump's slot.

    `jmp %l1; rett %l2` is how a trap handler of SPARC V8 returns (manual, 7.4): the instruction
    at the jump's target runs as the slot of `rett`, and what follows in the file does not.
    """
    leaves = before.transfer in (Transfer.JUMP, Transfer.RETURN) and not before.window
    if not leaves or not before.delay_slot:
        return facts
    return replace(facts, transfer=Transfer.NONE, delay_slot=False, window=0, never_parted=True)


def _with_encoded(code: Code, isa: Isa, file: str, sections: Sections) -> list[Statement]:
    """Return the statements, with numbers that are instructions replaced by these."""
    executed = frozenset(code.sections)
    finder = Finder(code.statements, isa, code.functions(), _targets(code), file)
    facts = dict(zip(code.statement, code.facts, strict=True))
    found: list[Statement] = []
    errors: list[InstError] = []
    for position, statement in enumerate(code.statements):
        if statement.kind == Kind.DIRECTIVE:
            sections.directive(statement.name, statement.operands)
        if sections.current not in executed:
            found.append(statement)
            continue
        try:
            found += finder.take(position, sections.current, facts.get(position))
        except InstError as error:
            errors.append(_located(error, code.statements, position, file))
    if errors:
        raise _joined(errors)
    return found


def _targets(code: Code) -> set[str | int]:
    """Return the labels that control goes to: names, and the statements of numeric ones.

    Function descriptors name entries.  What else a compiler's data names is code, or lies
    elsewhere: a jump table has such names.
    """
    found: set[str | int] = set()
    sections, refers = Sections(), frozenset(referring(code.statements))
    for position, statement in enumerate(code.statements):
        sections.directive(statement.name, statement.operands)
        if position in refers and (code.compiled or sections.current == ".opd"):
            found.update(NAME.findall(statement.operands))
    for here, fact in zip(code.statement, code.facts, strict=True):
        name = _BYTES_ON.sub("", fact.target)
        match = _NUMERIC.fullmatch(name)
        if match is None:
            found.add(name)
            continue
        places = [position for position, _ in code.numeric.get(match[1], [])]
        at = bisect_left(places, here) - (match[2] == "b")
        found.update(places[at : at + 1] if at >= 0 else ())
    return found


def without_access_report(facts: Facts) -> Facts:
    """Return the facts of an instruction whose access the linker may drop."""
    if facts.access is None:
        return facts
    return replace(facts, access=replace(facts.access, linker_rewrites=True))


def _joined_sections(statements: list[Statement], file: str, sections: dict[str, _Section]) -> Code:
    code = Code(statements, file, compiled=made_by_compiler(statements))
    for name, section in sections.items():
        start = len(code.statement)
        code.statement += section.statement
        code.facts += section.facts
        end = len(code.statement)
        if end > start:
            code.section_end.append(end)
            code.sections.append(name)
        for label, index in section.labels:
            code.labels[label] = start + index if start + index < end else -1
        for number, position, index in section.numeric:
            place = start + index if start + index < end else -1
            code.numeric.setdefault(number, []).append((position, place))
    for places in code.numeric.values():
        places.sort()
    return code


_DESCRIBING = re.compile(r"\.(loc|cfi_.*|size|type|file|ident|stab.|globl|global)$")


def referring(statements: list[Statement]) -> Iterator[int]:
    """Yield the statements whose operands refer to places: code and data, no debug information."""
    in_debugging = False
    for position, statement in enumerate(statements):
        if statement.kind == Kind.INSTRUCTION:
            yield position
        if statement.kind != Kind.DIRECTIVE:
            continue
        if statement.name in (".section", ".pushsection"):
            in_debugging = statement.operands.startswith((".debug", '".debug'))
        elif statement.name in (".text", ".data", ".bss", ".previous", ".popsection"):
            in_debugging = False
        elif not in_debugging and not _DESCRIBING.match(statement.name):
            yield position


def addressed_labels(code: Code, ignored: frozenset[int] = frozenset()) -> set[str]:
    """Return the names that stand elsewhere than as the target of a branch, or in statements that
    are ignored."""
    facts = dict(zip(code.statement, code.facts, strict=True))
    found: set[str] = set()
    for position in referring(code.statements):
        statement = code.statements[position]
        if position in ignored:
            continue
        if statement.kind == Kind.INSTRUCTION:
            fact = facts.get(position)
            if fact is not None and fact.target:
                continue
        if ".L" in statement.operands:
            found.update(NAME.findall(statement.operands))
    return found


def described(statements: list[Statement]) -> Iterator[int]:
    """Yield the statements that unwinding tables describe: from .cfi_startproc to .cfi_endproc."""
    inside = False
    for position, statement in enumerate(statements):
        if statement.name in (".cfi_startproc", ".cfi_endproc"):
            inside = statement.name == ".cfi_startproc"
        if inside:
            yield position


def _located(error: InstError, statements: list[Statement], position: int, file: str) -> InstError:
    """Give an error of the tables its place in the file."""
    statement = statements[position]
    return type(error)(
        error.message,
        location=Location(file, statement.line, statement.column),
        source=source_line(statements, statement),
        hint=error.hint,
    )


def _joined(errors: list[InstError]) -> InstError:
    from inst.errors import ErrorList

    return errors[0] if len(errors) == 1 else ErrorList(errors[:_MISMATCHED_LIMIT])


def statement_error(code: Code, index: int, message: str, hint: str = "") -> InstError:
    """Return an error about instruction `index`, with its place and text."""
    statement, written = code.at(index), code.written or code.statements
    on_line = [one for one in written if one.line == statement.line]
    shown = next((one for one in on_line if one.name == statement.name), statement)
    return InstError(
        message,
        location=Location(code.file, statement.line, shown.column),
        source=source_line(written, statement),
        hint=hint,
    )


ENDS_BLOCK = frozenset(
    (Transfer.BRANCH, Transfer.CALL, Transfer.JUMP, Transfer.RETURN, Transfer.TRAP)
)
