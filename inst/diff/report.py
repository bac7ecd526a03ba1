"""Differences as text and as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from inst.diff.align import Difference, Piece
from inst.shown import shown
from inst.trace.model import Trace
from inst.trace.registry import codec_of

Describe = Callable[[Any], tuple[str, str, dict[str, Any]]]
"""A row's type, its text, and its fields."""


def describer(trace: Trace, *, events: bool) -> Describe:
    """Return what puts a row of the trace into words."""
    if events:
        return lambda row: _event(trace, row)
    return lambda record: codec_of(trace).describe(trace, record)


def _event(trace: Trace, row: Any) -> tuple[str, str, dict[str, Any]]:
    event = trace.event(row)
    fields: dict[str, Any] = {
        "thread": event.thread,
        "pc": event.pc,
        "address": event.address,
        "size": event.size,
        "value": event.value,
        "word": event.word,
        "detail": event.detail or None,
        "source": event.site or None,
    }
    fields = {name: value for name, value in fields.items() if value is not None}
    decimal = ("thread", "size", "detail", "source")
    text = " ".join(
        f"{name}={value}" if name in decimal else f"{name}=0x{value:x}"
        for name, value in fields.items()
    )
    return event.kind.name.lower(), text, fields


def header(old: str, new: str) -> str:
    return f"--- {shown(old)}\n+++ {shown(new)}\n"


def as_text(difference: Difference, old: Describe, new: Describe) -> str:
    """Return a difference with a line for each record, index first."""
    lines = [f"@@ {_what(difference)} @@"]
    lines += _lines("-", difference.old, old) + _lines("+", difference.new, new)
    return "\n".join(lines) + "\n"


def _what(difference: Difference) -> str:
    old, new = difference.old, difference.new
    if not old.count:
        return f"{_records(new.count)} inserted before record {old.first}: now from {new.first} on"
    if not new.count:
        return f"{_records(old.count)} deleted from {old.first} on, before record {new.first} now"
    if old.count == new.count:
        return f"{_records(old.count)} changed from {old.first} on, now {new.first}"
    return f"{_records(old.count)} from {old.first} on replaced by {new.count} from {new.first} on"


def _records(count: int) -> str:
    return f"{count} record{'s' * (count != 1)}"


def _lines(sign: str, piece: Piece, describe: Describe) -> list[str]:
    lines = []
    for index, row in piece.shown:
        name, text, _ = describe(row)
        lines.append(shown(f"{sign}{index:8} {name:<8}: {text}"))
    if piece.count > len(piece.shown):
        lines.append(f"{sign}         ... and {piece.count - len(piece.shown)} more")
    return lines


def as_json(difference: Difference, old: Describe, new: Describe) -> str:
    """Return a difference as one line of JSON."""
    value = {
        "old": _piece(difference.old, old),
        "new": _piece(difference.new, new),
    }
    return json.dumps(value) + "\n"


def _piece(piece: Piece, describe: Describe) -> dict[str, Any]:
    records = []
    for index, row in piece.shown:
        name, text, fields = describe(row)
        records.append({"record": index, "type": name, "text": text, "fields": fields})
    return {"first": piece.first, "count": piece.count, "records": records}
