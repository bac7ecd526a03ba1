"""Instructions that a program gives as numbers: `.long 0x7c0802a6` that control runs into.

This is how people write instructions that their assembler does not know.  Such words access
memory, read registers and stand in delay slots like all others.  A number is an instruction where
control falls into it or a transfer goes to its label; after a jump, and where a call or branch
leads past it, it is data, which compilers and people also put among code.
"""

from __future__ import annotations

import functools
import operator
import re
from collections.abc import Callable

from inst import TYPE_CHECKING
from inst.asm.model import Binary, Expression, Kind, Number, Operand, Statement, Unary, chain
from inst.asm.opaque import EXPAND_HINT, HiddenCode, hidden
from inst.asm.operands import parse_operand, split_operands
from inst.asm.syntax import Syntax
from inst.dataclass import dataclass, field
from inst.errors import InstError
from inst.flow.model import Encoded
from inst.isa.model import Facts, Isa, Transfer

if TYPE_CHECKING:
    from inst.words.facts import Decoded

_DATA = frozenset((
    ".byte", ".2byte", ".half", ".hword", ".short", ".uahalf", ".value", ".word", ".8byte",
    ".quad", ".xword", ".uaxword", ".llong", ".octa", ".ascii", ".asciz", ".string", ".single",
    ".float", ".double", ".space", ".skip", ".zero", ".fill", ".uleb128", ".sleb128",
))  # fmt: skip
"""Other directives that put bytes where they stand."""
_OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "|": operator.or_,
    "&": operator.and_, "^": operator.xor, "<<": operator.lshift, ">>": operator.rshift,
}  # fmt: skip
_SHIFTS = ("<<", ">>")
_SIGNS: dict[str, Callable[[int], int]] = {
    "-": operator.neg, "~": operator.invert, "+": operator.pos,
}  # fmt: skip
_MOST_DATA = 4
"""Words of data that a call may go past to code that reads them: the distance of a table."""
_ADDRESS = re.compile(r"0x[0-9a-f]+")
_FARTHEST = 1 << 27
"""Bytes that a branch can go, more or less; a number farther away is an address."""
BYTES = r"(?:0[xX][0-9a-fA-F]+|0[0-7]*|[1-9][0-9]*)"
"""A number of bytes in the target of a branch, as `bytes_of` reads it."""
SKIP = re.compile(rf"[.$]\s*\+\s*({BYTES})")
"""The target of a branch that counts the bytes it goes forward."""
_NUMERIC = re.compile(r"(\d+)[bf]")


def bytes_of(text: str) -> int:
    """Return a number as the assembler reads it: `0x10`, `020` and `16` are the same."""
    return int(text, 8 if text.isdigit() and text[0] == "0" else 0)


def value_of(text: str, isa: Isa) -> int | None:
    """Return the 32 bits of an operand of a data directive; None if it has names."""
    try:
        found = _value(parse_operand(text, isa.name))
    except InstError:
        return None
    return None if found is None else found & 0xFFFFFFFF


def _value(node: Operand | Expression) -> int | None:
    if isinstance(node, Number):
        return node.value
    if isinstance(node, Unary) and node.operator in _SIGNS:
        inner = _value(node.operand)
        return None if inner is None else _SIGNS[node.operator](inner)
    if isinstance(node, Binary) and node.operator in _OPERATIONS:
        first, steps = chain(node)
        left = _value(first)
        for step in steps:
            right = _value(step.right)
            if left is None or right is None or step.operator not in _OPERATIONS:
                return None
            if step.operator in _SHIFTS and not 0 <= right < 64:
                return None
            left = _wrapped(_OPERATIONS[step.operator](left, right))
        return left
    return None


def _wrapped(value: int) -> int:
    """Return a number as the assembler holds it, in 64 bits with a sign."""
    value &= (1 << 64) - 1
    return value - (value >> 63 << 64)


def facts_of(isa: Isa) -> Callable[[str, str], Facts]:
    """Return a function like `isa.facts` that also handles instructions given as numbers."""

    words = isa.part(Syntax).words

    def facts(name: str, operands: str) -> Facts:
        if name not in words:
            return isa.facts(name, operands)
        word = value_of(operands, isa)
        assert word is not None
        return decoded(word, isa)[2]

    return facts


