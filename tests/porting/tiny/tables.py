"""What its instructions read and write."""

from __future__ import annotations

import functools

from inst.asm.model import Memory, Register
from inst.asm.operands import parse_operands
from inst.isa.model import Access, Facts, Isa, RegisterFile, Tables, Transfer, UnknownInstruction

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
_SIZES = {"lw": 4, "lb": 1, "sw": 4}


@functools.cache
def facts(mnemonic: str, text: str) -> Facts:
    """Return the facts of an instruction."""
    operands = parse_operands(text, "tiny")
    if mnemonic == "b":
        return Facts(0, 0, transfer=Transfer.BRANCH, target=str(operands[0]), target_operand=0)
    match operands:
        case (Register() as value, Memory(base=Register() as base, offset=offset)):
            if mnemonic in _SIZES:
                return _access(mnemonic, value.name, base.name, str(offset))
    raise UnknownInstruction(f"unknown instruction `{mnemonic} {text}`")


def _access(mnemonic: str, value: str, base: str, offset: str) -> Facts:
    load = mnemonic.startswith("l")
    access = Access(load, not load, _SIZES[mnemonic], value, base, None, offset)
    uses = _BIT[base] | (0 if load else _BIT[value])
    return Facts(uses, _BIT[value] if load else 0, access)


PART = Tables((Isa("tiny", "only", 32, REGISTERS, "b", facts, "tiny"),))
