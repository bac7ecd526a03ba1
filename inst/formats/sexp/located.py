"""Events of s-expressions as columns, and the line and site of each on demand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from inst.formats.sexp.events import rows as rows_of
from inst.formats.sexp.fast import Regular, SexpBatch
from inst.formats.sexp.lines import ORDERS
from inst.formats.sexp.record import SexpRecord
from inst.formats.sexp.trace import SexpTrace
from inst.trace.model import Array

Located = tuple[Array, Array, Sequence[str], Callable[[int], dict[str, Any]]]
"""Rows of EVENT, their details as numbers of words, the words, and where a row stands."""


def located(trace: SexpTrace, batch: SexpBatch) -> Located:
    """Return a batch's events."""
    if batch.regular is not None:
        return _regular(batch.regular)
    return _single(batch.records, trace)


def _regular(regular: Regular) -> Located:
    def place(row: int) -> dict[str, Any]:
        start, end = (int(places[row]) for places in regular.sources)
        site = regular.buffer[start:end].decode("utf-8", "surrogateescape")
        return {"site": site, "line": regular.first_line + row}

    return regular.events, regular.orders, ORDERS, place


def _single(records: list[SexpRecord], trace: SexpTrace) -> Located:
    def place(row: int) -> dict[str, Any]:
        source = records[row].source
        site = source if isinstance(source, str) else ""
        return {"site": site, "line": records[row].line}

    rows = rows_of(records, trace)
    return rows, rows["detail"], trace.words.texts, place
