"""RST records made anonymous: addresses, strings and source files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from inst.formats.rst import table as rst_table
from inst.formats.rst.batch import StringRows
from inst.formats.rst.codes import (
    DMA,
    EA_VALID,
    EVENT_PC,
    EVENT_RECORD,
    EVENT_SIZE,
    EVENT_TEXT,
    FIRST_ADDRESS,
    INSTR,
    IS_SITE,
    LAST,
    MEMVAL,
    PLACED,
    REGVAL,
    SECOND_ADDRESS,
    STRCONT,
    STRDESC,
    TLB,
    VARIANT,
)
from inst.formats.rst.layout import put_bits
from inst.formats.rst.record import RstBatch
from inst.trace.batch import Batch
from inst.trace.model import Array
from inst.trace.permutation import Permutation

HARMLESS = (b"arch=", b"inst=", b"hooks=", b"compiler=", b"whole-from=")
"""Beginnings of strings that reveal nothing of where and what was run."""

_FIRST = (*FIRST_ADDRESS, MEMVAL, TLB, DMA, EVENT_RECORD, EVENT_PC)


def anonymiser(exchange: Permutation, *, zero: bool) -> Callable[[Batch], Batch]:
    """Return what makes one batch after the other anonymous; `zero` makes values 0."""
    harmless = StringRows(*HARMLESS)

    def anonymous(batch: Batch) -> Batch:
        codes = batch.records["rtype"]
        others = (codes != STRCONT) & (codes != STRDESC)
        return _rst(batch, exchange, zero).take(others | harmless.rows(batch.records))

    return anonymous


def _rst(batch: Batch, exchange: Permutation, zero: bool) -> Batch:
    records = batch.records.copy()
    codes, flags = records["rtype"], records["flags"]
    wide = (codes == MEMVAL) & (flags & VARIANT != 0)
    for column, table in (("first", _FIRST), ("second", SECOND_ADDRESS)):
        rows = np.isin(codes, table) & ~wide
        if column == "second":  # where no address is, 0 says more than a page of nothing
            rows &= ~((codes == INSTR) & (flags & EA_VALID == 0) & (records["second"] == 0))
        distinct, where = np.unique(records[column][rows].astype("u8"), return_inverse=True)
        records[column][rows] = exchange.addresses(distinct)[where]
    placed = (codes == EVENT_SIZE) & (flags & PLACED != 0)
    records["second"][placed] = exchange.addresses(records["second"][placed].astype("u8"))
    if wide.any():
        _wide(batch, records, np.flatnonzero(wide), exchange)
    _sites(records)
    if zero:
        records["second"][(codes == MEMVAL) | (codes == EVENT_RECORD)] = 0
        records["first"][wide] = 0
        records["first"][codes == REGVAL] = 0
        records["second"][codes == REGVAL] = 0
    return replace(batch, records=records)


def _sites(records: Array) -> None:
    """Make source files, which EVENT_TEXT records spell, numbers."""
    rows = np.flatnonzero((records["rtype"] == EVENT_TEXT) & (records["flags"] & IS_SITE != 0))
    records["second"][rows] = 0
    for row in rows.tolist():
        last = records["flags"][row] & LAST
        name = b"%x:0" % records["word"][row] if last else b""
        records["first"][row] = int.from_bytes(name[:8].ljust(8, b"\0"), "big")


def _wide(batch: Batch, records: Array, rows: Array, exchange: Permutation) -> None:
    """Exchange the pages of MEMVAL128, which has 44 bits of address without the low four."""
    field = rst_table.BY_NAME["memval128"].field("addr")
    found = RstBatch(0, records, batch.version).column("memval128", "addr", rows)
    fresh = exchange.addresses(found) >> np.uint64(4) & np.uint64((1 << field.width) - 1)
    put_bits(records, rows, field.parts, fresh)
