"""What differs between the assembly languages of instruction sets."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from inst import TYPE_CHECKING
from inst.asm.model import Expression, Operand
from inst.dataclass import dataclass

if TYPE_CHECKING:
    import pyparsing


@dataclass(frozen=True, slots=True, eq=False)
class Syntax:
    """How one instruction set's assembly is written."""

    comment: str
    """The character that begins a comment anywhere on a line."""
    mnemonic_suffix: str
    """Regular expression of what may follow a mnemonic's name."""
    branch_suffixes: bool
    """Mnemonics may have `,a`, `,pt` and `,pn`, with or without blanks around the comma."""
    registers: Mapping[str, str]
    """A register's spelling -> its canonical name."""
    bare_registers: bool
    """A register needs no percent sign."""
    any_case: bool
    """Registers may be written in capitals."""
    usual: Callable[[Syntax, str], Operand | None]
    """Return the tree of an operand of a shape that compilers write, None for any other."""
    type_mark: str
    """What comes before `function` in the directive .type."""
    words: frozenset[str]
    """Directives of four bytes."""
    addresses: Mapping[int, str]
    """Width of an address in bits -> the directive for one, at any alignment."""

    def register(self, spelling: str) -> str | None:
        """Return the canonical name of a register written without a percent sign."""
        return self.registers.get(spelling.lower() if self.any_case else spelling)


@dataclass(frozen=True, slots=True)
class Grammar:
    """The operands of one instruction set's assembly, for the grammar that reads any shape."""

    infix: str
    """Regular expression of the operators between two terms."""
    signs: str
    """Characters of the operators before a term."""
    here: str
    """Characters that denote the current address."""
    prefixes: bool
    """Terms may be relocations like `%hi(x)`."""
    factor: Callable[[Expression], Expression]
    """Return a factor of a product, or the register that it names."""
    operand: Callable[[Syntax, Grammar], pyparsing.ParserElement]
    """Return the rule for one operand."""
