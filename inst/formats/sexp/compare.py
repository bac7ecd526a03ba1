"""S-expressions compared."""

from __future__ import annotations

from collections.abc import Iterator

from inst.formats.sexp.events import extension_number
from inst.formats.sexp.parse import Value
from inst.formats.sexp.record import SexpRecord
from inst.formats.sexp.table import ADDRESS_KEYS
from inst.trace.compare import VALUED, Block, compared_texts, relative_address
from inst.trace.model import Trace

_VALUED_NAMES = frozenset(kind.name.lower() for kind in VALUED)


def words(trace: Trace, record: SexpRecord, ignored: frozenset[str]) -> bytes:
    """Return what two equal records have in common."""
    if not ignored:
        return record.text.strip()
    address_ignored = bool(ignored & {"addresses", "all-addresses"})
    fields = []
    for key, value in record.fields:
        if address_ignored and key == "base":
            value = 0
        elif address_ignored and key in (*ADDRESS_KEYS, "pc"):
            value = relative_address(trace, extension_number(value), ignored)
        elif key in ("value", "addr") and _value_ignored(record, value, ignored):
            value = 0
        fields.append((key, value))
    source = record.source
    if address_ignored and isinstance(source, int):
        source = relative_address(trace, source, ignored)
    identity = 0 if "ids" in ignored else record.id
    thread = 0 if "threads" in ignored else record.thread
    return repr((record.kind, identity, thread, fields, source)).encode()


def _value_ignored(record: SexpRecord, value: Value, ignored: frozenset[str]) -> bool:
    """Return whether a value is one of memory or a register, or a place, and ignored as that."""
    what = record.get("what") if record.kind == "event" else None
    if what == "order":
        return "ids" in ignored
    valued = what in _VALUED_NAMES if what is not None else isinstance(value, int)
    return "values" in ignored and valued


def compared(trace: Trace, ignored: frozenset[str]) -> Iterator[Block]:
    """Yield a trace's records as keys."""
    return compared_texts(trace, ignored, words)
