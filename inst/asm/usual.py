"""Operands of the shapes that compilers write, read without the grammar.

Loading and running pyparsing costs more than translating a small file, and nearly every
operand of compiler output has one of a few shapes.  Each is read here by one regular
expression into the very tree that the grammar would give; everything else is left to it.
"""

from __future__ import annotations

import re

from inst.asm.model import (
    Binary,
    Expression,
    Memory,
    Number,
    Operand,
    Register,
    Relocation,
    Symbol,
)
from inst.asm.registers import REGISTERS
from inst.asm.tokens import NAME

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)")
_SYMBOL = re.compile(rf"(?!\.$)(?!\$$){NAME}")
_SUM = re.compile(rf"({NAME})([-+])({NAME}|0|[1-9][0-9]*)")

_SPARC_RELOCATION = re.compile(r"(%[a-z_0-9]+)\(([^()]+)\)")
_SPARC_ADDRESS = re.compile(r"\[%(\w+)(?: ?(?:\+ ?([^\[\]]+)|(-[0-9]+)))?\]")

_POWERPC_SUFFIXED = re.compile(r"([^@()]+)((?:@[a-z]+)+)")
_POWERPC_ADDRESS = re.compile(r"([^()]+)\((\w+)\)")


def usual_operand(text: str, syntax: str) -> Operand | None:
    """Return the tree of an operand of a usual shape, None for any other."""
    if syntax == "sparc":
        return _sparc_address(text) if text.startswith("[") else _sparc_expression(text)
    return _powerpc_address(text) if text.endswith(")") else _powerpc_expression(text)


def _plain(text: str, syntax: str) -> Expression | None:
    """Read a number, a symbol, or the sum or difference of two such."""
    if _NUMBER.fullmatch(text):
        return Number(int(text), text)
    if _is_symbol(text, syntax):
        return Symbol(text)
    found = _SUM.fullmatch(text)
    if not found or not _is_symbol(found[1], syntax):
        return None
    right = _plain(found[3], syntax)
    return Binary(found[2], Symbol(found[1]), right) if right is not None else None


def _is_symbol(text: str, syntax: str) -> bool:
    known = syntax == "powerpc" and text.lower() in REGISTERS[syntax]
    return _SYMBOL.fullmatch(text) is not None and not known


def _sparc_expression(text: str) -> Expression | None:
    found = _SPARC_RELOCATION.fullmatch(text)
    if not found:
        return _plain(text, "sparc")
    operand = _plain(found[2], "sparc")
    return Relocation(found[1], operand) if operand is not None else None


def _sparc_address(text: str) -> Memory | None:
    found = _SPARC_ADDRESS.fullmatch(text)
    name = REGISTERS["sparc"].get(found[1]) if found else None
    if not found or not name:
        return None
    base = Register(name, f"%{found[1]}")
    rest = found[2] or found[3]
    if not rest:
        return Memory(base, None, None, None, text)
    index = REGISTERS["sparc"].get(rest[1:]) if rest.startswith("%") else None
    if index:
        return Memory(base, Register(index, rest), None, None, text)
    offset = _sparc_expression(rest)
    return Memory(base, None, offset, None, text) if offset is not None else None


def _powerpc_expression(text: str) -> Expression | None:
    found = _POWERPC_SUFFIXED.fullmatch(text)
    if not found:
        return _plain(text, "powerpc")
    operand = _plain(found[1], "powerpc")
    return Relocation(found[2], operand) if operand is not None else None


def _powerpc_address(text: str) -> Memory | None:
    found = _POWERPC_ADDRESS.fullmatch(text)
    if not found:
        return None
    offset = _powerpc_expression(found[1])
    name = found[2]
    number = int(name) if name.isdecimal() and name.isascii() else -1
    known = f"r{number}" if 0 <= number < 32 else REGISTERS["powerpc"].get(name.lower())
    if offset is None or not known:
        return None
    return Memory(Register(known, name), None, offset, None, text)
