"""Operand roles: what one operand of an instruction is, and what the instruction does with it.

Register roles are a class and an effect, as `inst.isa.rows` says: `CLASSES` has the classes. The
other roles are in `ROLES`, and `=name` is one register and says nothing of effects.
"""

from __future__ import annotations

import enum

from inst.dataclass import dataclass


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


CLASSES = {
    "": (Fit.INTEGER, 1),
    "p": (Fit.INTEGER, 2),
    "f": (Fit.FLOAT, 1),
    "d": (Fit.FLOAT, 2),
    "q": (Fit.FLOAT, 4),
    "c": (Fit.CONDITION, 1),
    "fc": (Fit.FLOAT_CONDITION, 1),
    "st": (Fit.STATE, 1),
    "pr": (Fit.PRIVILEGED, 1),
    "cp": (Fit.COPROCESSOR, 1),
}
"""Class of registers -> what the operand must be, and how many registers it covers."""

ONLY = ("g0", "o7", "fsr", "efsr", "pc", "psr")
"""Registers that have rows of their own."""

ROLES: dict[str, Role] = {
    **{
        name + effect: Role(fit, uses=effect in "sm", defs=effect in "dm", width=width)
        for name, (fit, width) in CLASSES.items()
        for effect in "sdm"
    },
    **{f"={name}": Role(Fit.ANY, literal=name) for name in ONLY},
    "si": Role(Fit.INTEGER | Fit.NUMBER, uses=True),  # a general register or a number
    "i": Role(Fit.NUMBER),
    "target": Role(Fit.NUMBER, target=True),
    "here": Role(Fit.HERE, target=True),  # a target relative to the instruction itself
    "address": Role(Fit.ADDRESS | Fit.NUMBER, uses=True),
    "return": Role(Fit.RETURN, uses=True),  # the address after a call
    "mem": Role(Fit.MEMORY, uses=True),
    "alt": Role(Fit.ALTERNATE, uses=True),
    "cc": Role(Fit.CONDITION | Fit.FLOAT_CONDITION),  # named, but not read
    "any": Role(Fit.ANY),
}
