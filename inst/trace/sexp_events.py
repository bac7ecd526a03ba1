"""From s-expression records to events."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from inst.trace.model import EVENT, Array, Flag, Kind
from inst.trace.sexp_parse import Value
from inst.trace.sexp_record import SexpRecord
from inst.trace.sexp_table import ADDRESS_KEYS, DETAIL_KEYS, KINDS

if TYPE_CHECKING:
    from inst.trace.sexp import SexpTrace

Row = tuple[int, ...]

MEMORY = {"mem-read": int(Kind.READ), "mem-write": int(Kind.WRITE)}


def events(trace: SexpTrace) -> Iterator[Array]:
    """Yield the events of the trace, one for each record."""
    for batch in trace.batches():
        if batch.records:
            rows = [
                _memory_row(record, trace) if record.kind in MEMORY else _row(record, trace)
                for record in batch.records
            ]
            yield np.array(rows, EVENT)


_ADDRESS = int(Flag.HAS_ADDRESS)
_PC = int(Flag.HAS_PC)
_VALUE = int(Flag.HAS_VALUE)


def _memory_row(record: SexpRecord, trace: SexpTrace) -> Row:
    """Return the columns of a read or write: what `_row` does, for nearly all records."""
    ordinal, kind, identity, thread, pairs, source, _, _ = record
    fields: dict[str, Any] = dict(pairs)
    site, pc, flags = 0, 0, _ADDRESS
    if isinstance(source, str):
        site = trace.sites.number(source)
    elif source is not None:
        pc, flags = source, flags | _PC
    value = fields.get("value")
    if value is None:
        value = 0
    else:
        flags |= _VALUE
    order = fields.get("mem-order")
    detail = trace.words.number(order) if order else 0
    size = fields.get("size", 8)
    address = fields["address"]
    meaning = MEMORY[kind]
    return (
        ordinal, identity, thread, pc, address, size, value, 0, 0, site, meaning, flags, detail, 0
    )  # fmt: skip


def _row(record: SexpRecord, trace: SexpTrace) -> Row:
    """Return the columns of one record."""
    fields = dict(record.fields)
    kind = KINDS[record.kind].kind if record.kind in KINDS else Kind.OTHER
    site, pc, flags = 0, 0, 0
    if isinstance(record.source, str):
        site = trace.sites.number(record.source)
    elif record.source is not None:
        pc, flags = record.source, int(Flag.HAS_PC)
    address = next((fields[key] for key in ADDRESS_KEYS if key in fields), None)
    value = fields.get("value", fields.get("addr"))
    if isinstance(address, int):
        flags |= Flag.HAS_ADDRESS
    if isinstance(value, int):
        flags |= Flag.HAS_VALUE
    return (
        record.ordinal,
        record.id,
        record.thread,
        pc,
        _number(address),
        _number(fields.get("size")),
        _number(value),
        0,
        0,
        site,
        int(kind),
        int(flags),
        trace.words.number(_detail(fields)),
        0,
    )


def _number(value: Value | None) -> int:
    return value if isinstance(value, int) else 0


def _detail(fields: dict[str, Value]) -> str:
    """Return the record's word: plain, "dsb ish", vae2is, vttbr_el2, release_table."""
    if "barrier" in fields:
        return f"{fields['barrier']} {fields.get('kind', '')}".rstrip()
    return str(next((fields[key] for key in DETAIL_KEYS if key in fields), ""))
