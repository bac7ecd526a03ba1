"""S-expressions made anonymous: addresses, producers and source files."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from inst.formats.sexp.record import SexpRecord, render
from inst.formats.sexp.table import ADDRESS_KEYS
from inst.trace.batch import Batch
from inst.trace.permutation import Permutation

HARMLESS_NAMES = ("arch", "inst", "hooks", "compiler")


def anonymiser(exchange: Permutation, *, zero: bool) -> Callable[[Batch], Batch]:
    """Return what makes one batch after the other anonymous; `zero` makes values 0."""
    return lambda batch: _records(batch, exchange, zero)


def _records(batch: Batch, exchange: Permutation, zero: bool) -> Batch:
    kept = [
        record
        for record in batch.records
        if record.kind != "image"
        and (record.kind != "producer" or record.get("name") in HARMLESS_NAMES)
    ]
    addresses = {record.source for record in kept if isinstance(record.source, int)}
    for record in kept:
        addresses |= {v for k, v in record.fields if k in ADDRESS_KEYS and isinstance(v, int)}
    fresh = exchange.each(addresses)
    changed = [_record(record, fresh, exchange.file, zero) for record in kept]
    return replace(batch, records=changed)


def _record(
    record: SexpRecord, addresses: dict[int, int], file_name: Callable[[str], str], zero: bool
) -> SexpRecord:
    """Return the record with its address, its source and perhaps its value replaced."""
    fields = []
    for name, value in record.fields:
        if name in ADDRESS_KEYS and isinstance(value, int):
            value = addresses[value]
        elif name in ("value", "addr") and zero and isinstance(value, int):
            value = 0
        fields.append((name, value))
    source = record.source
    if isinstance(source, int):
        source = addresses[source]
    elif source is not None:
        file, _, line = source.rpartition(":")
        source = f"{file_name(file)}:{line}"
    fresh = record._replace(fields=tuple(fields), source=source)
    if fresh == record:
        return record
    blank = re.match(rb"\s*", record.text)
    condensed = re.match(rb"\s*\(\s*[^\s()]+\s+[^\s(]", record.text) is not None
    words = render(fresh, condensed=condensed).encode("utf-8", "surrogateescape")
    return fresh._replace(text=(blank[0] if blank else b"") + words)
