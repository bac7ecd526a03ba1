"""Operand texts to operand trees, each distinct text parsed once.

Compiler output repeats itself: one operand in fifteen is new.  Plain registers, symbols
and decimal numbers are recognised without the grammar; the rest is left to pyparsing.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable

from inst import TYPE_CHECKING
from inst.arch.registry import architecture
from inst.asm.model import Number, Operand, Register, Symbol, Text
from inst.asm.syntax import Grammar, Syntax
from inst.asm.tokens import BLANKS, NAME, STRING
from inst.errors import InstError

if TYPE_CHECKING:
    import pyparsing

MEMORY_LIMIT = 1 << 17
"""How many distinct texts are cached: a bound for processes that translate many files."""

_PLAIN_SYMBOL = re.compile(rf"(?!\.$)(?!\$$){NAME}")
_LOCAL_REFERENCE = re.compile(r"[0-9]+[bf]")
_PLAIN_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)")
_STRING = re.compile(STRING, re.DOTALL)
# A comma between brackets or quotes does not end an operand.
_NEEDS_CARE = re.compile(r"""["']|[(\[][^()\[\]]*,""")
_PIECE = re.compile(r"""("(?:[^"\\]|\\.)*"|'(?:\\.|[^\\])'?|[^"'(),\[\]]+|.)""", re.DOTALL)


@functools.lru_cache(maxsize=MEMORY_LIMIT)
def parse_operands(text: str, syntax: str) -> tuple[Operand, ...]:
    """Return the operands of an instruction; syntax is an instruction set's key.

    A bare PowerPC number is a Number: only the instruction decides whether it is a register.
    A bare PowerPC name that is a register's (`r3`, `lr`) is a Register, also where the
    instruction makes it a symbol (`bl f1`): its `text` is the symbol then.
    """
    return tuple([parse_operand(operand, syntax) for operand in split_operands(text)])


@functools.lru_cache(maxsize=MEMORY_LIMIT)
def split_operands(text: str) -> tuple[str, ...]:
    """Return the operand texts between top-level commas, without blanks around them."""
    if not text:
        return ()
    if not _NEEDS_CARE.search(text):
        return tuple([operand.strip(BLANKS) for operand in text.split(",")])
    operands = [""]
    depth = 0
    for piece in _PIECE.findall(text):
        depth += (piece in "([") - (piece in ")]")
        if piece == "," and depth <= 0:
            operands.append("")
        else:
            operands[-1] += piece
    return tuple([operand.strip(BLANKS) for operand in operands])


def print_operands(operands: Iterable[Operand]) -> str:
    """Return an operand list that the assembler reads as these operands."""
    return ",".join([str(operand) for operand in operands])


@functools.lru_cache(maxsize=MEMORY_LIMIT)
def parse_operand(text: str, syntax: str) -> Operand:
    """Return the tree of one operand."""
    rules = architecture(syntax).part(Syntax)
    name = text[1:] if text[:1] == "%" else text if rules.bare_registers else ""
    register = rules.register(name)
    if register:
        return Register(register, text)
    if _PLAIN_NUMBER.fullmatch(text):
        return Number(int(text), text)
    if _PLAIN_SYMBOL.fullmatch(text) or _LOCAL_REFERENCE.fullmatch(text):
        return Symbol(text)
    if text.startswith("@") or _STRING.fullmatch(text):
        return Text(text)
    return rules.usual(rules, text) or _parse(text, syntax)


def _parse(text: str, syntax: str) -> Operand:
    """Return the tree that the grammar builds; raise InstError where it does not match."""
    # Only an operand that is no plain symbol or number pays for loading pyparsing.
    import pyparsing

    try:
        operand: Operand = _rule(syntax).parse_string(text)[0]
    except pyparsing.ParseBaseException as error:
        raise operand_error(text, error.loc, error.msg) from None
    except RecursionError:
        raise operand_error(text, 0, "fewer nested parentheses") from None
    return operand


@functools.cache
def _rule(syntax: str) -> pyparsing.ParserElement:
    """Return the rule for one operand, nothing after it."""
    import pyparsing

    value = architecture(syntax)
    rules, grammar = value.part(Syntax), value.part(Grammar)
    end = pyparsing.StringEnd().set_name("the end of the operand")
    return grammar.operand(rules, grammar) + end


def operand_error(text: str, offset: int, expected: str) -> InstError:
    """Return the error for an operand; the caller adds file and line."""
    if expected.startswith("unknown"):
        return InstError(f"{expected} in operand `{text}`, column {offset + 1}", source=text)
    if not text:
        return InstError("an operand is missing before or after a comma")
    expected = expected.removeprefix("Expected ")
    found = f"found `{text[offset:]}`" if offset < len(text) else "it ends there"
    return InstError(
        f"cannot read operand `{text}`: at column {offset + 1} expected {expected}, {found}",
        source=text,
    )