def decoded(word: int, isa: Isa) -> tuple[str, str, Facts]:
    """Return name, operands and facts of an instruction word.

    A word that nothing decodes, but that only works on registers, has no name, may read all of
    them and sets none for certain.  Raises InstError for other words that nothing decodes.
    """
    found = _decoder(isa.producer)(word)
    if found.facts is not None:
        if not _ADDRESS.fullmatch(found.facts.target):
            return found.mnemonic, found.operands, found.facts
        operands = _ADDRESS.sub(_distance, found.operands)
        return found.mnemonic, operands, isa.facts(found.mnemonic, operands)
    known = isa.part(Encoded)
    if word & known.mask in known.on_registers:
        file = isa.registers
        return "", "", Facts(uses=(1 << len(file.names)) - 1 & ~file.reserved, defs=0)
    raise InstError(
        f"no instruction is known that has the number {word:#010x}",
        hint="write it by its name, or compile this file with INST_DISABLE=1",
    )


def _distance(match: re.Match[str]) -> str:
    """Return the target of a branch, decoded as if it stood at `NOWHERE`, as its distance."""
    from inst.words.model import NOWHERE

    distance = int(match[0], 16) - NOWHERE
    return f".{distance:+d}" if abs(distance) <= _FARTHEST else match[0]


@functools.cache
def _decoder(architecture: str) -> Callable[[int], Decoded]:
    from inst.words.facts import decoder  # brings a disassembler, which most files do not need

    return decoder(architecture)


@dataclass(slots=True)
class _Run:
    """The end of a section's code read so far."""

    last: list[Facts] = field(default_factory=list)
    """The last two instructions."""
    open: bool = True
    """Whether no data follows them."""
    labels: list[int] = field(default_factory=list)
    """Statements of the labels after them."""
    ahead: list[int] = field(default_factory=list)
    """Distances in bytes from here to the targets of branches that count bytes."""

    def take(self, facts: Facts) -> None:
        self.ahead = [left - 4 for left in self.ahead if left]
        skip = None if facts.pc_relative_data else SKIP.fullmatch(facts.target)
        if skip:
            self.ahead.append(bytes_of(skip[1]) - 4)
        self.last = [*self.last[-1:], facts]
        self.open = True
        self.labels = []

    def stop(self) -> None:
        self.ahead = []
        self.open = False
        self.labels = []

    def governing(self) -> Facts | None:
        """Return the instruction that decides where control goes after the last two."""
        if len(self.last) == 2 and self.last[0].runs_slot:
            return self.last[0]
        return self.last[-1] if self.last else None

    def falls(self) -> bool:
        """Return whether control goes on to the next statement."""
        fact = self.governing()
        if not self.open or fact is None:
            return False
        if self.last[-1].runs_slot:  # what comes next is its slot
            return True
        leaves = fact.transfer in (Transfer.BRANCH, Transfer.JUMP, Transfer.RETURN)
        return not leaves or fact.conditional or fact.pc_relative_data


