"""Operands of the shapes that compilers write, read without the grammar.

Loading and running pyparsing costs more than translating a small file, and nearly every
operand of compiler output has one of a few shapes.  Each is read here by one regular
expression into the very tree that the grammar would give; everything else is left to it. What
instruction sets share is here; `Syntax.usual` is the rest.
"""

from __future__ import annotations

import re

from inst.asm.model import Binary, Expression, Number, Symbol
from inst.asm.syntax import Syntax
from inst.asm.tokens import NAME

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*|0x[0-9a-fA-F]+)")
_SYMBOL = re.compile(rf"(?!\.$)(?!\$$){NAME}")
_SUM = re.compile(rf"({NAME})([-+])({NAME}|0|[1-9][0-9]*)")


def plain(syntax: Syntax, text: str) -> Expression | None:
    """Read a number, a symbol, or the sum or difference of two such."""
    if _NUMBER.fullmatch(text):
        return Number(int(text, 0), text)
    if _is_symbol(syntax, text):
        return Symbol(text)
    found = _SUM.fullmatch(text)
    if not found or not _is_symbol(syntax, found[1]):
        return None
    right = plain(syntax, found[3])
    return Binary(found[2], Symbol(found[1]), right) if right is not None else None


def _is_symbol(syntax: Syntax, text: str) -> bool:
    known = syntax.bare_registers and syntax.register(text)
    return _SYMBOL.fullmatch(text) is not None and not known
