"""What s-expressions contain beyond events."""

from __future__ import annotations

from inst.formats.sexp.fast import SexpBatch
from inst.formats.sexp.table import COLUMNS, KINDS
from inst.trace.writing import Losses


def count_losses(batch: SexpBatch, losses: Losses, *, registers: bool) -> None:
    """Count what the target of a conversion does not get."""
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
        losses.add("text after the last record", 1)
