"""What the records of a source say beyond its events: counted, since no target carries it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from inst.convert.model import Losses
from inst.trace import rst_table
from inst.trace.model import Trace
from inst.trace.rst import RstBatch
from inst.trace.sexp_fast import SexpBatch
from inst.trace.sexp_table import COLUMNS, KINDS
from inst.trace.stf import StfBatch

# RST records that are events, or about the trace as a file, or in its facts.
_CARRIED = (2, 3, 4, 6, 11, 14, 20, 21, 23, 26, 40, 41, 42, 43)
# ... and what the events leave out of these, and where a record holds any of it.
_PARTLY: tuple[tuple[int, str, tuple[str, ...]], ...] = (
    (7, "trap", ("is_async", "tl", "pstate", "npc")),
    (22, "recnum", ("level", "recType", "incount", "outcount")),
    (11, "cpu", ("timestamp",)),
)
# Records that state what is so without saying: contexts of 0, no physical addresses.
_USUAL = (("preg", 17), ("pavadiff", 19))


REGVAL = 9

CARRIES_ALL = frozenset({("stf", "rst")})
"""From and to formats between which no record is lost."""


def watch(trace: Trace, losses: Losses, target: str) -> None:
    """Let every batch of the trace be counted as it is read."""
    if (trace.format, target) in CARRIES_ALL:
        return
    count = _COUNTERS[trace.format]
    if target == "stf" and trace.format == "rst":
        count = partial(_rst, carried=(*_CARRIED, REGVAL))
    trace.observe(lambda batch: count(batch, losses))


def _rst(batch: RstBatch, losses: Losses, carried: tuple[int, ...] = _CARRIED) -> None:
    codes = batch.raw["rtype"]
    counts = np.bincount(codes, minlength=256)
    for name, code in _USUAL:
        counts[code] -= _unremarkable(batch, name, code) if counts[code] else 0
    for code in np.flatnonzero(counts).tolist():
        partly = next((row for row in _PARTLY if row[0] == code), None)
        if partly:
            counts[code] -= _told_partly(batch, *partly, losses)
        if code not in carried:
            kinds = [kind.name for kind in rst_table.TYPES if kind.code == code]
            name = kinds[0] if kinds else f"rtype={code}"
            losses.add(f"{name} records", int(counts[code]))


def _told_partly(
    batch: RstBatch, code: int, name: str, fields: tuple[str, ...], losses: Losses
) -> int:
    """Count the fields that events leave out; return how many such records are events."""
    variant = rst_table.BY_NAME[name].variant
    chosen = batch.raw["rtype"] == code
    if variant is not None:
        chosen &= batch.raw["flags"] >> 7 == variant
    rows = np.flatnonzero(chosen)
    told = np.zeros(len(rows), bool)
    for field in fields:
        told |= batch.column(name, field, rows) != 0
    losses.add(f"{', '.join(fields)} of {name} records", int(told.sum()))
    return len(rows)


def _unremarkable(batch: RstBatch, name: str, code: int) -> int:
    """Return how many of the records hold nothing but a cpu number."""
    rows = np.flatnonzero(batch.raw["rtype"] == code)
    told = np.zeros(len(rows), bool)
    for field in rst_table.BY_NAME[name].fields:
        if field.name not in ("cpuid", "ea_valid"):
            told |= batch.column(name, field.name, rows) != 0
    return int((~told).sum())


def _sexp(batch: SexpBatch, losses: Losses) -> None:
    if batch.regular:
        return
    for record in batch.records:
        kind = KINDS.get(record.kind)
        if kind is None:
            losses.add(f"fields of '{record.kind}' records", 1)
            continue
        if record.kind in ("producer", "image"):
            continue
        known = {field.key for field in (*kind.fields, *kind.extra)} - {"level"}
        for key, _ in record.fields:
            if key not in known and key not in COLUMNS and key != "addr":
                losses.add(f"({key} ...) of {record.kind} records", 1)
    if batch.tail.strip():
        losses.add("text behind the last record", 1)


def _stf(batch: StfBatch, losses: Losses) -> None:
    losses.add("register values", sum(record.after.count(b"=") for record in batch.records))
    status = sum(record.before.count(b"=") for record in batch.records if record.kind == "instr")
    losses.add("status register values", status)


_COUNTERS: dict[str, Callable[[Any, Losses], None]] = {"rst": _rst, "sexp": _sexp, "stf": _stf}
