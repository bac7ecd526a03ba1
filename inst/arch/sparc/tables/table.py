"""All rows by mnemonic, compiled once to what the interpreter walks."""

from __future__ import annotations

from inst.arch.sparc.tables import control, floating, integer, memory, special, state, vector
from inst.arch.sparc.tables.natural import of_width
from inst.arch.sparc.tables.registers import REGISTERS
from inst.arch.sparc.tables.row import Role, Row, role
from inst.dataclass import dataclass
from inst.isa.model import RegisterSet

ROWS: tuple[Row, ...] = (
    *integer.ALL,
    *memory.ALL,
    *control.ALL,
    *state.ALL,
    *floating.ALL,
    *vector.ALL,
    *special.ALL,
)


@dataclass(frozen=True, slots=True)
class Pattern:
    """One alternative of a row, with the register names turned into masks."""

    row: Row
    roles: tuple[Role, ...]
    uses: RegisterSet
    defs: RegisterSet
    suffixes: frozenset[str]


def _patterns(row: Row) -> list[Pattern]:
    """Return a pattern for each alternative of the row's operands."""
    uses = REGISTERS.mask(*row.uses.split())
    defs = REGISTERS.mask(*row.defs.split())
    suffixes = frozenset(row.suffixes.split())
    return [
        Pattern(row, tuple(role(text) for text in form.split()), uses, defs, suffixes)
        for form in row.operands.split("|")
    ]


Table = dict[str, tuple[Pattern, ...]]
"""Mnemonic without suffixes -> its patterns, special ones first."""


def _table() -> Table:
    table: dict[str, list[Pattern]] = {}
    for row in ROWS:
        patterns = _patterns(row)
        for name in row.names.split():
            table.setdefault(name, []).extend(patterns)
    return {name: tuple(patterns) for name, patterns in table.items()}


TABLE = _table()
"""What code of either width has in common."""


def _of_width(bits: int) -> Table:
    return TABLE | {name: TABLE[meant] for name, meant in of_width(bits).items()}


TABLES = {bits: _of_width(bits) for bits in (32, 64)}
"""Width of the code -> all that it may hold."""
