"""Where exceptions enter functions: the call sites and landing pads of `.gcc_except_table`.

Compilers write, for each function that catches or cleans up, a table ("language-specific data
area") whose middle part lists call sites: a range of code, the landing pad to which an
exception from there goes, and what it does.  GCC and clang write them as differences of
labels, so the ranges can be read from the text:

    .byte 0xff; .byte 0x94; .uleb128 TYPES-A; A: .byte 1; .uleb128 END-BEGIN; BEGIN:
    .uleb128 FIRST-FUNCTION; .uleb128 LAST-FIRST; .uleb128 PAD-FUNCTION; .uleb128 0; END:

Source: "Exception handling tables" by the comments of gcc/except.cc, output_one_function_-
exception_table, whose layout clang's EHStreamer shares.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from inst.asm.model import Kind, Statement
from inst.dataclass import dataclass, field
from inst.flow.code import NAME, Code
from inst.flow.sections import SECTION_DIRECTIVES, Sections

_SECTION = ".gcc_except_table"
_FRAMES = ".eh_frame"
_VALUES = frozenset(
    (".byte", ".uleb128", ".sleb128", ".2byte", ".half", ".short", ".uahalf", ".4byte", ".long",
     ".int", ".word", ".uaword", ".8byte", ".quad", ".llong", ".xword", ".uaxword", ".dword")
)  # fmt: skip
_TABLE = re.compile(r"\.LLSDA\d+|\.Lexception\d+|GCC_except_table\d+")
"""A table's label, by gcc or clang."""
_OMITTED = 0xFF
_LABEL = r"\(?([A-Za-z_.$][\w.$]*)\)?"
_DISTANCE = re.compile(rf"{_LABEL}\s*-\s*{_LABEL}")
_NUMBER = re.compile(r"0[xX][\da-fA-F]+|\d+")
_FIELDS = 4
"""Of a call site: first instruction, length, landing pad, action."""


@dataclass(frozen=True, slots=True)
class CallSite:
    """Instructions from `first` up to `end`, whose exceptions go to instruction `pad`."""

    first: int
    end: int
    pad: int


class UnreadableTable(Exception):
    """A table of call sites does not have the form that compilers write."""


@dataclass(slots=True)
class _Data:
    """The labels and values of one section in order."""

    values: list[str] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)
    """Label -> how many values stand before it."""


@dataclass(slots=True)
class _Tables:
    """The tables of a file, as its directives describe them."""

    sections: dict[str, _Data] = field(default_factory=dict)
    named: set[str] = field(default_factory=set)
    """Labels of tables, by the directives of frame information."""
    framed: set[str] = field(default_factory=set)
    """Names in frame information that the compiler wrote as data."""

    def labels(self) -> set[str]:
        """Return the labels at which tables begin.

        Frame information that is data may be in another part of the file: then they are those with
        the names that compilers give to tables.
        """
        labels = {label for section in self.sections.values() for label in section.labels}
        named = self.named | self.framed & labels
        return named or {label for label in labels if _TABLE.fullmatch(label)}


def call_sites(code: Code) -> list[CallSite]:
    """Return the call sites of a file that have a landing pad.

    Raises UnreadableTable if there are tables that cannot be read.
    """
    tables = _read(code.statements)
    names = tables.labels()
    if not names and any(section.values for section in tables.sections.values()):
        raise UnreadableTable("no frame information names the tables")
    found = []
    for name in sorted(names):
        section = next((one for one in tables.sections.values() if name in one.labels), None)
        if section is None:
            raise UnreadableTable(f"{name} is not in this part of the file")
        found += [_placed(code, *entry) for entry in _entries(section, name)]
    return [site for site in found if site.first < site.end]


def _read(statements: list[Statement]) -> _Tables:
    """Collect the tables, and what names them."""
    found = _Tables()
    sections = Sections()
    current: _Data | None = None
    in_frames = False
    for statement in statements:
        name = statement.name
        if statement.kind == Kind.LABEL:
            if current is not None:
                current.labels[name] = len(current.values)
        elif statement.kind != Kind.DIRECTIVE:
            continue
        elif name in SECTION_DIRECTIVES:
            sections.directive(name, statement.operands)
            is_table = sections.current.startswith(_SECTION)
            current = found.sections.setdefault(sections.current, _Data()) if is_table else None
            in_frames = sections.current.startswith(_FRAMES)
        elif name == ".cfi_lsda":
            found.named.update(label.strip() for label in statement.operands.split(",")[1:])
        elif current is not None and name in _VALUES:
            current.values += [value.strip() for value in statement.operands.split(",")]
        elif in_frames and name in _VALUES:
            found.framed.update(NAME.findall(statement.operands))
    return found


def _entries(section: _Data, name: str) -> Iterator[tuple[str, str, str]]:
    """Yield the call sites of a table with a landing pad: labels of begin, end and pad."""
    values = iter(section.values[section.labels[name] :])
    at = section.labels[name] + 4
    if _number(next(values, "")) != _OMITTED:  # of what landing pads are relative to
        next(values, "")
        at += 1
    if _number(next(values, "")) != _OMITTED:  # of the table of types
        next(values, "")
        at += 1
    _number(next(values, ""))  # of the values in call sites
    length = _DISTANCE.fullmatch(next(values, ""))
    if length is None or section.labels.get(length[2]) != at:
        raise UnreadableTable(f"{name} does not begin as a table of call sites does")
    end = section.labels.get(length[1], -1)
    if end < at or (end - at) % _FIELDS:
        raise UnreadableTable(f"{name} has no whole number of call sites")
    for place in range(at, end, _FIELDS):
        site = _entry(section.values[place : place + _FIELDS])
        if site is not None:
            yield site


def _entry(values: list[str]) -> tuple[str, str, str] | None:
    """Return the labels of one call site, or None if it has no landing pad."""
    first, length, pad, _ = values
    if _NUMBER.fullmatch(pad) and int(pad, 0) == 0:
        return None
    begin, size = _DISTANCE.fullmatch(first), _DISTANCE.fullmatch(length)
    landing = _DISTANCE.fullmatch(pad) or NAME.fullmatch(pad)
    if begin is None or size is None or landing is None or size[2] != begin[1]:
        raise UnreadableTable(f"a call site is not given by labels: {', '.join(values)}")
    return begin[1], size[1], landing[1] if landing.lastindex else landing[0]


def _number(text: str) -> int:
    if not _NUMBER.fullmatch(text):
        raise UnreadableTable(f"a number is expected, not {text}")
    return int(text, 0)


def _placed(code: Code, begin: str, end: str, pad: str) -> CallSite:
    """Return the instructions that a call site's labels stand before."""
    try:
        first, last, landing = (code.labels[name] for name in (begin, end, pad))
    except KeyError as missing:
        raise UnreadableTable(f"{missing} is not in this part of the file") from missing
    if first < 0:  # nothing follows it in its section
        return CallSite(0, 0, 0)
    section_end = code.section_end[bisect_right(code.section_end, first)]
    last = section_end if last < 0 else last
    if landing < 0 or not first <= last <= section_end:
        raise UnreadableTable(f"from {begin} to {end} there is no code with a landing pad")
    return CallSite(first, last, landing)
