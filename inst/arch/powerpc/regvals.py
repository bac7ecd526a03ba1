"""PowerPC's registers in RST, by inst's names."""

from __future__ import annotations

from inst.arch.powerpc.tables.registers import FIELD_NAMES, FLOAT_NAMES, GENERAL_NAMES
from inst.formats.rst.codes import CC, FCC, FLOAT, INT, OTHER
from inst.formats.rst.regvals import Regvals

_OTHER = {1: "xer", 8: "lr", 9: "ctr"}
"""The format does not specify PowerPC: these are the numbers of the special registers."""


def _register(kind: int, number: int, value: int) -> dict[str, int]:
    if kind in (INT, FLOAT) and number < 32:
        return {f"{'r' if kind == INT else 'f'}{number}": value}
    if kind == CC:
        return {f"cr{field}": value >> 28 - 4 * field & 15 for field in range(8)}
    if kind == FCC and number == 0:
        return {"fpscr": value}
    if kind == OTHER and number in _OTHER:
        return {_OTHER[number]: value}
    return {}


PART = Regvals(
    _register,
    recorded={
        "general": GENERAL_NAMES,
        "floating": FLOAT_NAMES,
        "status": ("xer", "lr", "ctr", "fpscr", *FIELD_NAMES),
    },
)
