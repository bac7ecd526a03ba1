"""Symbols from the program filled into a trace."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from inst.errors import InstError
from inst.filter.model import Batch, Batches, Filter, Stage, insert
from inst.filter.view import View
from inst.filter.views import views
from inst.trace.rst_record import encode_string
from inst.trace.sexp_record import SexpRecord, quote

LIMIT = 1 << 20
"""Functions named in one trace."""


def _fill_symbols() -> Stage:
    def stage(batches: Batches) -> Batches:
        named: set[str] = set()
        for view in views(batches):
            if view.batch.source.locator is None:
                raise InstError(
                    "fill-symbols: no program to take symbols from", hint="add --program ELF"
                )
            if view.batch.source.format == "rst":
                yield _strings(view, named)
            else:
                yield _sources(view)

    return stage


def _strings(view: View, named: set[str]) -> Batch:
    """Name each function in a string before the first record of it."""
    numbers, found = view.places()
    distinct, rows = np.unique(numbers, return_index=True)
    pcs, _ = view.columns("pc")[0]
    places = []
    for row, number in sorted(zip(rows.tolist(), distinct.tolist(), strict=True)):
        function = found[number][2]
        if function and function not in named and len(named) < LIMIT:
            named.add(function)
            locator = view.batch.source.locator
            place = locator(int(pcs[row])) if locator else None
            start = int(pcs[row]) - (place.offset if place else 0)
            text = encode_string(f"symbol={function} base=0x{start:x}")
            places.append((int(view.starts[view.leader[row]]), text))
    return insert(view.batch, places)


def _sources(view: View) -> Batch:
    """Put file:line in the place of a program counter, where the program knows it."""
    numbers, found = view.places()
    changed = []
    for record, number in zip(view.batch.records, numbers.tolist(), strict=True):
        file, line, _ = found[number]
        if isinstance(record.source, int) and file:
            record = _sourced(record, f"{file}:{line}")
        changed.append(record)
    return replace(view.batch, records=changed)


def _sourced(record: SexpRecord, source: str) -> SexpRecord:
    """Return the record with another src, the rest of its text as it was."""
    text = quote(source).encode("utf-8", "surrogateescape")
    keyed, done = re.subn(
        rb"(\(\s*src\s+)[^\s()\"]+", lambda m: m[1] + text, record.text, count=1, flags=re.I
    )
    if not done:  # the last value of a condensed record
        keyed = re.sub(rb"[^\s()\"]+(\s*\))$", lambda m: text + m[1], record.text, count=1)
    return record._replace(text=keyed, source=source)


FILTERS = (
    Filter(
        "fill-symbols", "change", "Fill in what the program says (needs --program): RST gets a "
        "string "
        "`symbol=NAME base=0xADDRESS` before the first record of each function; in s-expressions "
        "file:line takes the place of the address in src.", "fill-symbols", _fill_symbols, (),
        ("rst", "sexp"),
        "STF has no place for names",
    ),
)  # fmt: skip
