"""Sources of s-expressions filled in from the program."""

from __future__ import annotations

import re
from dataclasses import replace

from inst.formats.sexp.record import SexpRecord, quote
from inst.trace.batch import Batch
from inst.trace.view import View


def fill_symbols(view: View, _named: set[str]) -> Batch:
    """Put file:line in the place of a program counter, where the program knows it."""
    numbers, found = view.places()
    changed = []
    for record, number in zip(view.batch.records, numbers.tolist(), strict=True):
        file, line, _ = found[number]
        if isinstance(record.source, int) and file:
            record = _sourced(record, f"{file}:{line}")
        changed.append(record)
    return replace(view.batch, records=changed)


def _sourced(record: SexpRecord, source: str) -> SexpRecord:
    """Return the record with another src, the rest of its text as it was."""
    text = quote(source).encode("utf-8", "surrogateescape")
    keyed, done = re.subn(
        rb"(\(\s*src\s+)[^\s()\"]+", lambda m: m[1] + text, record.text, count=1, flags=re.I
    )
    if not done:  # the last value of a condensed record
        keyed = re.sub(rb"[^\s()\"]+(\s*\))$", lambda m: text + m[1], record.text, count=1)
    return record._replace(text=keyed, source=source)
