"""Well-formedness of s-expression traces: what the reader accepts and the format does not."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from inst.formats.sexp.fast import SexpBatch
from inst.formats.sexp.record import SexpRecord
from inst.formats.sexp.table import KINDS, SIZES
from inst.trace.finding import ERROR, WARNING, Check, Finding
from inst.trace.model import Array, Kind, Trace

CODES = {
    "sexp-id": "Sequence ids must grow strictly, over the whole trace or within each thread: "
    "otherwise records were lost, doubled or reordered.",
    "sexp-kind": "The record's kind is not in the format's table. A reader skips it; a misspelt "
    "kind means an event no check sees.",
    "sexp-size": "An access has 1, 2, 4, 8 or 16 bytes; mem-set regions are multiples of 8 bytes "
    "at addresses that are multiples of 8.",
    "sexp-value": "The value does not fit into the bytes accessed.",
    "sexp-range": "The accessed bytes run past the end of the 64-bit address space.",
}

_COLUMN_KINDS = (
    Kind.READ, Kind.WRITE, Kind.LOCK, Kind.TRYLOCK, Kind.UNLOCK, Kind.BARRIER, Kind.TLBI,
    Kind.SYSREG, Kind.HINT,
)  # fmt: skip
"""Kinds that have no other fields to look at than their ids, but for reads and writes."""
_SIZES = np.array(sorted(SIZES), "u8")


THREADS = 1 << 16
"""Threads whose last ids are remembered."""


class SexpWellFormed(Check):
    """The check at work on one trace."""

    def __init__(self, trace: Trace) -> None:
        self._name = trace.name
        self._trace = trace
        self._last: dict[int, int] = {}
        self._said = False

    def batch(self, batch: SexpBatch) -> Iterator[Finding]:
        if batch.regular is not None and self._is_clean(batch.regular.events):
            return
        for record in batch.records:
            yield from self._record(record)

    def _is_clean(self, rows: Array) -> bool:
        """Look at reads and writes by columns; what may be wrong is looked at record by record."""
        if not np.isin(rows["kind"], _COLUMN_KINDS).all():
            return False
        ids_of = rows[["id", "thread"]]
        rows = rows[(rows["kind"] == Kind.READ) | (rows["kind"] == Kind.WRITE)]
        size = rows["size"]
        bits = np.minimum(size * np.uint64(8), np.uint64(63))
        narrow = size < 8
        if not np.isin(size, _SIZES).all() or (rows["value"][narrow] >> bits[narrow]).any():
            return False
        if (rows["address"] > -size.astype("i8").view("u8")).any():
            return False
        last: dict[int, int] = {}
        for thread in np.unique(ids_of["thread"]).tolist():
            ids = ids_of["id"][ids_of["thread"] == thread]
            if not (ids[1:] > ids[:-1]).all() or int(ids[0]) <= self._last.get(thread, -1):
                return False
            last[thread] = int(ids[-1])
        for thread, identity in last.items():
            self._remember(thread, identity)
        return True

    def _remember(self, thread: int, identity: int) -> None:
        if thread in self._last or len(self._last) < THREADS:
            self._last[thread] = identity
        elif not self._said:
            self._said = True
            self._trace.note(f"ids of threads beyond {THREADS} were not compared")

    def finish(self) -> Iterator[Finding]:
        yield from ()

    def _record(self, record: SexpRecord) -> Iterator[Finding]:
        last = self._last.get(record.thread)
        if last is not None and record.id <= last:
            message = f"id {record.id} follows id {last} of the same thread {record.thread}"
            yield self._finding("sexp-id", record, message)
        self._remember(record.thread, record.id)
        if record.kind not in KINDS:
            message = f"unknown kind '{record.kind}'"
            yield self._finding("sexp-kind", record, message, WARNING)
        elif record.kind in ("mem-read", "mem-write", "mem-reserve"):
            yield from self._access(record)
        elif record.kind in ("mem-init", "mem-free", "mem-set"):
            yield from self._region(record)

    def _access(self, record: SexpRecord) -> Iterator[Finding]:
        fields = record.named
        size, address, value = fields.get("size", 8), fields["address"], fields.get("value", 0)
        assert isinstance(address, int) and isinstance(value, int)
        if not isinstance(size, int) or size not in SIZES:
            message = f"an access of {size} bytes; it should be 1, 2, 4, 8 or 16"
            yield self._finding("sexp-size", record, message)
            return
        if value >> size * 8:
            message = f"value {value:#x} is wider than the {size} bytes accessed"
            yield self._finding("sexp-value", record, message)
        yield from self._range(record, address, size)

    def _region(self, record: SexpRecord) -> Iterator[Finding]:
        fields = record.named
        address, size = fields["address"], fields["size"]
        assert isinstance(address, int) and isinstance(size, int)
        if record.kind == "mem-set" and (address % 8 or size % 8):
            message = f"mem-set of {size:#x} bytes at {address:#x}: both should be multiples of 8"
            yield self._finding("sexp-size", record, message)
        yield from self._range(record, address, size)

    def _range(self, record: SexpRecord, address: int, size: int) -> Iterator[Finding]:
        if address + size > 1 << 64:
            message = f"{size:#x} bytes at {address:#x} end beyond the 64-bit address space"
            yield self._finding("sexp-range", record, message)

    def _finding(
        self, code: str, record: SexpRecord, message: str, severity: str = ERROR
    ) -> Finding:
        return Finding(
            code, severity, self._name, record.ordinal, message, record.line, id=record.id
        )
