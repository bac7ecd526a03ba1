"""The register numbers of RST's REGVAL records, by inst's names."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from inst.arch.sparc.tables.registers import INTEGER_NAMES
from inst.formats.rst.regvals import CC, FCC, FLOAT, INT, OTHER
from inst.words import decode as trace_decode

SPARC_OTHER = {0: "y", 3: "asi", 8: "fsr"}
CODES = 2
"""Of OTHER: both condition codes, as in %ccr."""

POWERPC_OTHER = {1: "xer", 8: "lr", 9: "ctr"}
"""The format does not specify PowerPC: these are the numbers of the special registers."""


def named_registers(fields: Mapping[str, int | str], arch: str) -> dict[str, int]:
    """Return the registers of a REGVAL record that `inst.isa` has names for."""
    name = _powerpc if trace_decode.family(arch) == "powerpc" else _sparc
    found: dict[str, int] = {}
    for slot in "01":
        kind, number, value = (int(fields[key + slot]) for key in ("regtype", "regid", "reg64_"))
        found |= name(kind, number, value)
    found.pop("g0", None)
    return found


@cache
def fully_recorded(words: str) -> frozenset[str]:
    """Return the registers in the string `registers=WORDS`: without a record they are unchanged."""
    names: set[str] = set()
    if "general" in words:
        names |= {f"r{n}" for n in range(32)}
    if "floating" in words:
        names |= {f"f{n}" for n in range(32)}
    if "status" in words:
        names |= {"xer", "lr", "ctr", "fpscr", *(f"cr{n}" for n in range(8))}
    return frozenset(names)


def _sparc(kind: int, number: int, value: int) -> dict[str, int]:
    if kind == INT and number < 32:
        return {INTEGER_NAMES[number]: value}
    if kind == FLOAT and number < 64:
        return _float(number, value)
    if kind == CC:  # by the format the codes are in the number; some producers use the value
        return _codes(value or number)
    if kind == FCC and number < 4:
        return {f"fcc{number}": value & 3}
    if kind == OTHER:
        if number == CODES:
            return _codes(value)
        return {SPARC_OTHER[number]: value} if number in SPARC_OTHER else {}
    return {}


def _codes(value: int) -> dict[str, int]:
    return {"icc": value & 15, "xcc": value >> 4 & 15}


def _float(number: int, value: int) -> dict[str, int]:
    """A value of more than 32 bits, or of the upper registers, is that of a pair."""
    if number < 32 and not value >> 32:
        return {f"f{number}": value}
    even = number & ~1
    return {f"f{even}": value >> 32, f"f{even + 1}": value & 0xFFFFFFFF}


def _powerpc(kind: int, number: int, value: int) -> dict[str, int]:
    if kind in (INT, FLOAT) and number < 32:
        return {f"{'r' if kind == INT else 'f'}{number}": value}
    if kind == CC:
        return {f"cr{field}": value >> 28 - 4 * field & 15 for field in range(8)}
    if kind == FCC and number == 0:
        return {"fpscr": value}
    if kind == OTHER and number in POWERPC_OTHER:
        return {POWERPC_OTHER[number]: value}
    return {}
