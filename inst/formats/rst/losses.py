"""What RST records contain beyond events."""

from __future__ import annotations

import numpy as np

from inst.formats.rst import table as rst_table
from inst.formats.rst.codes import (
    CPU,
    EVENT_PC,
    EVENT_RECORD,
    EVENT_SIZE,
    EVENT_TEXT,
    HEADER,
    INSTR,
    MARKER,
    MEMVAL,
    NULLREC,
    PAVADIFF,
    PREG,
    REGVAL,
    STATUS,
    STRCONT,
    STRDESC,
    THREAD,
    TRACEINFO,
    TRAP,
)  # fmt: skip
from inst.formats.rst.record import RstBatch
from inst.trace.writing import Losses

# RST records that are events, or about the trace as a file, or in its facts.
_CARRIED = (
    HEADER, INSTR, TRACEINFO, THREAD, CPU, STRDESC, NULLREC, STRCONT, STATUS, MEMVAL, EVENT_RECORD,
    EVENT_PC, EVENT_SIZE, EVENT_TEXT,
)  # fmt: skip
# ... and what the events leave out of these, and where a record holds any of it.
_PARTLY: tuple[tuple[int, str, tuple[str, ...]], ...] = (
    (TRAP, "trap", ("is_async", "tl", "pstate", "npc")),
    (MARKER, "recnum", ("level", "recType", "incount", "outcount")),
    (CPU, "cpu", ("timestamp",)),
)
# Records that state what is so without saying: contexts of 0, no physical addresses.
_USUAL = (("preg", PREG), ("pavadiff", PAVADIFF))


def count_losses(batch: RstBatch, losses: Losses, *, registers: bool) -> None:
    """Count what the target of a conversion does not get; `registers` are not lost then."""
    carried = (*_CARRIED, REGVAL) if registers else _CARRIED
    codes = batch.raw["rtype"]
    counts = np.bincount(codes, minlength=256)
    for name, code in _USUAL:
        counts[code] -= _unremarkable(batch, name, code) if counts[code] else 0
    for code in np.flatnonzero(counts).tolist():
        partly = next((row for row in _PARTLY if row[0] == code), None)
        if partly:
            counts[code] -= _partly_lost(batch, *partly, losses)
        if code not in carried:
            kinds = [kind.name for kind in rst_table.TYPES if kind.code == code]
            name = kinds[0] if kinds else f"rtype={code}"
            losses.add(f"{name} records", int(counts[code]))


def _partly_lost(
    batch: RstBatch, code: int, name: str, fields: tuple[str, ...], losses: Losses
) -> int:
    """Count the fields that events leave out; return how many such records are events."""
    variant = rst_table.BY_NAME[name].variant
    chosen = batch.raw["rtype"] == code
    if variant is not None:
        chosen &= batch.raw["flags"] >> 7 == variant
    rows = np.flatnonzero(chosen)
    lost = np.zeros(len(rows), bool)
    for field in fields:
        lost |= batch.column(name, field, rows) != 0
    losses.add(f"{', '.join(fields)} of {name} records", int(lost.sum()))
    return len(rows)


def _unremarkable(batch: RstBatch, name: str, code: int) -> int:
    """Return how many of the records hold nothing but a cpu number."""
    rows = np.flatnonzero(batch.raw["rtype"] == code)
    lost = np.zeros(len(rows), bool)
    for field in rst_table.BY_NAME[name].fields:
        if field.name not in ("cpuid", "ea_valid"):
            lost |= batch.column(name, field.name, rows) != 0
    return int((~lost).sum())
