"""RST records compared, and described in lists of differences."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from inst.formats.rst.batch import StringRows
from inst.formats.rst.codes import (
    ANNULLED,
    BUSTRACE,
    CPU,
    EA_VALID,
    EVENT_PC,
    EVENT_RECORD,
    EVENT_SIZE,
    EVENT_TEXT,
    FIRST_ADDRESS,
    INSTR,
    IS_SITE,
    MARKER,
    MEMVAL,
    NULLREC,
    PLACED,
    PROCESS,
    REGVAL,
    SECOND_ADDRESS,
    STRCONT,
    STRDESC,
    TAKEN,
    THREAD,
    TRACEINFO,
    TRAPPED,
    VARIANT,
)  # fmt: skip
from inst.formats.rst.layout import put_cpus, strip
from inst.formats.rst.record import RstBatch, RstRecord
from inst.formats.rst.table import SIZE
from inst.formats.rst.text import event_name
from inst.formats.rst.trace import RstTrace
from inst.trace import branches as branch_words
from inst.trace.batch import Batch, Source
from inst.trace.compare import VALUED, Block, Ignored
from inst.trace.model import Array, Kind, Trace
from inst.trace.places import Places


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


def compared(trace: RstTrace, ignored: Ignored) -> Iterator[Block]:
    """Yield a trace's records as blocks."""
    images = StringRows(b"image=")
    for batch in trace.batches():
        yield _block(trace, batch, ignored, images)


def _block(trace: Trace, batch: RstBatch, ignored: Ignored, images: StringRows) -> Block:
    raw, codes = batch.raw, batch.raw["rtype"]
    keep = np.ones(len(raw), bool)
    if "nulls" in ignored:
        keep &= codes != NULLREC
    if "strings" in ignored:
        keep &= (codes != STRDESC) & (codes != STRCONT)
    elif ignored.places or ignored.no_addresses:
        keep &= ~images.rows(raw)
    if ignored.names - {"nulls", "strings"}:
        raw = _normal(trace, batch, ignored)
    rows = np.flatnonzero(keep)
    raw = raw if len(rows) == len(raw) else raw[rows]
    plain = None
    if ignored.pointers:
        plain, raw = _keys(raw), _with_pointers(raw, ignored.pointers)
    return Block(batch.first + rows, _keys(raw), RstRows(batch, rows), plain)


