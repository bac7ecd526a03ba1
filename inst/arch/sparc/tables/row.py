"""The form of a row of the tables, and what the operand roles in it mean.

A row's `operands` is a list of roles, alternatives parted by `|`.  The first row of a
mnemonic whose roles fit the operands counts, so special cases stand before general ones.
"""

from __future__ import annotations

import enum

from inst.dataclass import dataclass
from inst.isa.model import Barrier, Form, Transfer


class Fit(enum.IntFlag):
    """What an operand is; an operand may be several of these at once."""

    INTEGER = 1  # %g0..%i7
    FLOAT = 2  # %f0..%f63
    CONDITION = 4  # %icc %xcc
    FLOAT_CONDITION = 8  # %fcc0..%fcc3
    STATE = 16  # what rd and wr know
    PRIVILEGED = 32  # what rdpr and rdhpr know
    COPROCESSOR = 64
    NUMBER = 128  # an expression without registers
    HERE = 256  # ... with the location counter in it
    ADDRESS = 512  # register, sum of registers, register plus number
    RETURN = 1024  # %o7+8 %i7+8, and + 12 over the `unimp` of a returned structure
    MEMORY = 2048  # in brackets
    ALTERNATE = 4096  # in brackets, with an address space identifier
    ANY = 8192  # fits every operand: only the assembler needs to understand it


@dataclass(frozen=True, slots=True)
class Role:
    """What one operand must be, and what the instruction does with it."""

    fit: Fit
    uses: bool = False
    defs: bool = False
    width: int = 1  # registers it covers
    literal: str = ""  # canonical name of the only register that fits
    target: bool = False


def _register_roles() -> dict[str, Role]:
    """Two letters: kind of register, then s (source), d (destination) or x (both)."""
    kinds = {
        "r": (Fit.INTEGER, 1),
        "p": (Fit.INTEGER, 2),
        "f": (Fit.FLOAT, 1),
        "d": (Fit.FLOAT, 2),
        "q": (Fit.FLOAT, 4),
        "cc": (Fit.CONDITION, 1),
        "fcc": (Fit.FLOAT_CONDITION, 1),
        "state": (Fit.STATE, 1),
        "privileged": (Fit.PRIVILEGED, 1),
        "cp": (Fit.COPROCESSOR, 1),
    }
    return {
        f"{kind}:{effect}": Role(fit, uses=effect in "sx", defs=effect in "dx", width=width)
        for kind, (fit, width) in kinds.items()
        for effect in "sdx"
    }


ROLES: dict[str, Role] = {
    **_register_roles(),
    "ri": Role(Fit.INTEGER | Fit.NUMBER, uses=True),
    "i": Role(Fit.NUMBER),
    "label": Role(Fit.NUMBER, target=True),
    "here": Role(Fit.HERE, target=True),
    "address": Role(Fit.ADDRESS | Fit.NUMBER, uses=True),
    "return": Role(Fit.RETURN, uses=True),
    "memory": Role(Fit.MEMORY, uses=True),
    "alternate": Role(Fit.ALTERNATE, uses=True),
    "anycc": Role(Fit.CONDITION | Fit.FLOAT_CONDITION),
    "any": Role(Fit.ANY),
}


def role(text: str) -> Role:
    """Return the role of that name; `=name` is one register and says nothing of effects."""
    if text.startswith("="):
        return Role(Fit.ANY, literal=text[1:])
    return ROLES[text]


@dataclass(frozen=True, slots=True)
class Touch:
    """How a row's memory operand is accessed."""

    load: bool
    store: bool
    size: int
    form: Form = Form.SIMPLE
    by_space: bool = False  # size and form depend on the address space identifier


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a table: mnemonics with the same operands and effects."""

    names: str
    operands: str = ""
    uses: str = ""  # registers besides those that the operands name
    defs: str = ""
    touch: Touch | None = None
    transfer: Transfer = Transfer.NONE
    conditional: bool = False
    delay_slot: bool = False
    suffixes: str = ""  # what may follow the mnemonic after a comma: a pt pn
    never: bool = False  # a branch that is never taken; with ,a it skips the next instruction
    reach: int = 0
    window: int = 0
    pc_relative_data: bool = False
    calls_system: bool = False  # if its number is one of SYSTEM_TRAPS
    never_runs: bool = False
    barrier: Barrier = Barrier.NONE
    masked: bool = False  # its operand is the mask of a barrier
    length: int = 4
