"""Addresses made anonymous: every page becomes another one, by a key.

Within a page everything stays where it is, so that alignment, lines and strides survive.
Pages are exchanged by a keyed permutation (a Feistel network), so that two addresses are
equal afterwards exactly if they were before, in every trace treated with the same key.
"""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from inst.filter.arguments import choice, text
from inst.filter.layout import put_bits
from inst.filter.model import Batch, Batches, Filter, Parameter, Stage
from inst.filter.rst_types import STRCONT, STRDESC
from inst.trace import rst_table
from inst.trace.model import Array
from inst.trace.rst_record import RstBatch
from inst.trace.sexp_record import SexpRecord, render
from inst.trace.sexp_table import ADDRESS_KEYS

EVENT_TEXT = 43
PAGE_BITS = 12
ROUNDS = 6
HARMLESS = (b"arch=", b"inst=", b"hooks=", b"compiler=")
"""Beginnings of strings that say nothing of where and what was run."""
HARMLESS_NAMES = ("arch", "inst", "hooks", "compiler")

# Fields that hold addresses, by record type and RECORD column.
_FIRST = {3: 0, 7: 0, 18: 0, 26: 0, 28: 0, 29: 0, 31: 0, 32: 0, 34: 0, 5: 0, 13: 0, 40: 0, 41: 0}
_SECOND = {3: 0, 7: 0, 18: 0, 27: 0, 29: 0, 31: 0, 32: 0, 34: 0}


class Permutation:
    """A keyed exchange of page numbers: 20 bits among themselves, and 52 bits."""

    def __init__(self, key: str) -> None:
        self._key = key.encode()
        self._round = [
            np.frombuffer(
                hashlib.blake2b(bytes([n]), key=hashlib.blake2b(self._key).digest()[:32]).digest()[
                    :16
                ],
                "<u8",
            )
            for n in range(ROUNDS)
        ]

    def addresses(self, values: Array) -> Array:
        """Return the addresses with their pages exchanged; below 4 GiB they stay there."""
        pages, offsets = values >> np.uint64(PAGE_BITS), values & np.uint64((1 << PAGE_BITS) - 1)
        small = pages < np.uint64(1 << 20)
        result = np.where(small, self._mix(np.where(small, pages, 0).astype("u8"), 10), 0).astype(
            "u8"
        )
        wide = self._mix(pages, 26)
        while True:  # the wide exchange must not land among the small pages
            low = ~small & (wide < np.uint64(1 << 20))
            if not low.any():
                break
            wide = np.where(low, self._mix(wide, 26), wide)
        result = np.where(small, result, wide)
        return result << np.uint64(PAGE_BITS) | offsets

    def _mix(self, pages: Array, half: int) -> Array:
        mask, shift = np.uint64((1 << half) - 1), np.uint64(half)
        left, right = pages >> shift & mask, pages & mask
        for multiplier, addend in self._round:
            mixed = (right + addend) * (multiplier | np.uint64(1))
            mixed ^= mixed >> np.uint64(29)
            mixed *= np.uint64(0x9E3779B97F4A7C15)
            left, right = right, left ^ (mixed >> np.uint64(37) & mask)
        return left << shift | right

    def each(self, values: set[int]) -> dict[int, int]:
        """Return what becomes of each address."""
        old = np.array(list(values), "u8")
        return dict(zip(old.tolist(), self.addresses(old).tolist(), strict=True))

    @functools.lru_cache(maxsize=1 << 14)  # noqa: B019 - one object a run
    def file(self, name: str) -> str:
        return hashlib.blake2b(
            name.encode(errors="surrogateescape"), key=self._key[:64], digest_size=4
        ).hexdigest()


def _anonymise(key: str, values: str) -> Stage:
    def stage(batches: Batches) -> Batches:
        exchange = Permutation(key)
        strings = _Strings()
        for batch in batches:
            if batch.source.format == "rst":
                yield strings.without(_rst(batch, exchange, values == "zero"))
            else:
                yield _records(batch, exchange, values == "zero")

    return stage