def _keys(raw: Array) -> Array:
    return np.ascontiguousarray(raw).view("u8").reshape(len(raw), SIZE // 8)


def _with_pointers(raw: Array, places: Places) -> Array:
    """Return the records with pointers among their values named by their regions."""
    raw = raw.copy()
    codes, wide = raw["rtype"], raw["flags"] & VARIANT != 0
    word = np.uint64(8 if places.wide else 4)
    memory = codes == MEMVAL
    values = memory & ~wide
    sizes = (raw["half"][values] & 0xF).astype("u8")
    raw["second"][values] = places.values(raw["second"][values], sizes)
    events = (codes == EVENT_RECORD) & np.isin(raw["flags"], VALUED)
    for column, rows in (("second", events | (codes == REGVAL) | (memory & wide)),
                         ("first", (codes == REGVAL) | (memory & wide))):  # fmt: skip
        numbers = raw[column][rows]
        raw[column][rows] = places.values(numbers, np.full(len(numbers), word))
    return raw


def _normal(trace: Trace, batch: RstBatch, ignored: Ignored) -> Array:
    """Return the records with everything that is to be ignored made the same."""
    source = Source(trace)
    if "stale" in ignored:
        batch = RstBatch(
            batch.first,
            strip(Batch(batch.raw, source, batch.version)).records,
            batch.version,
        )
    raw = batch.raw.copy()
    codes, flags = raw["rtype"], raw["flags"]
    if "untaken" in ignored:
        branches = branch_words.decode(raw["word"], raw["first"], source.arch)
        rows = (codes == INSTR) & branches.conditional & (flags & (TRAPPED | TAKEN | ANNULLED) == 0)
        raw["second"][rows] = 0
        flags[rows] &= np.uint8(~EA_VALID & 0xFF)
    if "values" in ignored:
        raw["second"][(codes == MEMVAL) | (codes == REGVAL)] = 0
        raw["first"][((codes == MEMVAL) & (flags & VARIANT != 0)) | (codes == REGVAL)] = 0
    _clear_numbers(raw, batch.version, ignored)
    _clear_own(raw, ignored)
    if ignored.places or ignored.no_addresses:
        _addresses(raw, ignored)
    return raw


def _clear_numbers(raw: Array, version: int, ignored: Ignored) -> None:
    codes = raw["rtype"]
    if "timestamps" in ignored:
        raw["second"][codes == CPU] = 0
        raw["first"][codes == TRACEINFO] = 0
        bus = np.flatnonzero(codes == BUSTRACE)
        raw["word"][bus] &= np.uint32(0xC0000000)  # not tdiff and nsScale
    if "ids" in ignored:
        raw["first"][codes == MARKER] = 0
        raw["second"][codes == MARKER] = 0
    if "threads" in ignored:
        raw["first"][codes == THREAD] = 0
        for column in ("first", "second"):
            raw[column][codes == PROCESS] = 0
    if "cpus" in ignored:
        put_cpus(raw, version, version, np.zeros(len(raw), "u8"), "diff", 0)
        raw["word"][codes == CPU] = 0


def _clear_own(raw: Array, ignored: Ignored) -> None:
    """The same in record types of our own, where a kind states what the columns hold."""
    codes, kinds = raw["rtype"], raw["flags"]
    event = codes == EVENT_RECORD
    if not event.any() and not (codes == EVENT_TEXT).any():
        return
    placed = (codes == EVENT_SIZE) & (kinds & PLACED != 0)
    if "values" in ignored:
        raw["second"][event & np.isin(kinds, VALUED)] = 0
        raw["second"][(codes == EVENT_SIZE) & ~placed] = 0
    if "ids" in ignored:
        raw["second"][event & (kinds == Kind.ORDER)] = 0
        raw["second"][codes == EVENT_PC] = 0
    if not (ignored.places or ignored.no_addresses):
        return
    rows = (event & (kinds != Kind.TRAP)) | (codes == EVENT_PC)
    raw["first"][rows] = ignored.addresses(raw["first"][rows].astype("u8"))
    raw["second"][placed] = ignored.addresses(raw["second"][placed].astype("u8"))
    # The run time numbers sites by where their names lie.
    texts = (codes == EVENT_TEXT) & (kinds & IS_SITE != 0)
    raw["word"][((codes == EVENT_SIZE) & ~placed) | texts] &= np.uint32(
        0 if ignored.no_addresses else 0xFFF
    )
    _name_sites(raw, np.flatnonzero(texts), ignored)


def _name_sites(raw: Array, texts: Array, ignored: Ignored) -> None:
    """Treat sites that are called by their pc as addresses."""
    characters = np.ascontiguousarray(raw).view("u1").reshape(len(raw), SIZE)[:, 8:]
    begins = (characters[texts, 0] == ord("0")) & (characters[texts, 1] == ord("x"))
    rows = texts[begins]
    spelled = np.ascontiguousarray(characters[rows]).view("S16").reshape(len(rows))
    distinct, places = np.unique(spelled, return_inverse=True)
    named, good = np.zeros(len(distinct), "u8"), np.zeros(len(distinct), bool)
    for number, text in enumerate(distinct.tolist()):
        with contextlib.suppress(ValueError):
            named[number], good[number] = ignored.address(int(text, 16)), True
    rows, places = rows[good[places]], places[good[places]]
    raw["first"][rows], raw["second"][rows] = named[places], 0


def _addresses(raw: Array, ignored: Ignored) -> None:
    """Name addresses by their regions, or put them away."""
    codes, wide = raw["rtype"], raw["flags"] & VARIANT != 0
    first = np.isin(codes, FIRST_ADDRESS) | ((codes == MEMVAL) & ~wide)
    for column, rows in (("first", first), ("second", np.isin(codes, SECOND_ADDRESS))):
        raw[column][rows] = ignored.addresses(raw[column][rows].astype("u8"))
    rows = (codes == MEMVAL) & wide  # 44 bits of address: keep the place in the page, or nothing
    raw["word"][rows] &= np.uint32(0 if ignored.no_addresses else 0xFF)
    raw["half"][rows] &= np.uint16(0xFF00)


def describe(trace: Trace, record: RstRecord) -> tuple[str, str, dict[str, Any]]:
    """Return a record's type, its text and its fields."""
    fields: dict[str, Any] = dict(record.fields)
    if record.type is None:
        return record.name, f"bytes={record.raw[1:].hex()}", {"bytes": record.raw[1:].hex()}
    if record.rtype == INSTR:
        return record.name, _instr(trace.facts.arch, fields), fields
    parts = [
        f'{name}="{value}"'
        if isinstance(value, str)
        else f"{name}={value}"
        if value < 1024
        else f"{name}=0x{value:x}"
        for name, value in fields.items()
    ]
    if record.name == "event":
        parts.insert(0, event_name(int(fields["kind"])))
    return record.name, " ".join(parts), fields


@lru_cache(maxsize=8)
def _disassembler(arch: str) -> Callable[[int, int], str]:
    from inst.words.disassemble import disassembler

    return disassembler(arch)


def _instr(arch: str, fields: dict[str, Any]) -> str:
    mode = "h" if fields["hpriv"] else "p" if fields["pr"] else "u"
    words = _disassembler(arch)(fields["instr"], fields["pc_va"])
    text = f"cpuid={fields['cpuid']} {mode} [0x{fields['pc_va']:016x}] {words}"
    text += " bt" * fields["bt"]
    text += f" [0x{fields['ea_va']:016x}]" if fields["ea_valid"] or fields["ea_va"] else ""
    text += " (ea_valid=0)" if fields["ea_va"] and not fields["ea_valid"] else ""
    return f"{text}{' tr' * fields['tr']}{' an' * fields['an']}"
