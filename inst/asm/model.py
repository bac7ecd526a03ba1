"""The model of assembly text: statements, and the trees of their operands.

A file is a list of `Statement`; joining their `text` restores the file, byte for
byte.  Operand trees are parsed on demand, and once for each distinct text.
"""

from __future__ import annotations

import enum

from inst.dataclass import dataclass


class Kind(enum.IntEnum):
    """What a statement is."""

    INSTRUCTION = 0
    DIRECTIVE = 1  # name starts with '.'
    LABEL = 2  # name is the label without its colon; numeric labels are "1", "2", ...
    ASSIGNMENT = 3  # name = operands  (also name == operands)
    BLANK = 4  # white space, comments, line markers, #APP
    OPAQUE = 5  # inside .macro/.rept/.if bodies: passed through untouched


class Statement:
    """One statement with everything up to the next: separators, comments, line ends.

    A label is a statement of its own (`1: ld [%o0],%o1` is two).  `name` is the label,
    the directive with its dot, or the mnemonic with its suffixes (`bne,a,pt`, `add.`),
    in lower case for directives and mnemonics.  `operands` is the operand text without
    surrounding blanks and without comments; it is "" where there are none.
    """

    __slots__ = ("column", "kind", "line", "name", "operands", "text")

    def __init__(
        self, kind: Kind, text: str, name: str, operands: str, line: int, column: int
    ) -> None:
        self.kind = kind
        self.text = text
        self.name = name
        self.operands = operands
        self.line = line
        self.column = column

    def __repr__(self) -> str:
        return f"Statement({self.kind.name}, {self.name!r}, {self.operands!r}, line {self.line})"


# Operand trees.  `str()` of a node gives text that the assembler reads as the same operand.


@dataclass(frozen=True, slots=True)
class Register:
    """A register by its canonical name: `o6` for %sp, `r3` for a bare PowerPC 3, `cr7`, `f4`."""

    name: str
    text: str  # as written

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Number:
    """An integer literal in any of gas's bases, or a character constant."""

    value: int
    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Symbol:
    """A symbol, a local label (`.L4`) or a reference to a numeric one (`1b`, `2f`)."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Here:
    """The location counter, written `.` (PowerPC also `$`)."""

    text: str = "."

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Unary:
    """`-x`, `~x`, `!x`, `+x`."""

    operator: str
    operand: Expression

    def __str__(self) -> str:
        return f"{self.operator}{_grouped(self.operand)}"


@dataclass(frozen=True, slots=True)
class Binary:
    """Two operands and one of gas's infix operators."""

    operator: str
    left: Expression
    right: Expression

    def __str__(self) -> str:
        first, steps = chain(self)
        parts, rank = [_grouped(first)], ""
        for step in steps:
            if rank not in ("", _RANK.get(step.operator, step.operator)):
                parts = ["(", *parts, ")"]
            rank = _RANK.get(step.operator, step.operator)
            parts += [step.operator, _grouped(step.right)]
        return "".join(parts)


_RANK = {"-": "+"}
"""Operators that group to the left with each other."""


def chain(node: Binary) -> tuple[Expression, list[Binary]]:
    """Return the first term of `a + b + c ...` and the operations on it, in order.

    Expressions may have hundreds of thousands of operators: more than calls can be nested.
    """
    steps = [node]
    while isinstance(steps[-1].left, Binary):
        steps.append(steps[-1].left)
    return steps[-1].left, steps[::-1]


@dataclass(frozen=True, slots=True)
class Relocation:
    """`%hi(x)` (prefix form, operator "%hi") or `x@ha` (suffix form, operator "@ha")."""

    operator: str
    operand: Expression
    addend: str = ""  # text after a suffix operator: the "+4" of `x@l+4`

    def __str__(self) -> str:
        if self.operator.startswith("%"):
            return f"{self.operator}({self.operand})"
        return f"{_grouped(self.operand)}{self.operator}{self.addend}"


@dataclass(frozen=True, slots=True)
class Memory:
    """An address operand: `[base + index]`, `[base + offset] asi` or `offset(base)`."""

    base: Register | None
    index: Register | None
    offset: Expression | None  # with its sign: [%fp-20] has Unary("-", 20) or Number(-20)
    asi: Expression | Register | None
    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Text:
    """A quoted string, or something only the assembler needs to understand (`#LoadLoad`)."""

    text: str

    def __str__(self) -> str:
        return self.text


Expression = Register | Number | Symbol | Here | Unary | Binary | Relocation
Operand = Expression | Memory | Text


def _grouped(node: Expression) -> str:
    return f"({node})" if isinstance(node, Binary | Unary) else str(node)


def source_line(statements: list[Statement], statement: Statement) -> str:
    """Return the line of the file that a statement begins on."""
    line = "".join(other.text for other in statements if other.line == statement.line)
    return line.split("\n", 1)[0]
