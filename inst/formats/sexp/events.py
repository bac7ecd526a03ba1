"""From s-expression records to events."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from inst.formats.sexp.fast import Regular, SexpBatch
from inst.formats.sexp.lines import ORDERS
from inst.formats.sexp.parse import Value
from inst.formats.sexp.record import SexpRecord
from inst.formats.sexp.table import ADDRESS_KEYS, COLUMNS, DETAIL_KEYS, KINDS
from inst.trace.model import EVENT, Array, Flag, Kind, Trace

Row = tuple[int, ...]

EXTENSIONS = frozenset(COLUMNS) - {"address", "size", "value"}
"""Fields that make a memory record more than its kind implies."""

NUMBER = re.compile("0x[0-9a-f]{1,16}|[0-9]{1,20}")

MEMORY = {"mem-read": int(Kind.READ), "mem-write": int(Kind.WRITE)}


def events(batches: Iterable[SexpBatch], trace: Trace) -> Iterator[Array]:
    """Yield the events of a trace's batches, one for each record."""
    sites = _Sites(trace)
    for batch in batches:
        if batch.regular:
            yield _regular_rows(batch.regular, trace, sites)
        elif batch.records:
            yield rows(batch.records, trace)


def rows(records: list[SexpRecord], trace: Trace) -> Array:
    """Return the events of single records, which is what columns must agree with."""
    return np.array(
        [
            _memory_row(record, trace) if record.kind in MEMORY else _row(record, trace)
            for record in records
        ],
        EVENT,
    )


class _Sites:
    """The numbers of sites by the bytes that name them, for whole columns of names.

    A table as wide as a hash: each place has the last name seen there, as WORDS words, so
    that names are compared in full. What it does not hold goes through the vocabulary.
    """

    WORDS, BITS = 6, 14

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._names = np.zeros((self.WORDS, 1 << self.BITS), "u8")
        self._numbers = np.zeros(1 << self.BITS, "u4")  # 0: nothing is known

    def column(self, data: bytes, starts: Array, ends: Array) -> Array:
        names = self._words(data, starts, ends)
        places = np.zeros(len(starts), "u8")
        for word in names:
            places = (places ^ word) * np.uint64(0x9E3779B97F4A7C15)
            places ^= places >> np.uint64(29)
        places = places >> np.uint64(64 - self.BITS)
        result: Array = self._numbers[places]
        for known, word in zip(self._names, names, strict=True):
            result[known[places] != word] = 0
        result[ends - starts > 8 * self.WORDS] = 0
        for row in np.flatnonzero(result == 0).tolist():
            name = data[starts[row] : ends[row]]
            result[row] = self._trace.sites.number(name.decode("utf-8", "surrogateescape"))
        short = ends - starts <= 8 * self.WORDS
        self._numbers[places[short]] = result[short]
        for known, word in zip(self._names, names, strict=True):
            known[places[short]] = word[short]
        return result

    def _words(self, data: bytes, starts: Array, ends: Array) -> list[Array]:
        """Return the names cut into words; after a name's end they are zero."""
        padded = data + bytes(8 * self.WORDS)
        cells = np.ndarray((len(data),), f"V{8 * self.WORDS}", padded, strides=(1,))[starts]
        table = cells.view("<u8").reshape(len(starts), self.WORDS)
        lengths = ends - starts
        result = []
        for number in range(self.WORDS):
            bits = np.clip(8 * (lengths - 8 * number), 0, 64).astype("u8")
            mask = ~(np.uint64(0xFFFFFFFFFFFFFFFF) << bits)
            result.append(table[:, number] & mask)
        return result


def _regular_rows(regular: Regular, trace: Trace, sites: _Sites) -> Array:
    """Return the rows with words and sites numbered, in the order they come in."""
    result, data = regular.events, regular.data
    details = np.zeros(len(ORDERS), "u2")
    known, firsts = np.unique(regular.orders, return_index=True)
    for order in known[np.argsort(firsts)].tolist():
        details[order] = trace.words.number(ORDERS[order])
    result["detail"] = details[regular.orders]
    named = np.flatnonzero(regular.sources[0])
    starts, ends = (places[named] - regular.start for places in regular.sources)
    if len(named):
        result["site"][named] = sites.column(data, starts, ends)
    return result


_ADDRESS = int(Flag.HAS_ADDRESS)
_PC = int(Flag.HAS_PC)
_VALUE = int(Flag.HAS_VALUE)


def _memory_row(record: SexpRecord, trace: Trace) -> Row:
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
    misplaced = isinstance(size, str) or isinstance(value, str)  # read as extension fields
    if misplaced or not fields.keys().isdisjoint(EXTENSIONS):
        return _row(record, trace)
    return (
        ordinal, identity, thread, pc, address, size, value, 0, 0, site, meaning, flags, detail, 0
    )  # fmt: skip


def _row(record: SexpRecord, trace: Trace) -> Row:
    """Return the columns of one record."""
    fields = record.named
    kind = KINDS[record.kind].kind if record.kind in KINDS else Kind.OTHER
    if record.kind == "event":
        kind = Kind.__members__.get(str(fields["what"]).upper(), Kind.OTHER)
    site, pc, flags = 0, 0, 0
    if isinstance(record.source, str):
        site = trace.sites.number(record.source)
    elif record.source is not None:
        pc, flags = record.source, int(Flag.HAS_PC)
    address = next((fields[key] for key in ADDRESS_KEYS if key in fields), None)
    value = fields.get("value", fields.get("addr"))
    if address is not None:
        flags |= Flag.HAS_ADDRESS
    if value is not None:
        flags |= Flag.HAS_VALUE
    word = fields.get("word")
    if word is not None:
        flags |= Flag.HAS_WORD
    if "pc" in fields:
        pc, flags = extension_number(fields["pc"]), flags | Flag.HAS_PC
    default = 8 if kind in (Kind.READ, Kind.WRITE) and record.kind != "event" else 0
    return (
        record.ordinal,
        record.id,
        record.thread,
        pc,
        extension_number(address),
        extension_number(fields.get("size", default)),
        extension_number(value),
        extension_number(fields.get("high")),
        extension_number(word) & 0xFFFFFFFF,
        site,
        int(kind),
        extension_number(fields.get("flags", int(flags))) & 0xFFFF,
        trace.words.number(_detail(fields)),
        extension_number(fields.get("cpu")) & 0xFFFF,
    )


def extension_number(value: Value | None) -> int:
    """Return a field's number; extension fields come as text, and 0 is none."""
    if isinstance(value, str):
        digits = value[2:] if value[:2] == "0x" else value
        number = int(value, 16 if digits is not value else 10) if NUMBER.fullmatch(value) else 0
        return number & 0xFFFFFFFFFFFFFFFF
    return value or 0


def _detail(fields: dict[str, Value]) -> str:
    """Return the record's word: plain, "dsb ish", vae2is, vttbr_el2, release_table."""
    if "detail" in fields:
        return str(fields["detail"])
    if "barrier" in fields:
        return f"{fields['barrier']} {fields.get('kind', '')}".rstrip()
    return str(next((fields[key] for key in DETAIL_KEYS if key in fields), ""))
