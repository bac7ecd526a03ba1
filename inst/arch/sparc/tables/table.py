"""All rows of SPARC, by mnemonic."""

from __future__ import annotations

from functools import cache

from inst.arch.sparc.tables import control, floating, integer, memory, special, state, vector
from inst.arch.sparc.tables.language import LANGUAGE
from inst.isa.rows import Table

MODULES = (integer, memory, control, state, floating, vector, special)


@cache
def table() -> Table:
    """Return the rows that code of either width has in common."""
    return Table(LANGUAGE, (text for module in MODULES for text in module.TABLES))
