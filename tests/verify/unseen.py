"""Ways that no branch shows: exceptions, asm goto, tables of instructions, second returns.

Each is found in the text by what it looks like, not by the structure that `inst.flow` reads: a
call site is three values in a row, FIRST-FUNCTION, LAST-FIRST and PAD-FUNCTION.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from inst.asm.model import Kind, Statement
from inst.isa.model import Transfer

from .listing import END, Listing, marks_instructions

_DATA = re.compile(
    r"\.(byte|[us]leb128|2byte|short|half|[48]byte|long|int|u?a?word|quad|llong|u?a?xword)"
)
_SITE = re.compile(r"([\w.$]+)-[\w.$]+ ([\w.$]+)-\1 ([.A-Z_a-z$][\w.$]*)-[\w.$]+(?= |$)")
_NAMES = re.compile(r"[A-Za-z_.$][\w.$]*|\b\d+[bf]\b")
_LOCAL = re.compile(r"\.L[\w.$]+")
_COMPILERS = re.compile(r"\.L[A-Z]*\d+")
"""Labels that compilers make: where jumps through a table go."""
_TABLE = re.compile(
    r"(?:\.(?:section \"?\.rodata|subsection|align|p2align)\b[^\n]*\n)*(\.L\d+):\n"
    r"((?:\.(?:long|word) \.L\d+(?:-\.L\d+)?\n)+)"
)
"""What is behind the jump of a switch: where it lies, its label, its words."""
_WORD = re.compile(r" (\.L\d+)(?:-(\.L\d+))?\n")
_LONGEST_TABLE = 4000
_TWICE = re.compile(r"_{0,2}(sig)?setjmp|_{0,2}vfork|_{0,2}getcontext")


@dataclass(slots=True)
class Unseen:
    """Where control may come to from an instruction, without a branch."""

    landings: dict[int, set[str]] = field(default_factory=dict)
    """Instruction -> labels of the landing pads of its exceptions."""
    jumps: dict[int, set[str]] = field(default_factory=dict)
    """Instruction of an asm statement -> labels that it names."""
    tables: dict[int, set[str]] = field(default_factory=dict)
    """Jump of compiled code -> labels in the table that follows it."""
    marked: set[int] = field(default_factory=set)
    """Instructions that a table names."""
    again: list[tuple[int, range]] = field(default_factory=list)
    """What follows a call that returns twice, and the function's instructions."""


def unseen_in(listing: Listing) -> Unseen:
    """Find the ways that no branch shows."""
    functions = listing.functions()
    found = Unseen(_landings(listing), _jumps(listing), _tables(listing))
    found.marked = {
        index
        for _, name, index in marks(listing)
        if name not in functions and not _COMPILERS.fullmatch(name)
    }
    found.again = list(_second_returns(listing, functions))
    return found


def _landings(listing: Listing) -> dict[int, set[str]]:
    """Return the landing pads of instructions."""
    values = " ".join(
        "".join(statement.operands.replace("(", "").replace(")", "").split())
        for statement, section in zip(listing.statements, listing.section, strict=True)
        if section.startswith(".gcc_except_table") and _DATA.fullmatch(statement.name)
    )
    found: dict[int, set[str]] = {}
    for first, last, pad in _SITE.findall(values):
        begin = listing.labels.get(first, END)
        if begin == END or pad not in listing.labels:
            continue
        end = listing.labels.get(last, END)
        here = listing.instructions[begin].section
        for index in range(begin, min(end, len(listing.instructions))):
            if listing.instructions[index].section != here:
                break
            found.setdefault(index, set()).add(pad)
    return found


def _jumps(listing: Listing) -> dict[int, set[str]]:
    """Return the labels that data of asm statements name, by the statements' instructions."""
    found: dict[int, set[str]] = {}
    inside: list[int] | None = None
    named: set[str] = set()
    for position, statement in enumerate(listing.statements):
        if inside is not None and statement.kind == Kind.INSTRUCTION:
            inside.append(listing.at[position])
        elif inside is not None and statement.kind == Kind.DIRECTIVE:
            named |= set(_LOCAL.findall(statement.operands)) & listing.labels.keys()
        if re.search(r"[#!]NO_APP", statement.text):
            for index in inside or []:
                found.setdefault(index, set()).update(named)
            inside, named = None, set()
        if re.search(r"[#!]APP", statement.text):
            inside = []
    return {index: labels for index, labels in found.items() if labels}


def _tables(listing: Listing) -> dict[int, set[str]]:
    """Return the labels in the tables of a switch, by the jumps right before them."""
    found: dict[int, set[str]] = {}
    for index, one in enumerate(listing.instructions):
        if one.facts.transfer != Transfer.JUMP or one.facts.conditional:
            continue
        last = index + one.facts.delay_slot
        behind = listing.statements[listing.instructions[last].statement + 1 :][:_LONGEST_TABLE]
        lines = [
            f"{one.name}:" if one.kind == Kind.LABEL else f"{one.name} {one.operands}"
            for one in behind
            if one.kind != Kind.BLANK
        ]
        table = _TABLE.match("\n".join([*lines, ""]))
        words = _WORD.findall(table[2]) if table else []
        if table and all(not base or base == table[1] for _, base in words):
            found[index] = {label for label, _ in words}
    return found


def _second_returns(listing: Listing, functions: set[str]) -> Iterator[tuple[int, range]]:
    """Yield where calls return twice, with the function around each."""
    starts = sorted(listing.labels[name] for name in functions if name in listing.labels)
    for index, found in enumerate(listing.instructions):
        facts = found.facts
        if facts.transfer == Transfer.CALL and _TWICE.fullmatch(facts.target):
            after = listing.following(index)
            after = listing.following(after) if facts.delay_slot and after != END else after
            before = [start for start in starts if start <= index]
            later = [start for start in starts if start > index]
            end = later[0] if later else len(listing.instructions)
            yield after, range(before[-1] if before else 0, end)


def marks(listing: Listing) -> Iterator[tuple[int, str, int]]:
    """Yield what sections of their own kind (__ex_table) name: statement, label, instruction."""
    for position, statement in enumerate(listing.statements):
        if statement.kind != Kind.DIRECTIVE or not _is_data(statement):
            continue
        if not marks_instructions(listing.section[position]):
            continue
        for name in _NAMES.findall(statement.operands):
            if name[-1] == "b" and name[:-1].isdigit():
                earlier = [to for at, to in listing.numeric.get(name[:-1], []) if at < position]
                yield from ((position, name[:-1], to) for to in earlier[-1:])
            elif name in listing.labels:
                yield position, name, listing.labels[name]


def _is_data(statement: Statement) -> bool:
    return statement.name in (".long", ".word", ".4byte", ".uaword", ".llong", ".quad", ".8byte")
