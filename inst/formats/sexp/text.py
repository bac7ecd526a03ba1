"""S-expression records as rows: the text as it is in the file."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from inst.formats.sexp.fast import Regular, SexpBatch
from inst.formats.sexp.record import SexpRecord
from inst.formats.sexp.table import ADDRESS_KEYS, KINDS
from inst.formats.sexp.trace import SexpTrace
from inst.trace.model import Array, Flag, Kind
from inst.trace.rows import Block, Column, Row, block_of

INSTRUCTIONS = frozenset({"mem-read", "mem-write", "mem-reserve"})
"""Kinds that stand for one executed instruction."""

_NAMES = list(KINDS)
_EVENT = _NAMES.index("event")
_NUMBERS = np.full(max(Kind) + 1, _EVENT, "i8")
for _number, _kind in enumerate(KINDS.values()):
    _NUMBERS[_kind.kind] = _number
_EXECUTED = np.array([name in INSTRUCTIONS for name in _NAMES])


def sexp_blocks(trace: SexpTrace, *, disassembly: bool = True) -> Iterator[Block]:
    """Yield every record as a row."""
    for batch in trace.batches():
        if batch.regular:
            yield _regular_block(batch, batch.regular)
        elif batch.records:
            block = block_of([_row(record) for record in batch.records])
            block.sites = partial(_sites, batch)
            yield block


def _regular_block(batch: SexpBatch, regular: Regular) -> Block:
    """Return lines as they stand: regular ones have no blanks to squeeze."""
    events = regular.events
    flags, kinds = events["flags"], _NUMBERS[events["kind"]]
    kinds[_are_events(regular.lines)] = _EVENT
    return Block(
        events["record"].astype("i8"),
        kinds,
        _NAMES,
        _EXECUTED[kinds],
        Column.missing(len(events)),
        Column(events["thread"], np.ones(len(events), "?")),
        Column(events["pc"], flags & np.uint16(Flag.HAS_PC) != 0),
        Column(events["address"], flags & np.uint16(Flag.HAS_ADDRESS) != 0),
        partial(_lines, regular.lines),
        lambda row: _fields(batch.records[row]),
        partial(_regular_sites, regular),
    )


def _are_events(data: bytes) -> Array:
    """Return which lines are `event` records, whatever they mean: no other name begins with e."""
    text = np.frombuffer(data, "u1")
    starts = np.concatenate([np.zeros(1, "i8"), np.flatnonzero(text == ord("\n")) + 1])
    return np.asarray(text[starts + 1] == ord("e"), "?")


def _lines(data: bytes, chosen: Array) -> list[str]:
    lines = data.decode("utf-8", "replace").split("\n")
    return [_squeezed(lines[row]) for row in chosen.tolist()]


def _squeezed(text: str) -> str:
    """Put the text on one line, with single blanks (strings may hold more)."""
    return " ".join(text.split())


def _regular_sites(regular: Regular, chosen: Array) -> list[str]:
    starts, ends = (places[chosen].tolist() for places in regular.sources)
    return [
        regular.buffer[start:end].decode("utf-8", "surrogateescape")
        for start, end in zip(starts, ends, strict=True)
    ]


def _sites(batch: SexpBatch, chosen: Array) -> list[str]:
    sources = (batch.records[row].source for row in chosen.tolist())
    return [source if isinstance(source, str) else "" for source in sources]


def _row(record: SexpRecord) -> Row:
    address = next((value for key, value in record.fields if key in ADDRESS_KEYS), None)
    return Row(
        record.ordinal,
        record.kind,
        _squeezed(record.text.decode("utf-8", "replace")),
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
