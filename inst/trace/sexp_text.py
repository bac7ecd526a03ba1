"""S-expression records as rows: the text as it stands in the file."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from inst.trace.rows import Row
from inst.trace.sexp import SexpTrace
from inst.trace.sexp_record import SexpRecord
from inst.trace.sexp_table import ADDRESS_KEYS

INSTRUCTIONS = frozenset({"mem-read", "mem-write", "mem-reserve"})
"""Kinds that stand for one executed instruction."""


def sexp_rows(trace: SexpTrace) -> Iterator[Row]:
    """Yield every record as a row."""
    for batch in trace.batches():
        for record in batch.records:
            yield _row(record)


def _row(record: SexpRecord) -> Row:
    address = next((value for key, value in record.fields if key in ADDRESS_KEYS), None)
    return Row(
        record.ordinal,
        record.kind,
        " ".join(record.text.decode("utf-8", "replace").split()),
        record.kind in INSTRUCTIONS,
        None,
        record.thread,
        record.source if isinstance(record.source, int) else None,
        address if isinstance(address, int) else None,
        partial(_fields, record),
    )


def _fields(record: SexpRecord) -> dict[str, Any]:
    fields: dict[str, Any] = {"id": record.id, "tid": record.thread, **dict(record.fields)}
    if record.source is not None:
        fields["src"] = record.source
    return fields
