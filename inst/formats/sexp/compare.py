"""S-expressions compared."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from inst.formats.sexp.events import extension_number
from inst.formats.sexp.parse import Value
from inst.formats.sexp.record import SexpRecord
from inst.formats.sexp.table import ADDRESS_KEYS
from inst.trace.compare import VALUED, Block, Ignored, compared_texts
from inst.trace.model import Trace
from inst.trace.places import Places

_VALUED_NAMES = frozenset(kind.name.lower() for kind in VALUED)


def words(record: SexpRecord, ignored: Ignored) -> bytes:
    """Return what two equal records have in common."""
    if not ignored.names:
        return record.text.strip()
    address_ignored = bool(ignored.places or ignored.no_addresses)
    fields = []
    for key, value in record.fields:
        if address_ignored and key == "base":
            value = 0
        elif address_ignored and key in (*ADDRESS_KEYS, "pc"):
            value = ignored.address(extension_number(value))
        elif key in ("value", "addr") and _value_ignored(record, value, ignored):
            value = 0
        elif key in ("value", "addr") and ignored.pointers and _is_valued(record, value):
            value = _pointer(ignored.pointers, extension_number(value), record)
        fields.append((key, value))
    source = record.source
    if address_ignored and isinstance(source, int):
        source = ignored.address(source)
    identity = 0 if "ids" in ignored else record.id
    thread = 0 if "threads" in ignored else record.thread
    return repr((record.kind, identity, thread, fields, source)).encode()


def _value_ignored(record: SexpRecord, value: Value, ignored: Ignored) -> bool:
    """Return whether a value is one of memory or a register, or a place, and ignored as that."""
    what = record.get("what") if record.kind == "event" else None
    if what == "order":
        return "ids" in ignored
    return "values" in ignored and _is_valued(record, value)


def _is_valued(record: SexpRecord, value: Value) -> bool:
    """Return whether a value is one of memory or of a register."""
    what = record.get("what") if record.kind == "event" else None
    return what in _VALUED_NAMES if what is not None else isinstance(value, int)


def _pointer(places: Places, number: int, record: SexpRecord) -> int:
    """Return a value with a pointer named by its region."""
    size = record.get("size")
    sizes = np.array([size if isinstance(size, int) else 8 if places.wide else 4], "u8")
    low = number & (1 << 64) - 1
    return number - low + int(places.values(np.array([low], "u8"), sizes)[0])


def compared(trace: Trace, ignored: Ignored) -> Iterator[Block]:
    """Yield a trace's records as keys."""
    return compared_texts(trace, ignored, words)
