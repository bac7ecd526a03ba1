"""What its instructions read and write."""

from __future__ import annotations

import functools
import itertools

from inst.asm.model import Memory, Operand, Register
from inst.asm.operands import parse_operands
from inst.dataclass import replace
from inst.isa.model import Facts, Isa, RegisterFile, Tables, UnknownInstruction
from inst.isa.rows import Language, Table

NAMES = tuple(f"t{n}" for n in range(8))
_BIT = {name: 1 << n for n, name in enumerate(NAMES)}
REGISTERS = RegisterFile(
    names=NAMES,
    bit=_BIT,
    integer=0x7F,
    special=0,
    link=_BIT["t7"],
    volatile=0x8F,
    arguments=_BIT["t0"] | _BIT["t6"],
    reserved=_BIT["t6"],
)
TABLE = Table(
    Language(_BIT, roles=("d", "s", "mem", "target")),
    [
        """
        lw   | d,mem  | load:4
        lb   | d,mem  | load:1
        sw   | s,mem  | store:4
        b    | target | branch
        """
    ],
)


@functools.cache
def facts(mnemonic: str, text: str) -> Facts:
    """Return the facts of an instruction."""
    operands = parse_operands(text, "tiny")
    for row in TABLE.rows(mnemonic):
        found: Facts | None = row.facts
        for role, operand in itertools.zip_longest(row.roles, operands):
            found = found and _with_operand(found, role, operand)
        if found:
            return found
    raise UnknownInstruction(f"unknown instruction `{mnemonic} {text}`")


def _with_operand(found: Facts, role: str | None, operand: Operand | None) -> Facts | None:
    """Return the facts with what an operand adds to them; None if it does not fit its role."""
    match role, operand:
        case "d", Register(name=name):
            access = found.access and replace(found.access, value=name)
            return replace(found, defs=found.defs | _BIT[name], access=access)
        case "s", Register(name=name):
            access = found.access and replace(found.access, value=name)
            return replace(found, uses=found.uses | _BIT[name], access=access)
        case "mem", Memory(base=Register(name=name), offset=offset):
            access = found.access and replace(found.access, base=name, offset=str(offset))
            return replace(found, uses=found.uses | _BIT[name], access=access)
        case "target", _ if operand is not None:
            return replace(found, target=str(operand), target_operand=0)
    return None


PART = Tables((Isa("tiny", "only", 32, REGISTERS, "b", facts, "tiny"),))
