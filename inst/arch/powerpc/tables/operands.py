"""Operand text to registers and numbers, by what the instruction takes in that place."""

from __future__ import annotations

import re
from collections.abc import Callable

from inst.arch.powerpc.tables.registers import (
    FIELD_NAMES,
    FLOAT_NAMES,
    GENERAL_NAMES,
    VECTOR_NAMES,
    VSX_NAMES,
)
from inst.asm.model import Binary, Number, Operand, Register, Symbol, Unary
from inst.asm.operands import parse_operands

Names = dict[str, str]
"""Operand text -> canonical register name."""


class Misfit(Exception):
    """An operand that does not fit its role."""


def _spellings(names: tuple[str, ...], *prefixes: str) -> Names:
    """Return the ways to write each register: a bare number and a name, with and without %."""
    result: Names = {}
    for number, name in enumerate(names):
        written = (str(number), *(f"{prefix}{number}" for prefix in prefixes))
        result.update(dict.fromkeys(written, name))
        result.update({f"%{text}": name for text in written[1:]})
    return result


GENERAL = _spellings(GENERAL_NAMES, "r") | {"sp": "r1", "rtoc": "r2", "toc": "r2"}
FLOAT = _spellings(FLOAT_NAMES, "f", "fr")
VECTOR = _spellings(VECTOR_NAMES, "v", "vr")
VSX = _spellings(VSX_NAMES, "vs", "vsx")
FIELD = _spellings(FIELD_NAMES, "cr")
ACCUMULATOR = _spellings(tuple(str(number) for number in range(8)), "a")

THREAD_POINTER = re.compile(r"@tls(@pcrel)?$", re.IGNORECASE)
"""`add 9,9,x@tls`: the last operand stands for the thread pointer, r2 in 32-bit code."""
WIDE_THREAD_POINTER = "13"
"""The register for which it stands in 64-bit code."""

CONDITION_BITS = {"lt": 0, "gt": 1, "eq": 2, "so": 3, "un": 3}


def parsed(text: str) -> Operand:
    """Return the tree of one operand."""
    operands = parse_operands(text, "powerpc")
    if len(operands) != 1:
        raise Misfit(f"`{text}` is not one operand")
    return operands[0]


def number_of(text: str) -> int:
    """Return the value of a constant expression; condition fields and bits have values."""
    try:
        return int(text)
    except ValueError:
        return _evaluate(parsed(text))


def _evaluate(node: Operand) -> int:
    match node:
        case Number(value=value):
            return value
        case Register(name=name) if name in FIELD:
            return FIELD_NAMES.index(name)
        case Symbol(name=name) if name.lower() in CONDITION_BITS:
            return CONDITION_BITS[name.lower()]
        case Symbol(name=name) if name.lower() in FIELD:
            return FIELD_NAMES.index(name.lower())
        case Binary(operator=operator, left=left, right=right) if operator in OPERATIONS:
            return OPERATIONS[operator](_evaluate(left), _evaluate(right))
        case Unary(operator="-", operand=operand):
            return -_evaluate(operand)
        case _:
            raise Misfit(f"`{node}` is not a constant")


OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "+": lambda left, right: left + right,
    "-": lambda left, right: left - right,
    "*": lambda left, right: left * right,
    "|": lambda left, right: left | right,
    "&": lambda left, right: left & right,
    "<<": lambda left, right: left << right,
}


def register_of(names: Names, text: str) -> str:
    """Return the canonical name of the register that an operand names."""
    name = names.get(text)
    if name is None:
        name = names.get(text.lower())
    if name is None and names is GENERAL and THREAD_POINTER.search(text):
        return "r2"
    return name if name is not None else _register_of_tree(names, text)


def _register_of_tree(names: Names, text: str) -> str:
    node = parsed(text)
    key = node.name if isinstance(node, Register) else str(_evaluate(node))
    if key not in names:
        raise Misfit(f"`{text}` is not a register of the right kind")
    return names[key]
