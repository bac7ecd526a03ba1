"""The instructions of a file in the order they will have in memory, and where labels point.

Assembly switches sections at will; here every section's instructions are consecutive, so
"the next instruction" is the next index unless `section_end` says otherwise.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator

from inst.asm.model import Kind, Statement, source_line
from inst.asm.operands import split_operands
from inst.dataclass import dataclass, field
from inst.errors import InstError, Location
from inst.flow.encoded import SKIP, bytes_of
from inst.flow.jump_tables import JumpTable, table_after
from inst.isa.model import Facts, RegisterSet, Transfer

NUMERIC = re.compile(r"(\d+)([bf])")
NAME = re.compile(r"[A-Za-z_.$][\w.$]*")
"""A name among operands."""
LABEL = r"(?:[A-Za-z_.$][\w.$]*|\d+[bf])"
"""A label as operands name it."""
_PLT_CALL = re.compile(r"\.\s*,\s*R_\w+_PLTCALL\w*\s*,\s*([\w.$]+)")
"""Of the directive before the branch of an inline PLT call."""
_WORDS = frozenset((".long", ".4byte", ".int", ".word", ".uaword"))


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
    _jump_tables: dict[int, JumpTable] | None = field(init=False)
    """None: not looked for yet. Those of other facts are others."""

    def __post_init__(self) -> None:
        self._jump_tables = None

    def at(self, index: int) -> Statement:
        """Return the statement of an instruction."""
        return self.statements[self.statement[index]]

    def text(self, index: int) -> str:
        """Return an instruction as text."""
        statement = self.at(index)
        return f"{statement.name} {statement.operands}".rstrip()

    def callee(self, index: int) -> str:
        """Return the name of the function that a call names, itself or (PowerPC) by a directive."""
        if self.facts[index].target:
            return self.facts[index].target
        position = self.statement[index] - 1
        while position >= 0 and self.statements[position].kind == Kind.DIRECTIVE:
            if found := _PLT_CALL.match(self.statements[position].operands):
                return found[1]
            position -= 1
        return ""

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

    def slot_of(self, index: int) -> Facts | None:
        """Return the facts of an instruction's delay slot; None: it has none in this code."""
        if not self.facts[index].delay_slot or index + 1 >= len(self.facts):
            return None
        return self.facts[index + 1]

    def is_described(self, first: int, last: int) -> bool:
        """Return whether unwinding tables describe all from one instruction to another."""
        if self._described is None:
            self._described = frozenset(described(self.statements))
        start, end = self.statement[first], self.statement[last]
        return self._described.issuperset(range(start, end + 1))

    def jump_tables(self) -> dict[int, JumpTable]:
        """Return the tables of computed jumps, by these."""
        if self._jump_tables is None:
            self._jump_tables = dict(self._found_jump_tables()) if self.compiled else {}
        return self._jump_tables

    def _found_jump_tables(self) -> Iterator[tuple[int, JumpTable]]:
        for index, fact in enumerate(self.facts):
            last = index + fact.runs_slot
            is_jump = fact.transfer == Transfer.JUMP and not fact.conditional
            if not is_jump or last >= len(self.statement):
                continue
            table = table_after(self.statements, self.statement[last], self.labels)
            if table is not None and not any(map(self.is_slot, table.targets)):
                yield index, table

    def jump_table_words(self) -> frozenset[int]:
        """Return the statements of such tables: only their jumps go to what these name."""
        return frozenset(at for table in self.jump_tables().values() for at in table.words)

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
        match = NUMERIC.fullmatch(name)
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
        left = bytes_of(match[1]) if match else -1
        if left % 4:
            return -1
        target = index
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


_DESCRIBING = re.compile(r"\.(loc|cfi_.*|size|type|file|ident|stab.|globl|global)$")


def label_of(name: str) -> str:
    """Return the label that operands name: a numeric one without its direction."""
    return name[:-1] if name[:1].isdigit() else name


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


def read_places(code: Code, ignored: tuple[str, ...]) -> frozenset[int]:
    """Return the instructions after those that read where they are (`bcl 20,31,.L5`), if control
    comes to them in no other way.

    Their label is subtracted from others to find data, and stands nowhere else. Labels that begin
    with one of `ignored` do not count.
    """
    found: dict[str, int] = {}
    for index, fact in enumerate(code.facts):
        if fact.pc_relative_data and fact.target and code.target(index) == index + 1:
            found[fact.target] = -1 if fact.target in found else index + 1
    if not found:
        return frozenset()
    counting = (one for one in code.labels if not one.startswith(ignored) or "_" in one)
    others = {code.labels[label] for label in counting if label not in found}
    others |= {index for places in code.numeric.values() for _, index in places}
    reading = {code.statement[at - 1] for at in found.values() if at > 0}
    for position in referring(code.statements):
        operands = code.statements[position].operands
        if position not in reading and ".L" in operands:
            for name in NAME.finditer(operands):
                if name[0] in found and operands[: name.start()].rstrip()[-1:] != "-":
                    found[name[0]] = -1
    return frozenset(found.values()) - others - {-1, *code.section_end}


def described(statements: list[Statement]) -> Iterator[int]:
    """Yield the statements that unwinding tables describe: from .cfi_startproc to .cfi_endproc."""
    inside = False
    for position, statement in enumerate(statements):
        if statement.name in (".cfi_startproc", ".cfi_endproc"):
            inside = statement.name == ".cfi_startproc"
        if inside:
            yield position


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
