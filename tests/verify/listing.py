"""An assembly file as the verifier reads it: instructions in order of memory, labels, lines."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from inst import isa as instruction_sets
from inst.arch.powerpc.conventions import dropped_by_linker
from inst.asm.model import Kind, Statement
from inst.asm.split import split
from inst.flow.encoded import facts_of
from inst.flow.read import read_code, without_access_report
from inst.isa.model import Facts
from inst.target.targets import Target

END = 1 << 40
"""Where control goes after the last instruction of a section."""
_NUMERIC = re.compile(r"(\d+)([bf])")
_SKIP = re.compile(r"[.$]\s*\+\s*(\d+)")
_COUNTED = re.compile(r"([A-Za-z_.$][\w.$]*|\d+[bf])\s*([+-])\s*(\d+)")
_WORDS = (".long", ".word", ".4byte", ".int", ".uaword")
_PLAIN_SECTIONS = (".text", ".data", ".bss")


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction and where it stands."""

    name: str
    operands: str
    facts: Facts
    statement: int
    line: int
    section: str

    def text(self) -> str:
        """Return it without the blanks that do not matter."""
        return f"{self.name} {''.join(self.operands.split())}".rstrip()


@dataclass(slots=True)
class Listing:
    """A file: all statements, and its instructions section by section."""

    statements: list[Statement]
    instructions: list[Instruction] = field(default_factory=list)
    section: list[str] = field(default_factory=list)
    """The section of each statement."""
    labels: dict[str, int] = field(default_factory=dict)
    """Label -> the instruction it stands before."""
    numeric: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    """Numeric label -> (statement, instruction) of each definition in file order."""
    at: dict[int, int] = field(default_factory=dict)
    """Statement -> instruction."""

    def following(self, index: int) -> int:
        """Return what runs after instruction `index` if it goes nowhere."""
        here, after = self.instructions[index], index + 1
        if after < len(self.instructions) and self.instructions[after].section == here.section:
            return after
        return END

    def target(self, index: int, text: str) -> int | None:
        """Return the instruction that a direct target means; None if it is not in the file."""
        if text in self.labels:
            return self.labels[text]
        skip = _SKIP.fullmatch(text)
        if skip:
            return self._skipping(index, int(skip[1]))
        counted = _COUNTED.fullmatch(text)
        if counted:
            first = index if counted[1] in (".", "$") else self.target(index, counted[1])
            return None if first is None else first + int(counted[2] + counted[3]) // 4
        numeric = _NUMERIC.fullmatch(text)
        places = self.numeric.get(numeric[1], []) if numeric else []
        here = self.instructions[index].statement
        if numeric and numeric[2] == "b":
            return next((to for at, to in reversed(places) if at < here), None)
        return next((to for at, to in places if at > here), None)

    def _skipping(self, index: int, distance: int) -> int | None:
        """Return the instruction some bytes further on; there may be data on the way."""
        position, bytes_left = self.instructions[index].statement, distance
        while bytes_left > 0 and position < len(self.statements):
            statement = self.statements[position]
            position += 1
            if statement.kind == Kind.INSTRUCTION:
                bytes_left -= 4
            elif statement.name in _WORDS:
                bytes_left -= 4 * (statement.operands.count(",") + 1)
        later = (self.at[n] for n in range(position, len(self.statements)) if n in self.at)
        return next(later, None) if bytes_left == 0 else None

    def functions(self) -> set[str]:
        """Return the names that the file says are functions'."""
        return {
            one.operands.split(",")[0].strip()
            for one in self.statements
            if one.name == ".type" and "function" in one.operands
        }

    def line_of(self, index: int) -> int:
        """Return the line of an instruction, of the last one for the end of a section."""
        return self.instructions[min(index, len(self.instructions) - 1)].line


