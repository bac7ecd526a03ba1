"""Sequence ids and threads of s-expressions counted anew."""

from __future__ import annotations

import re
from dataclasses import replace

from inst.formats.sexp.record import SexpRecord
from inst.trace.batch import Batch
from inst.trace.view import Dense, View

_KEYED = {
    "id": re.compile(rb"(\(\s*[^\s()]+\s+\(\s*id\s+)[^\s()]+", re.IGNORECASE),
    "thread": re.compile(rb"(\(\s*(?:tid|thread)\s+)[^\s()]+", re.IGNORECASE),
}
_BARE = {
    "id": re.compile(rb"(\(\s*[^\s()]+\s+)[^\s()]+"),
    "thread": re.compile(rb"(\(\s*[^\s()]+\s+(?:[^\s()]+|\([^()]*\))\s+)[^\s()]+"),
}


def respell(record: SexpRecord, which: str, value: int) -> SexpRecord:
    """Return the record with another id or thread, the rest of its text as it was."""
    text, done = _KEYED[which].subn(rb"\g<1>%d" % value, record.text, count=1)
    if not done:
        text = _BARE[which].sub(rb"\g<1>%d" % value, record.text, count=1)
    if which == "id":
        return record._replace(text=text, id=value)
    return record._replace(text=text, thread=value)


def renumber(view: View, what: tuple[str, ...], state: dict[str, Dense], count: int) -> Batch:
    """Return the records with ids from `count` on, and threads in the order they appear."""
    changed = []
    for row, record in enumerate(view.batch.records):
        if "ids" in what:
            record = respell(record, "id", count + row)
        if "threads" in what:
            record = respell(record, "thread", state["threads"](record.thread))
        changed.append(record)
    return replace(view.batch, records=changed)
