"""Functions of a file: where control enters them, and where it leaves them.

A function is what `.type NAME, @function` names.  Where several such names stand at one place it
is one function; a part that is split off (`NAME.cold`) belongs to NAME unless something calls it.
Control leaves by a return, by a branch to another function or to the function's own name (a tail
call), and by a computed jump that is no jump within the function.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from inst.asm.model import Kind
from inst.dataclass import dataclass, field
from inst.flow.code import NAME, Code
from inst.flow.conventions import convention_of
from inst.flow.model import Conventions
from inst.flow.sections import SECTION_DIRECTIVES, WORDS, Sections
from inst.isa.model import Facts, Isa, RegisterSet, Transfer

_COLD = re.compile(r"(.+?)\.cold(?:\.\d+)?")
_SUBTRAHEND = re.compile(r"-\s*[A-Za-z_.$][\w.$]*")
_NUMERIC = re.compile(r"\b\d+[bf]\b")
_DESCRIPTIVE = re.compile(r"\.(gcc_except_table|eh_frame|debug|opd|zdebug)")
"""Sections whose words name places that no jump goes to."""
_DESCRIPTOR = frozenset((".quad", ".8byte"))
_LOCAL = re.compile(r"[.$\d]")


@dataclass(slots=True)
class Function:
    """One function: its names and where it begins."""

    names: set[str]
    label: int
    """The statement of its label."""
    entry: int
    """The first instruction after the place where it is entered."""
    place: int = -1
    """The statement before which code runs once each time that the function is entered."""
    exits: list[int] = field(default_factory=list)
    """The instructions by which control leaves it."""
    falls: list[int] = field(default_factory=list)
    """The functions' entries into which control falls from it."""


def described_entries(code: Code, isa: Isa) -> dict[str, str]:
    """Return the code labels that functions' descriptors name (64-bit PowerPC, ELFv1).

    gcc's labels have the function's name in them; clang's are local ones.
    """
    if not isa.part(Conventions).calls[isa.abi].descriptors:
        return {}
    statements, positions, found = code.statements, _positions(code), {}
    for name in code.functions():
        position = positions.get(name, len(statements)) + 1
        while position < len(statements) and statements[position].name in (".align", ".p2align"):
            position += 1
        if position < len(statements) and statements[position].name in _DESCRIPTOR:
            found[name] = statements[position].operands.split(",")[0].strip()
    return found


def entry_labels(code: Code, isa: Isa) -> frozenset[str]:
    """Return the labels where functions may begin: others are local."""
    described = {*described_entries(code, isa).values()}
    return frozenset(
        name
        for name in code.labels
        if not name.startswith(".L") or name.startswith(".L.") or name in described
    )


def _positions(code: Code) -> dict[str, int]:
    """Return the statements of labels."""
    return {
        statement.name: position
        for position, statement in enumerate(code.statements)
        if statement.kind == Kind.LABEL
    }


