"""S-expression records by columns."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import numpy as np

from inst.formats.sexp.record import SexpRecord
from inst.formats.sexp.table import ADDRESS_KEYS, KINDS
from inst.trace.batch import Batches
from inst.trace.model import Array
from inst.trace.view import Column, View

CONTEXT_KINDS = frozenset({"image", "producer"})
_LINE = re.compile(r"[0-9]{1,18}")
LOADS, STORES = frozenset({"mem-read", "mem-reserve"}), frozenset({"mem-write"})
_KIND_SETS: dict[str, frozenset[str]] = {
    "load": LOADS,
    "store": STORES,
    "access": LOADS | STORES,
    "instruction": LOADS | STORES,
    "reserve": frozenset({"mem-reserve"}),
    "atomic": frozenset({"mem-reserve"}),
    "context": CONTEXT_KINDS,
}


class SexpView(View):
    """One batch of s-expression records; each is a group of its own."""

    @cached_property
    def records(self) -> list[SexpRecord]:
        records: list[SexpRecord] = self.batch.records
        return records

    @cached_property
    def leader(self) -> Array:
        return np.arange(len(self))

    @cached_property
    def context(self) -> Array:
        return np.array(
            [record.kind in CONTEXT_KINDS or record.kind not in KINDS for record in self.records],
            bool,
        )

    def is_type(self, word: str) -> Array:
        if word in _KIND_SETS or word in ("unknown", "branch"):
            return self.mark(word)
        return np.array([record.kind == word for record in self.records], bool)

    def columns(self, name: str) -> list[Column]:
        if name == "record":
            rows = np.arange(self.first, self.first + len(self), dtype="u8")
            return [(rows, np.ones(len(self), bool))]
        read = _READERS[name]
        values = [read(record) for record in self.records]
        known = np.array([value is not None for value in values], bool)
        return [(np.array([value or 0 for value in values], "u8"), known)]

    def mark(self, name: str) -> Array:
        if name == "unknown":
            return np.array([record.kind not in KINDS for record in self.records], bool)
        wanted = _KIND_SETS.get(name, frozenset())
        return np.array([record.kind in wanted for record in self.records], bool)

    def mnemonics(self) -> tuple[Array, list[str]]:
        return np.zeros(len(self), "i8"), [""]

    def places(self) -> tuple[Array, list[tuple[str, int, str]]]:
        """A source in words is its place itself; a number is a program counter."""
        rows = [row for row, each in enumerate(self.records) if isinstance(each.source, int)]
        pcs = np.array([self.records[row].source for row in rows], "u8")
        numbers, found = self.located(np.array(rows, "i8"), pcs)
        known: dict[str, int] = {}
        for row, record in enumerate(self.records):
            if isinstance(record.source, str):
                if record.source not in known:
                    known[record.source] = len(found)
                    file, _, line = record.source.rpartition(":")
                    found.append((file, int(line) if _LINE.fullmatch(line) else 0, ""))
                numbers[row] = known[record.source]
        return numbers, found


def _address(record: SexpRecord) -> Any:
    return _number(next((v for k, v in record.fields if k in ADDRESS_KEYS), None))


def _size(record: SexpRecord) -> Any:
    size = _number(record.get("size"))
    return 8 if size is None and record.kind in ("mem-read", "mem-write") else size


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) else None


_READERS: dict[str, Callable[[SexpRecord], Any]] = {
    "pc": lambda record: _number(record.source),
    "ea": _address,
    "size": _size,
    "value": lambda record: _number(record.get("value")),
    "cpu": lambda _record: None,
    "thread": lambda record: None if record.kind in CONTEXT_KINDS else record.thread,
    "id": lambda record: record.id,
    "word": lambda _record: None,
}


def sexp_views(batches: Batches) -> Iterator[SexpView]:
    """Yield views of batches."""
    count = 0
    for batch in batches:
        yield SexpView(batch, count)
        count += len(batch)
