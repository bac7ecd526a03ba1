"""SPARC's registers in RST, by inst's names."""

from __future__ import annotations

from inst.arch.sparc.tables.registers import INTEGER_NAMES
from inst.formats.rst.codes import CC, FCC, FLOAT, INT, OTHER
from inst.formats.rst.regvals import Regvals

_OTHER = {0: "y", 3: "asi", 8: "fsr"}
CODES = 2
"""Of OTHER: both condition codes, as in %ccr."""


def _register(kind: int, number: int, value: int) -> dict[str, int]:
    if kind == INT and number < 32:
        return {INTEGER_NAMES[number]: value} if number else {}  # %g0 is no register
    if kind == FLOAT and number < 64:
        return _float(number, value)
    if kind == CC:  # by the format the codes are in the number; some producers use the value
        return _codes(value or number)
    if kind == FCC and number < 4:
        return {f"fcc{number}": value & 3}
    if kind == OTHER:
        if number == CODES:
            return _codes(value)
        return {_OTHER[number]: value} if number in _OTHER else {}
    return {}


def _codes(value: int) -> dict[str, int]:
    return {"icc": value & 15, "xcc": value >> 4 & 15}


def _float(number: int, value: int) -> dict[str, int]:
    """A value of more than 32 bits, or of the upper registers, is that of a pair."""
    if number < 32 and not value >> 32:
        return {f"f{number}": value}
    even = number & ~1
    return {f"f{even}": value >> 32, f"f{even + 1}": value & 0xFFFFFFFF}


PART = Regvals(_register)
