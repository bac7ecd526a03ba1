"""Numbers made dense: sequence ids, threads, cpus."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from inst.errors import InstError
from inst.filter.arguments import number, words
from inst.filter.layout import put_cpus
from inst.filter.model import Batch, Batches, Filter, Parameter, Stage
from inst.filter.rst_types import CPU, THREAD
from inst.filter.view import View
from inst.filter.views import views
from inst.trace.sexp_record import SexpRecord

WHAT = ["ids", "threads", "cpus"]
LIMIT = 1 << 18

_KEYED = {
    "id": re.compile(rb"(\(\s*[^\s()]+\s+\(\s*id\s+)[^\s()]+", re.IGNORECASE),
    "thread": re.compile(rb"(\(\s*(?:tid|thread)\s+)[^\s()]+", re.IGNORECASE),
}
_BARE = {
    "id": re.compile(rb"(\(\s*[^\s()]+\s+)[^\s()]+"),
    "thread": re.compile(rb"(\(\s*[^\s()]+\s+(?:[^\s()]+|\([^()]*\))\s+)[^\s()]+"),
}


class _Dense:
    """Numbers in the order they are first seen."""

    def __init__(self, start: int) -> None:
        self._known: dict[int, int] = {}
        self._start = start

    def __call__(self, value: int) -> int:
        found = self._known.get(value)
        if found is None:
            if len(self._known) >= LIMIT:
                raise InstError(f"renumber: more than {LIMIT} different numbers")
            found = self._known[value] = self._start + len(self._known)
        return found


def respell(record: SexpRecord, which: str, value: int) -> SexpRecord:
    """Return the record with another id or thread, the rest of its text as it was."""
    text, done = _KEYED[which].subn(rb"\g<1>%d" % value, record.text, count=1)
    if not done:
        text = _BARE[which].sub(rb"\g<1>%d" % value, record.text, count=1)
    if which == "id":
        return record._replace(text=text, id=value)
    return record._replace(text=text, thread=value)


def _renumber(what: tuple[str, ...], start: int) -> Stage:
    def stage(batches: Batches) -> Batches:
        state = {name: _Dense(start) for name in WHAT}
        count = start
        for view in views(batches):
            if view.batch.source.format == "sexp":
                yield _records(view.batch, what, state["threads"], count)
            else:
                yield _rst(view, what, state)
            count += len(view)

    return stage


def _records(batch: Batch, what: tuple[str, ...], threads: _Dense, count: int) -> Batch:
    changed = []
    for row, record in enumerate(batch.records):
        if "ids" in what:
            record = respell(record, "id", count + row)
        if "threads" in what:
            record = respell(record, "thread", threads(record.thread))
        changed.append(record)
    return replace(batch, records=changed)


def _rst(view: View, what: tuple[str, ...], state: dict[str, Any]) -> Batch:
    records = view.batch.records.copy()
    if "threads" in what:
        rows = np.flatnonzero(records["rtype"] == THREAD)
        records["first"][rows] = [state["threads"](tid) for tid in records["first"][rows].tolist()]
    if "cpus" in what:
        values, known = view.columns("cpu")[0]
        rename: Callable[[int], int] = state["cpus"]
        fresh = np.array([rename(cpu) for cpu in values[known].tolist()], "u8")
        named = values.copy()
        named[known] = fresh
        put_cpus(records, view.batch.version, view.batch.version, named, "renumber", view.first)
        rows = np.flatnonzero(records["rtype"] == CPU)
        records["word"][rows] = named[rows]
    return replace(view.batch, records=records)


FILTERS = (
    Filter(
        "renumber", "change", "Count sequence ids (s-expressions) anew, and threads or cpus in the "
        "order they appear.", "renumber ids,threads from=1",
        _renumber,
        (
            Parameter("what", words(WHAT), "ids|threads|cpus[,...]"),
            Parameter("from", number, "N", 0, False),
        ),
        ("rst", "sexp"),
        "STF numbers nothing",
    ),
)  # fmt: skip
