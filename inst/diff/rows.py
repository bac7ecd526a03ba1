"""Traces as blocks of keys: RST, s-expressions, STF, and events of any format."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from inst.diff.align import Block
from inst.diff.ignore import relative
from inst.filter import branch_words, layout
from inst.filter.model import Batch, Source
from inst.trace.model import Array, Flag, Kind, Trace
from inst.trace.rst import RstBatch, RstRecord
from inst.trace.rst_table import SIZE
from inst.trace.sexp_events import extension_number
from inst.trace.sexp_parse import Value
from inst.trace.sexp_record import SexpRecord
from inst.trace.sexp_table import ADDRESS_KEYS

CPU, THREAD, NULLREC, STRDESC, STRCONT, MEMVAL, REGVAL = 11, 6, 20, 14, 21, 26, 9
_FIRST = (3, 7, 18, 28, 29, 31, 32, 34)
EVENT, EVENT_PC, EVENT_SIZE, EVENT_TEXT = 40, 41, 42, 43
_SECOND = (3, 7, 18, 27, 29, 31, 32, 34)
ACCESSES = (Kind.READ, Kind.WRITE, Kind.RESERVE)
"""Kinds of events that every format has."""
_VALUED = (Kind.READ, Kind.WRITE, Kind.SET, Kind.SYSREG, Kind.TLBI)
"""Kinds of events whose value is of memory or of a register."""
_VALUED_NAMES = frozenset(kind.name.lower() for kind in _VALUED)


class RstRows(Sequence[RstRecord]):
    """The records of a batch, made one by one when they are to be shown."""

    def __init__(self, batch: RstBatch, rows: Array) -> None:
        self._batch, self._rows = batch, rows

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return RstRows(self._batch, self._rows[at])
        row = int(self._rows[at])
        raw = self._batch.raw[row : row + 1].tobytes()
        return RstRecord(self._batch.first + row, raw, self._batch.version)


def blocks(trace: Trace, ignored: frozenset[str]) -> Iterator[Block]:
    """Yield a trace's records as blocks."""
    if trace.format == "rst":
        images = _ImageStrings()
        for batch in trace.batches():
            yield _rst(trace, batch, ignored, images)
        return
    for batch in trace.batches():
        yield _listed(trace, batch.records, ignored)


class _ImageStrings:
    """Finds the records of strings that name an image and its base."""

    def __init__(self) -> None:
        self._going_on = self._is_image = False

    def rows(self, raw: Array) -> Array:
        found = np.zeros(len(raw), bool)
        codes = raw["rtype"]
        for row in np.flatnonzero((codes == STRDESC) | (codes == STRCONT)).tolist():
            if not self._going_on:
                self._is_image = raw[row : row + 1].tobytes()[1:7] == b"image="
            found[row] = self._is_image
            self._going_on = codes[row] == STRCONT
        return found