class Functions:
    """The functions of a file, or of a part of it."""

    def __init__(self, code: Code, isa: Isa) -> None:
        self.code = code
        self.isa = isa
        self.convention = convention_of(isa)
        self.named = code.functions()
        self.positions = _positions(code)
        self.starts: list[int] = []
        self.owners: list[Function | None] = []
        self.found: list[Function] = []
        self._find_starts()
        self.entries = frozenset(function.entry for function in self.found)
        self.labelled = frozenset(code.labels.values())
        self._find_places()
        self.slots = _slots(code)
        self.tables, self.addressed = self._addressed()
        self._find_exits()

    def owner(self, index: int) -> Function | None:
        """Return the function that an instruction belongs to."""
        place = bisect_right(self.starts, index) - 1
        return self.owners[place] if place >= 0 else None

    def _labels(self) -> dict[int, list[str]]:
        """Return the code labels of functions, by the instruction they stand before."""
        found: dict[int, list[str]] = {}
        described = described_entries(self.code, self.isa)
        for name in sorted(self.named, key=lambda one: self.positions.get(one, -1)):
            label = described.get(name, name)
            index = self.code.labels.get(label, -1)
            if index >= 0:
                found.setdefault(index, []).append(label)
                if label != name:
                    self.aliases.setdefault(label, set()).add(name)
        return found

    def _find_starts(self) -> None:
        self.aliases: dict[str, set[str]] = {}
        called = {fact.target for fact in self.code.facts if fact.transfer == Transfer.CALL}
        by_name: dict[str, Function] = {}
        regions: dict[int, str | Function | None] = dict.fromkeys((0, *self.code.section_end), None)
        for index, labels in sorted(self._labels().items()):
            parts = [_COLD.fullmatch(label) for label in labels]
            if parts[0] is not None and labels[0] not in called:
                regions[index] = parts[0][1]
                continue
            names = set(labels).union(*(self.aliases.get(label, set()) for label in labels))
            function = Function(names, self.positions[labels[0]], index)
            self.found.append(function)
            by_name |= dict.fromkeys(names, function)
            regions[index] = function
        for start, owner in sorted(regions.items()):
            self.starts.append(start)
            self.owners.append(by_name.get(owner) if isinstance(owner, str) else owner)

    def _find_places(self) -> None:
        """Find for each function the place after its label that every call passes once."""
        statements = self.code.statements
        local = {
            statement.operands.split(",")[0].strip(): position
            for position, statement in enumerate(statements)
            if statement.name == ".localentry"
        }
        referred = _referred(self.code)
        labels = {label for function in self.found for label in function.names}
        for function in self.found:
            points = [local[name] for name in function.names if name in local]
            place = max([function.label, *points]) + 1
            while place < len(statements) and self._is_passed(place, referred, labels):
                place += 1
            function.place = place

    def _is_passed(self, position: int, referred: set[str], labels: set[str]) -> bool:
        statement = self.code.statements[position]
        if statement.kind == Kind.LABEL:
            return statement.name in labels or statement.name not in referred
        ends = statement.name in WORDS or statement.name in SECTION_DIRECTIVES
        return statement.kind in (Kind.BLANK, Kind.DIRECTIVE) and not ends

    def _addressed(self) -> tuple[set[int], set[int]]:
        """Return the jumps by tables that follow them, and where other data lead to."""
        tables, addressed = set[int](), set[int]()
        sections, jump = Sections(), -1
        index_of = {position: index for index, position in enumerate(self.code.statement)}
        for position, statement in enumerate(self.code.statements):
            if statement.kind == Kind.INSTRUCTION:
                index = index_of.get(position, -1)
                if index >= 0 and self.code.facts[index].transfer == Transfer.JUMP:
                    jump = index
                elif index not in self.slots or index - 1 != jump:
                    jump = -1
            elif statement.kind == Kind.DIRECTIVE and statement.name in SECTION_DIRECTIVES:
                sections.directive(statement.name, statement.operands)
            elif statement.kind == Kind.DIRECTIVE and statement.name in WORDS:
                places = self._leads_to(statement.operands)
                if not places or _DESCRIPTIVE.match(sections.current):
                    continue
                if jump >= 0:
                    tables.add(jump)
                else:
                    addressed |= places
        return tables, addressed

    def _leads_to(self, operands: str) -> set[int]:
        """Return the instructions whose local labels words of data name."""
        names = NAME.findall(_SUBTRAHEND.sub("", operands))
        places = {self.code.labels.get(name, -1) for name in names if _LOCAL.match(name)}
        return {place for place in places if place >= 0 and place not in self.entries}

    def _find_exits(self) -> None:
        unsure = {id(self.owner(index)) for index in self.addressed}
        for index, fact in enumerate(self.code.facts):
            if fact.transfer == Transfer.NONE or fact.pc_relative_data or index in self.slots:
                continue
            function = self.owner(index)
            if function and self._leaves(index, fact, function, id(function) in unsure):
                function.exits.append(index)
        if not self.code.compiled:
            self._find_falls()

    def _leaves(self, index: int, fact: Facts, function: Function, unsure: bool) -> bool:
        match fact.transfer:
            case Transfer.RETURN:
                return True
            case Transfer.BRANCH:
                return self._branches_out(index, fact, function)
            case Transfer.CALL:
                return self._is_sibling_call(index, fact)
            case Transfer.JUMP:
                if self.restores_window(self.code, index):
                    return True
                if index in self.tables:
                    return False
                return not unsure or self._is_after_epilogue(index)
        return False

    def _branches_out(self, index: int, fact: Facts, function: Function) -> bool:
        name = fact.target.partition("@")[0].partition("+")[0]
        if name in function.names:
            return True
        place = self.code.target(index)
        if place >= 0:
            other = self.owner(place)
            return other is not function and (name in self.named or not _LOCAL.match(name))
        return name in self.named or not _LOCAL.match(name)

    def _is_sibling_call(self, index: int, fact: Facts) -> bool:
        """Return whether a call's slot restores the link register (SPARC)."""
        slot = self.code.slot_of(index)
        if slot is None:
            return False
        return slot.window < 0 or bool(slot.defs & self.isa.registers.link)

    @staticmethod
    def restores_window(code: Code, index: int) -> bool:
        """Return whether an instruction, or its slot, restores the register window."""
        fact, slot = code.facts[index], code.slot_of(index)
        return slot.window < 0 if slot is not None and not fact.window else fact.window < 0

    def _is_after_epilogue(self, index: int) -> bool:
        """Return whether the code right before a jump restores stack pointer or return address."""
        given: RegisterSet = self.isa.registers.link
        given |= self.isa.registers.mask(self.isa.part(Conventions).stack_pointer)
        while index and index not in self.labelled:
            index -= 1
            fact = self.code.facts[index]
            if fact.transfer != Transfer.NONE:
                return False
            if fact.defs & given:
                return True
        return False

    def _find_falls(self) -> None:
        """Find where hand-written code continues from one function into the next."""
        ends = set(self.code.section_end)
        for function in self.found:
            before = function.entry - 1
            owner = self.owner(before) if before >= 0 and function.entry not in ends else None
            if owner and owner is not function and self._goes_on(before):
                owner.falls.append(before)

    def _goes_on(self, index: int) -> bool:
        fact = self.code.facts[index - 1 if index in self.slots else index]
        return fact.transfer in (Transfer.NONE, Transfer.TRAP) or (
            fact.conditional and fact.transfer != Transfer.CALL
        )


def _slots(code: Code) -> set[int]:
    """Return the instructions that run in delay slots."""
    found: set[int] = set()
    for index, fact in enumerate(code.facts):
        if fact.runs_slot and index not in found:
            found.add(index + 1)
    return found


def _referred(code: Code) -> set[str]:
    """Return the labels that instructions and tables of jumps name."""
    found: set[str] = set()
    sections = Sections()
    for statement in code.statements:
        if statement.kind == Kind.DIRECTIVE and statement.name in SECTION_DIRECTIVES:
            sections.directive(statement.name, statement.operands)
        table = statement.name in WORDS and not _DESCRIPTIVE.match(sections.current)
        if statement.kind == Kind.INSTRUCTION or table:
            found.update(NAME.findall(_SUBTRAHEND.sub("", statement.operands)))
            found.update(one[:-1] for one in _NUMERIC.findall(statement.operands))
    return found