class Finder:
    """Finds the numbers of a file that are instructions."""

    def __init__(
        self,
        statements: list[Statement],
        isa: Isa,
        functions: frozenset[str],
        targets: set[str | int],
        file: str,
    ) -> None:
        self.statements = statements
        self.isa = isa
        self.words = isa.part(Syntax).words
        self.functions = functions
        self.targets = targets
        """Names of labels that control goes to, and statements of numeric ones."""
        self.hidden = hidden(statements, file, self._may_be_instruction)
        """Statements that bring numbers, with what they bring, which only the assembler sees."""
        self.runs: dict[str, _Run] = {}

    def take(self, position: int, section: str, facts: Facts | None) -> list[Statement]:
        """Process a statement of a section, with its facts if it is an instruction.

        Returns it, or what replaces it.  Raises InstError for words that cannot be read.
        """
        statement, run = self.statements[position], self.runs.setdefault(section, _Run())
        if facts is not None:
            run.take(facts)
        elif statement.kind == Kind.LABEL:
            run.labels.append(position)
        elif statement.kind == Kind.DIRECTIVE:
            if statement.name in self.words:
                read = [self._word(piece, run, position) for piece in _pieces(statement)]
                return read if any(s.kind == Kind.INSTRUCTION for s in read) else [statement]
            if statement.name in _DATA:
                run.stop()
        elif position in self.hidden:
            if self._reached(run, position):
                what = self.hidden[position]
                raise HiddenCode(
                    f"{what}: an instruction that inst cannot see, for control runs into it",
                    hint=EXPAND_HINT,
                )
            run.stop()
        return [statement]

    def _may_be_instruction(self, statement: Statement) -> bool:
        """Return whether a statement of a body gives a number, or may when the body is used."""
        if statement.name not in self.words:
            return False
        pieces = split_operands(statement.operands)
        return any("\\" in piece or value_of(piece, self.isa) for piece in pieces)

    def _word(self, piece: Statement, run: _Run, position: int) -> Statement:
        value = value_of(piece.operands, self.isa) if self._reached(run, position) else None
        if not value:  # 0 begins gcc's traceback tables
            run.stop()
            return piece
        name, operands, facts = decoded(value, self.isa)
        run.take(facts)
        return _instruction(piece, name, operands, facts, self.isa)

    def _reached(self, run: _Run, position: int) -> bool:
        statements = self.statements
        for label in run.labels:
            name = statements[label].name
            if name in self.functions or (label if name.isdigit() else name) in self.targets:
                return True
        if 0 in run.ahead:
            return True
        if not run.falls():
            return False
        fact = run.last[-1]
        if fact.runs_slot:
            return True
        fact = run.governing() or fact
        return not fact.target or not self._leads_past(fact, position)

    def _leads_past(self, fact: Facts, position: int) -> bool:
        """Return whether a call goes to right after the data that begins at a statement."""
        comes_back = fact.transfer == Transfer.CALL and fact.target in self.functions
        if comes_back or not (fact.transfer == Transfer.CALL or fact.pc_relative_data):
            return False
        skip = SKIP.fullmatch(fact.target)
        if skip:
            return bytes_of(skip[1]) > (8 if fact.delay_slot else 4)
        number = _NUMERIC.fullmatch(fact.target)
        wanted = number[1] if number else fact.target
        words = 0
        for statement in self.statements[position:]:
            if statement.kind == Kind.INSTRUCTION or words > _MOST_DATA:
                return False
            if statement.kind == Kind.LABEL:
                if words and statement.name == wanted:
                    return True
            elif statement.kind == Kind.OPAQUE:
                words += 1
            elif statement.name in self.words:
                words += statement.operands.count(",") + 1
        return False


def _pieces(statement: Statement) -> list[Statement]:
    """Return a directive of several words as one statement for each, on the same line."""
    operands = split_operands(statement.operands)
    if len(operands) == 1:
        return [statement]
    lead, found, tail = statement.text.partition(statement.operands)
    if not found:  # there is a comment among the operands: omit it
        lead, tail = f"{statement.name} ", "\n" * statement.text.count("\n")
    heads = [lead, *(f"{statement.name} " for _ in operands[1:])]
    tails = [*("; " for _ in operands[1:]), tail]
    return [
        Statement(Kind.DIRECTIVE, head + operand + end, statement.name, operand,
                  statement.line, statement.column)
        for head, operand, end in zip(heads, operands, tails, strict=True)
    ]  # fmt: skip


def _instruction(piece: Statement, name: str, operands: str, facts: Facts, isa: Isa) -> Statement:
    """Return a word as an instruction, by its name where rewriting may have to change it."""
    touches = facts.access is not None or facts.transfer != Transfer.NONE or facts.window != 0
    text, spelled = piece.text, (piece.name, piece.operands)
    accepted = isa.part(Encoded).spelled[isa.bits]
    if facts.target or (touches and (accepted is None or name in accepted)):
        spelled = name, operands
        blanks = len(text) - len(text.lstrip(" \t"))
        _, found, tail = text.partition(piece.operands)
        text = f"{text[:blanks]}{name} {operands}".rstrip() + (tail if found else "\n")
    return Statement(Kind.INSTRUCTION, text, *spelled, piece.line, piece.column)
