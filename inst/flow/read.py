"""From statements to `Code`: the facts of instructions, the places of labels, numbers as code."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable

from inst.asm.model import Kind, Statement, source_line
from inst.asm.syntax import Syntax
from inst.dataclass import replace
from inst.errors import ErrorList, InstError, Location
from inst.flow.code import NAME, NUMERIC, Code, referring
from inst.flow.encoded import BYTES, Finder, facts_of
from inst.flow.model import Conventions
from inst.flow.sections import SECTION_DIRECTIVES, Sections
from inst.isa.model import Facts, Isa, Transfer

_IDENT = re.compile(r'"(GCC|clang|.*clang version|GNU )', re.IGNORECASE)
_BEGINS_NUMBER = frozenset("0123456789(-~+")
_BYTES_ON = re.compile(rf"\s*[-+]\s*{BYTES}$")
_MISMATCHED_LIMIT = 20  # errors reported in one run


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
        match = NUMERIC.fullmatch(name)
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
    return errors[0] if len(errors) == 1 else ErrorList(errors[:_MISMATCHED_LIMIT])
