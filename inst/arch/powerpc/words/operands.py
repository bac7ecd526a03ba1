"""How a PowerPC memory instruction finds its address and its value in the registers.

`accesses.access_of` says that a word accesses memory and how many bytes; `operands_of` adds
which registers the address is made of and which one the value is in.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

from inst.arch.powerpc.words import accesses
from inst.words.access import Access

FROM_XER = -1
_SHORT_DISPLACEMENTS = {56: 0xFFF0, 57: 0xFFFC, 58: 0xFFFC, 6: 0xFFF0, 61: 0xFFFC, 62: 0xFFFC}

_ALIGNED = {"lvx": 16, "lvxl": 16, "stvx": 16, "stvxl": 16, "lvehx": 2, "stvehx": 2,
            "lvewx": 4, "stvewx": 4}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Operands:
    """The operands of a memory instruction."""

    access: Access
    base: int
    """General register added to the address; -1 for none (rA of 0)."""
    index: int
    displacement: int
    bank: str
    """Where the value is: "R", "F", or "" when STF has no such register."""
    number: int
    form: str = ""
    """Its layout in memory: "", "reversed", "single", "low", "algebraic"; "ascending": of
    two registers the first is at the lower address in both byte orders, unlike those of lq."""
    length: int = 0
    """Bytes of a string access; FROM_XER when the status register holds it; 0 for others."""
    updates: bool = False
    """The base register receives the address."""
    relative: bool = False
    """The instruction's own address is added."""


@functools.lru_cache(maxsize=1 << 16)
def operands_of(word: int) -> Operands | None:
    """Return the operands of a memory instruction; None for any other word."""
    access = accesses.access_of(word)
    if access is None:
        return None
    if word >> 32:
        return _prefixed(word, access)
    primary, target = word >> 26, accesses.target(word)
    base = accesses.base(word) or -1
    index, displacement, length = -1, 0, 0
    if primary != accesses.EXTENDED:
        displacement = accesses.immediate(word & displacement_mask(word))
    elif access.form == "counted":
        length = accesses.second(word) or 32
    else:
        index = accesses.second(word)
        length = FROM_XER if access.form == "indexed_string" else 0
    return Operands(
        access,
        base,
        index,
        displacement,
        _bank(access),
        target,
        _form(access),
        length,
        access.updates,
    )


def _prefixed(instruction: int, access: Access) -> Operands:
    """Return the operands of an instruction of two words: Power ISA 3.1, book I, 1.6.3."""
    relative = bool(instruction >> 52 & 1)
    return Operands(
        access,
        -1 if relative else accesses.base(instruction) or -1,
        -1,
        accesses.displacement(instruction),
        _bank(access),
        accesses.target(instruction),
        "ascending" if access.form == "pair" else _form(access),
        relative=relative,
    )


def displacement_mask(word: int) -> int:
    """Return which bits of a word are its displacement."""
    primary = word >> 26
    if primary == accesses.EXTENDED:
        return 0
    if primary == 61 and word & 3 == 1:  # lxv, stxv
        return 0xFFF0
    return _SHORT_DISPLACEMENTS.get(primary, 0xFFFF)


def _bank(access: Access) -> str:
    if access.bank != "low" or access.form == "block" or access.value == "whole":
        return ""
    return "F" if access.value in ("float", "first") else "R"


def _form(access: Access) -> str:
    if access.value == "reversed":
        return "reversed"
    if access.value == "first":
        return "low"
    if access.algebraic:
        return "algebraic"
    return "single" if access.value == "float" and access.size == 4 else ""


def alignment(operands: Operands) -> int:
    """Return what addresses are rounded down to a multiple of: vector forms ignore low bits."""
    return _ALIGNED.get(operands.access.mnemonic, 1)
