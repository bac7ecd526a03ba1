"""All rows of PowerPC, by mnemonic and number of operands."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from inst.arch.powerpc.tables import branches, floating, integer, memory, vector
from inst.arch.powerpc.tables.language import LANGUAGE
from inst.isa.rows import Row, Table

Rows = dict[int, Row]
"""Number of operands -> row."""

COMMON = (integer, memory, floating, vector, branches)
"""What compilers and ordinary assembly need."""


@cache
def _common() -> Table:
    return Table(LANGUAGE, (table for module in COMMON for table in module.TABLES))


@cache
def _uncommon() -> Table:
    """Return the other rows; few files need them."""
    from inst.arch.powerpc.tables.uncommon import TABLES

    return Table(LANGUAGE, TABLES)


def all_rows() -> Iterator[Row]:
    """Yield every row of every table."""
    yield from _common()
    yield from _uncommon()


@cache
def rows_of(mnemonic: str) -> Rows:
    """Return the common rows of a mnemonic by their number of operands."""
    return _by_count(_common().rows(mnemonic))


def all_rows_of(mnemonic: str) -> Rows:
    """Return all rows of a mnemonic by their number of operands."""
    return _by_count(_uncommon().rows(mnemonic)) | rows_of(mnemonic)


def mnemonics() -> set[str]:
    """Return every mnemonic of every table."""
    return {*_common().mnemonics, *_uncommon().mnemonics}


def _by_count(rows: tuple[Row, ...]) -> Rows:
    return {len(row.roles): row for row in reversed(rows)}