def read_listing(source: str, target: Target) -> Listing:
    """Read a file."""
    isa = instruction_sets.get(target.isa, target.abi)
    # What is given as a number reads like any other instruction.
    listing = Listing(read_code(split(source, target.isa), isa, "listing").statements)
    facts_by_text = facts_of(isa)
    listing.section = _sections(listing.statements)
    relocations = [n for n, s in enumerate(listing.statements) if s.name == ".reloc"]
    dropped = dropped_by_linker(listing.statements, relocations)
    order: dict[str, list[int]] = {}
    for position, statement in enumerate(listing.statements):
        if statement.kind == Kind.INSTRUCTION:
            order.setdefault(listing.section[position], []).append(position)
    for section, positions in order.items():
        for position in positions:
            statement = listing.statements[position]
            facts = facts_by_text(statement.name, statement.operands)
            if position in dropped:
                facts = without_access_report(facts)
            listing.at[position] = len(listing.instructions)
            listing.instructions.append(
                Instruction(
                    statement.name, statement.operands, facts, position, statement.line, section
                )
            )
    _place_labels(listing)
    return listing


def relocations_after(statements: list[Statement], position: int) -> list[str]:
    """Return the operands of the `.reloc .-N,...` directives after an instruction."""
    found = []
    for following in range(position + 1, len(statements)):
        statement = statements[following]
        if statement.name == ".reloc" and statement.operands.startswith(".-"):
            found.append("".join(statement.operands.split()))
        elif statement.kind in (Kind.INSTRUCTION, Kind.LABEL):
            break
    return found


NAME = re.compile(r"[A-Za-z_.$][\w.$]*|\b\d+[bf]\b")
DISTANCE = re.compile(r"[\w.$]+\s*-\s*[A-Za-z_.$][\w.$]*")
"""From one label to another: that takes the address of neither."""
_REFERS_TO_NOTHING = re.compile(r"\.(loc|cfi_.*|[us]leb128|size|type|file|ident|globa?l)$")


_PLAIN_DATA = (".text", ".rodata", ".data", ".sdata", ".got", ".toc", ".opd", ".debug", ".inst")
_TABLES = re.compile(r"\.(init|fini|preinit)_array|\.[cd]tors|\.eh_frame|\.gcc_except_table")


def marks_instructions(section: str) -> bool:
    """Return whether words of a section name instructions as such (__ex_table)."""
    return bool(section) and not section.startswith(_PLAIN_DATA) and not _TABLES.match(section)


def referenced(listing: Listing) -> set[str]:
    """Return the names that code branches to, or whose address code or data take.

    What debugging information names is not among them, nor what code names only as a
    distance from another label.
    """
    found: set[str] = set()
    for position, statement in enumerate(listing.statements):
        operands = statement.operands
        if statement.kind == Kind.INSTRUCTION:
            operands = DISTANCE.sub("", operands)
        elif (
            statement.kind != Kind.DIRECTIVE
            or listing.section[position].startswith(".debug")
            or marks_instructions(listing.section[position])
            or _REFERS_TO_NOTHING.match(statement.name)
        ):
            continue
        found.update(
            name.rstrip("bf") if name[0].isdigit() else name for name in NAME.findall(operands)
        )
    return found


def _sections(statements: list[Statement]) -> list[str]:
    """Return for each statement the section it goes into."""
    found, current, previous = [], ".text", ".text"
    stack: list[tuple[str, str]] = []
    for statement in statements:
        if statement.kind == Kind.DIRECTIVE:
            name, operands = statement.name, statement.operands
            chosen = operands.split(",")[0].strip().strip('"')
            if name in _PLAIN_SECTIONS:
                previous, current = current, f"{name} {chosen}" if chosen else name
            elif name == ".subsection":
                previous, current = current, f"{current.split()[0]} {chosen}"
            elif name in (".section", ".pushsection"):
                if name == ".pushsection":
                    stack.append((current, previous))
                previous, current = current, chosen
            elif name == ".popsection" and stack:
                current, previous = stack.pop()
            elif name == ".previous":
                current, previous = previous, current
        found.append(current)
    return found


def _place_labels(listing: Listing) -> None:
    """Find for each label the next instruction of its section."""
    after: dict[str, int] = {}
    numeric: dict[str, list[tuple[int, int]]] = {}
    for position in reversed(range(len(listing.statements))):
        statement, section = listing.statements[position], listing.section[position]
        if statement.kind == Kind.INSTRUCTION:
            after[section] = listing.at[position]
        elif statement.kind == Kind.LABEL and section in after:
            if statement.name.isdigit():
                numeric.setdefault(statement.name, []).append((position, after[section]))
            else:
                listing.labels[statement.name] = after[section]
    listing.numeric = {name: places[::-1] for name, places in numeric.items()}