def _rst(batch: Batch, exchange: Permutation, zero: bool) -> Batch:
    records = batch.records.copy()
    codes, flags = records["rtype"], records["flags"]
    wide = (codes == 26) & (flags & 0x80 != 0)
    for column, table in (("first", _FIRST), ("second", _SECOND)):
        rows = np.isin(codes, list(table)) & ~wide
        if column == "second":  # where no address is, 0 says more than a page of nothing
            rows &= ~((codes == 3) & (flags & 0x40 == 0) & (records["second"] == 0))
        distinct, where = np.unique(records[column][rows].astype("u8"), return_inverse=True)
        records[column][rows] = exchange.addresses(distinct)[where]
    if wide.any():
        _wide(batch, records, np.flatnonzero(wide), exchange)
    _sites(records)
    if zero:
        records["second"][(codes == 26) | (codes == 40)] = 0
        records["first"][wide] = 0
        records["first"][codes == 9] = 0
        records["second"][codes == 9] = 0
    return replace(batch, records=records)


def _sites(records: Array) -> None:
    """Make source files, which EVENT_TEXT records spell, numbers."""
    rows = np.flatnonzero((records["rtype"] == EVENT_TEXT) & (records["flags"] & 0x40 != 0))
    records["second"][rows] = 0
    for row in rows.tolist():
        last = records["flags"][row] & 0x80
        name = b"%x:0" % records["word"][row] if last else b""
        records["first"][row] = int.from_bytes(name[:8].ljust(8, b"\0"), "big")


def _wide(batch: Batch, records: Array, rows: Array, exchange: Permutation) -> None:
    """Exchange the pages of MEMVAL128, which has 44 bits of address without the low four."""
    field = rst_table.BY_NAME["memval128"].field("addr")
    found = RstBatch(0, records, batch.version).column("memval128", "addr", rows)
    fresh = exchange.addresses(found) >> np.uint64(4) & np.uint64((1 << field.width) - 1)
    put_bits(records, rows, field.parts, fresh)


class _Strings:
    """Removes strings that could tell who ran what where."""

    def __init__(self) -> None:
        self._going_on = False
        self._keeping = True

    def without(self, batch: Batch) -> Batch:
        keep = np.ones(len(batch), bool)
        codes = batch.records["rtype"]
        for row in np.flatnonzero((codes == STRCONT) | (codes == STRDESC)).tolist():
            if not self._going_on:
                data = batch.records[row : row + 1].tobytes()[1:]
                self._keeping = data.startswith(HARMLESS)
            keep[row] = self._keeping
            self._going_on = codes[row] == STRCONT
        return batch.take(keep)


def _records(batch: Batch, exchange: Permutation, zero: bool) -> Batch:
    kept = [
        record
        for record in batch.records
        if record.kind != "image"
        and (record.kind != "producer" or record.get("name") in HARMLESS_NAMES)
    ]
    addresses = {record.source for record in kept if isinstance(record.source, int)}
    for record in kept:
        addresses |= {v for k, v in record.fields if k in ADDRESS_KEYS and isinstance(v, int)}
    fresh = exchange.each(addresses)
    changed = [_record(record, fresh, exchange.file, zero) for record in kept]
    return replace(batch, records=changed)


def _record(
    record: SexpRecord, addresses: dict[int, int], file_name: Callable[[str], str], zero: bool
) -> SexpRecord:
    """Return the record with its address, its source and perhaps its value replaced."""
    fields = []
    for name, value in record.fields:
        if name in ADDRESS_KEYS and isinstance(value, int):
            value = addresses[value]
        elif name in ("value", "addr") and zero and isinstance(value, int):
            value = 0
        fields.append((name, value))
    source = record.source
    if isinstance(source, int):
        source = addresses[source]
    elif source is not None:
        file, _, line = source.rpartition(":")
        source = f"{file_name(file)}:{line}"
    fresh = record._replace(fields=tuple(fields), source=source)
    if fresh == record:
        return record
    blank = re.match(rb"\s*", record.text)
    condensed = re.match(rb"\s*\(\s*[^\s()]+\s+[^\s(]", record.text) is not None
    words = render(fresh, condensed=condensed).encode("utf-8", "surrogateescape")
    return fresh._replace(text=(blank[0] if blank else b"") + words)


FILTERS = (
    Filter(
        "anonymise", "change", "Exchange the pages of all addresses by a key: the same key gives "
        "the "
        "same addresses, in every trace and format; offsets in a page stay. Strings but arch, "
        "inst, "
        "hooks and compiler are removed, source files become numbers. Instruction words and, "
        "unless values=zero, values stay: pointers in them can be seen.",
        "anonymise key=secret values=zero", _anonymise,
        (
            Parameter("key", text, "TEXT"),
            Parameter("values", choice("keep", "zero"), "keep|zero", "keep", False),
        ),
        ("rst", "sexp"),
        "STF has addresses in registers only, where nothing tells them from other values",
    ),
)  # fmt: skip