def _rst(trace: Trace, batch: RstBatch, ignored: frozenset[str], images: _ImageStrings) -> Block:
    raw, codes = batch.raw, batch.raw["rtype"]
    keep = np.ones(len(raw), bool)
    if "nulls" in ignored:
        keep &= codes != NULLREC
    if "strings" in ignored:
        keep &= (codes != STRDESC) & (codes != STRCONT)
    elif ignored & {"addresses", "all-addresses"}:
        keep &= ~images.rows(raw)
    if ignored - {"nulls", "strings"}:
        raw = _normal(trace, batch, ignored)
    rows = np.flatnonzero(keep)
    raw = raw if len(rows) == len(raw) else raw[rows]
    keys = np.ascontiguousarray(raw).view("u8").reshape(len(raw), SIZE // 8)
    return Block(batch.first + rows, keys, RstRows(batch, rows))


def _normal(trace: Trace, batch: RstBatch, ignored: frozenset[str]) -> Array:
    """Return the records with everything that is to be ignored made the same."""
    source = Source(trace)
    if "stale" in ignored:
        batch = RstBatch(
            batch.first,
            layout.strip(Batch(batch.raw, source, batch.version)).records,
            batch.version,
        )
    raw = batch.raw.copy()
    codes, flags = raw["rtype"], raw["flags"]
    if "untaken" in ignored:
        branches = branch_words.decode(raw["word"], raw["first"], source.arch)
        rows = (codes == 3) & branches.conditional & (flags & 0x26 == 0)
        raw["second"][rows] = 0
        flags[rows] &= np.uint8(0xBF)
    if "values" in ignored:
        raw["second"][(codes == MEMVAL) | (codes == REGVAL)] = 0
        raw["first"][((codes == MEMVAL) & (flags & 0x80 != 0)) | (codes == REGVAL)] = 0
    _clear_numbers(raw, batch.version, ignored)
    _clear_own(trace, raw, ignored)
    if ignored & {"addresses", "all-addresses"}:
        _addresses(trace, raw, "all-addresses" in ignored)
    return raw


def _clear_numbers(raw: Array, version: int, ignored: frozenset[str]) -> None:
    codes = raw["rtype"]
    if "timestamps" in ignored:
        raw["second"][codes == CPU] = 0
        raw["first"][codes == 4] = 0
        bus = np.flatnonzero(codes == 27)
        raw["word"][bus] = 0
    if "ids" in ignored:
        raw["first"][codes == 22] = 0
        raw["second"][codes == 22] = 0
    if "threads" in ignored:
        raw["first"][codes == THREAD] = 0
        for column in ("first", "second"):
            raw[column][codes == 12] = 0
    if "cpus" in ignored:
        layout.put_cpus(raw, version, version, np.zeros(len(raw), "u8"), "diff", 0)
        raw["word"][codes == CPU] = 0


def _clear_own(trace: Trace, raw: Array, ignored: frozenset[str]) -> None:
    """The same in record types of our own, where a kind tells what the columns hold."""
    codes, kinds = raw["rtype"], raw["flags"]
    event = codes == EVENT
    if not event.any() and not (codes == EVENT_TEXT).any():
        return
    if "values" in ignored:
        raw["second"][event & np.isin(kinds, _VALUED)] = 0
        raw["second"][codes == EVENT_SIZE] = 0
    if "ids" in ignored:
        raw["second"][event & (kinds == Kind.ORDER)] = 0
        raw["second"][codes == EVENT_PC] = 0
    if not ignored & {"addresses", "all-addresses"}:
        return
    rows = (event & (kinds != Kind.TRAP)) | (codes == EVENT_PC)
    everything = "all-addresses" in ignored
    raw["first"][rows] = 0 if everything else relative(raw["first"][rows].astype("u8"), trace)
    # The run time numbers sites by where their names lie.
    sites = (codes == EVENT_SIZE) | ((codes == EVENT_TEXT) & (kinds & 0x40 != 0))
    raw["word"][sites] &= np.uint32(0 if everything else 0xFFF)


def _addresses(trace: Trace, raw: Array, everything: bool) -> None:
    """Put addresses in relation to their bases, or away."""
    codes, wide = raw["rtype"], raw["flags"] & 0x80 != 0
    first = np.isin(codes, _FIRST) | ((codes == MEMVAL) & ~wide)
    for column, rows in (("first", first), ("second", np.isin(codes, _SECOND))):
        old = raw[column][rows].astype("u8")
        raw[column][rows] = 0 if everything else relative(old, trace)
    rows = (codes == MEMVAL) & wide  # 44 bits of address: keep the place in the page, or nothing
    raw["word"][rows] &= np.uint32(0 if everything else 0xFF)
    raw["half"][rows] &= np.uint16(0xFF00)


def _listed(trace: Trace, records: list[Any], ignored: frozenset[str]) -> Block:
    if "strings" in ignored:
        records = [r for r in records if r.kind not in ("producer", "image", "header")]
    index = np.array([record.ordinal for record in records], "i8")
    texts = [_words(trace, record, ignored) for record in records]
    digests = [hashlib.blake2b(text, digest_size=16).digest() for text in texts]
    keys = np.frombuffer(b"".join(digests), "u8").reshape(len(records), 2)
    return Block(index, keys, records)


def _words(trace: Trace, record: Any, ignored: frozenset[str]) -> bytes:
    """Return what two equal records have in common, as bytes."""
    if not isinstance(record, SexpRecord):
        text: bytes = b" ".join(record.text.split())
        if ignored & {"addresses", "all-addresses"} and record.kind == "instr":
            pc = _address(trace, record.pc, ignored)
            text = text.replace(b"PCN = %0*x" % (record.digits, record.pc), b"PCN = %x" % pc)
        return text
    if not ignored:
        return record.text.strip()
    address_ignored = bool(ignored & {"addresses", "all-addresses"})
    fields = []
    for key, value in record.fields:
        if address_ignored and key == "base":
            value = 0
        elif address_ignored and key in (*ADDRESS_KEYS, "pc"):
            value = _address(trace, extension_number(value), ignored)
        elif key in ("value", "addr") and _value_ignored(record, value, ignored):
            value = 0
        fields.append((key, value))
    source = record.source
    if address_ignored and isinstance(source, int):
        source = _address(trace, source, ignored)
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


def _address(trace: Trace, value: int, ignored: frozenset[str]) -> int:
    if "all-addresses" in ignored:
        return 0
    return int(relative(np.array([value], "u8"), trace)[0])


def event_blocks(trace: Trace, ignored: frozenset[str], *, shared: bool) -> Iterator[Block]:
    """Yield a trace's events as blocks; `shared`: only what every format can carry."""
    for batch in trace.events():
        kinds = batch["kind"]
        if shared:
            wanted = np.isin(kinds, ACCESSES)
        else:
            wanted = ~np.isin(kinds, (Kind.PRODUCER, Kind.IMAGE) if "strings" in ignored else ())
        events = batch[wanted]
        yield Block(
            events["record"].astype("i8"), _event_keys(trace, events, ignored, shared), events
        )


def _event_keys(trace: Trace, events: Array, ignored: frozenset[str], shared: bool) -> Array:
    flags = events["flags"].astype("u8")
    known = int(Flag.HAS_PC | Flag.HAS_ADDRESS)
    known |= 0 if "values" in ignored else int(Flag.HAS_VALUE)
    if not shared:
        known |= int(Flag.ATOMIC | Flag.PRIVILEGED | Flag.TAKEN | Flag.ANNULLED | Flag.TRAPPED)
    kinds = events["kind"].astype("u8")
    head = kinds | flags & np.uint64(known) << np.uint64(16) | events["size"] << np.uint64(32)
    columns = [head]
    for name in ("pc", "address"):
        values = events[name].astype("u8")
        if "all-addresses" in ignored:
            values = np.zeros(len(events), "u8")
        elif "addresses" in ignored:
            values = relative(values, trace)
        columns.append(values)
    if "values" not in ignored:
        columns += [events["value"], events["value_high"]]
    if not shared:
        columns += [] if "threads" in ignored else [events["thread"]]
        columns += [] if "cpus" in ignored else [events["cpu"].astype("u8")]
        columns.append(_texts(trace.words.texts, events["detail"]))
        columns.append(_texts(trace.sites.texts, events["site"]))
    return np.stack(columns, axis=1) if columns else np.zeros((len(events), 1), "u8")


def _texts(texts: list[str], numbers: Array) -> Array:
    """Return a hash of the text behind each number: numbers differ from trace to trace."""
    distinct, where = np.unique(numbers, return_inverse=True)
    hashes = [
        struct.unpack(
            "<Q", hashlib.blake2b(texts[n].encode(errors="replace"), digest_size=8).digest()
        )[0]
        for n in distinct.tolist()
    ]
    return np.array(hashes, "u8")[where]
