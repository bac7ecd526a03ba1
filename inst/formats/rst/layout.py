"""RST records brought into another layout: other versions, bytes no field covers."""

from __future__ import annotations

import functools
from dataclasses import replace

import numpy as np

from inst.errors import InstError
from inst.formats.rst import table as rst_table
from inst.formats.rst.codes import HEADER, STRCONT
from inst.formats.rst.heading import header_text
from inst.formats.rst.record import RstBatch, encode
from inst.formats.rst.table import SIZE, RecordType
from inst.trace.batch import Batch
from inst.trace.model import Array


def _rows_of(records: Array, kind: RecordType) -> Array:
    same = records["rtype"] == kind.code
    if kind.variant is not None:
        same &= (records["flags"] >> 7) == kind.variant
    return np.flatnonzero(same)


def put_bits(
    records: Array, rows: Array, parts: tuple[tuple[int, int], ...], values: Array
) -> None:
    """Write a number into the bit ranges of some rows, the last range its lowest bits."""
    octets = records.view("u1").reshape(len(records), SIZE)
    for start, width in reversed(parts):
        for bit in range(start + width - 1, start - 1, -1):
            mask = np.uint8(0x80 >> bit % 8)
            cleared = octets[rows, bit // 8] & ~mask
            octets[rows, bit // 8] = cleared | np.where(values & np.uint64(1), mask, np.uint8(0))
            values = values >> np.uint64(1)


def put_cpus(
    records: Array,
    old: int,
    new: int,
    cpus: Array | None,
    name: str,
    first: int,
    clip: bool = False,
) -> None:
    """Write cpu numbers (default: those there) where another version has them.

    `records` must be writable; a number that the version has no bits for is an InstError.
    """
    for kind in rst_table.TYPES:
        field = next((each for each in kind.fields if each.name == "cpuid"), None)
        rows = _rows_of(records, kind)
        if field is None or not len(rows):
            continue
        if cpus is None and field.parts_for(old) == field.parts_for(new):
            continue
        if cpus is None:
            values = RstBatch(0, records, old).column(kind.name, "cpuid", rows)
        else:
            values = cpus[rows]
        parts = field.parts_for(new)
        width = sum(part for _, part in parts)
        wide = np.flatnonzero(values >> np.uint64(width))
        if len(wide) and not clip:
            row = int(rows[wide[0]])
            raise InstError(
                f"{name}: cpu {int(values[wide[0]])} of record {first + row} ({kind.name}) does "
                "not "
                f"fit into the {width} bits of version {new // 1000}.{new % 1000}",
                hint="`renumber cpus` first, or `version ... wide=cut` to keep the low bits",
            )
        put_bits(records, rows, parts, values & np.uint64((1 << width) - 1))


def converted(batch: Batch, new: int, clip: bool, first: int) -> Batch:
    old = batch.version
    records = batch.records.copy()
    if (old >= rst_table.MODERN) != (new >= rst_table.MODERN):
        for kind in rst_table.TYPES:  # bits that one of the versions does not have
            for field in kind.fields:
                rows = _rows_of(records, kind)
                if field.modern_parts and field.name != "cpuid":
                    put_bits(records, rows, field.parts, np.zeros(len(rows), "u8"))
    put_cpus(records, old, new, None, "version", first, clip)
    if new < rst_table.MODERN <= old:
        _clear_modern(records)
    return _with_header(batch, records, new)


def _clear_modern(records: Array) -> None:
    """Older versions leave the bits of the wide cpu numbers zero."""
    for kind in rst_table.TYPES:
        field = next((each for each in kind.fields if each.name == "cpuid"), None)
        rows = _rows_of(records, kind)
        if field is not None and len(rows) and field.modern_parts:
            put_bits(records, rows, field.parts[: field.modern_parts], np.zeros(len(rows), "u8"))


def _with_header(batch: Batch, records: Array, new: int) -> Batch:
    for row in np.flatnonzero(records["rtype"] == HEADER).tolist():
        data = encode(
            "header",
            base=records[row : row + 1].tobytes(),
            majorVer=new // 1000,
            minorVer=new % 1000,
            header_str=header_text(new),
        )
        records[row : row + 1] = np.frombuffer(data, records.dtype)
    return replace(batch, records=records, version=new)


@functools.lru_cache(maxsize=64)
def _masks(version: int) -> Array:
    """Return for each (type, variant) the bits that fields cover, as 24 bytes."""
    masks = np.full((512, SIZE), 0xFF, "u1")
    for kind in rst_table.TYPES:
        bits = np.zeros(SIZE * 8, "u1")
        bits[:8] = 1
        if kind.variant is not None:
            bits[8] = 1
        for field in kind.fields:
            for start, width in field.parts_for(version):
                bits[start : start + width] = 1
        for variant in (0, 1) if kind.variant is None else (kind.variant,):
            masks[kind.code * 2 + variant] = np.packbits(bits)
    return masks


TEXTS = tuple(
    (kind, field.parts[0][0] // 8, (field.parts[0][0] + field.width) // 8)
    for kind in rst_table.TYPES
    for field in kind.fields
    if field.text
)


def strip(batch: Batch) -> Batch:
    """Return the batch with zeros where no field is, and after the end of texts."""
    records = batch.records.copy()
    octets = records.view("u1").reshape(len(records), SIZE)
    which = records["rtype"].astype("u2") * 2 + (records["flags"] >> 7)
    octets &= _masks(batch.version)[which]
    for kind, start, end in TEXTS:
        rows = _rows_of(records, kind)
        if len(rows) and kind.code != STRCONT:  # that has no end
            text = octets[rows, start:end]
            ended = np.logical_or.accumulate(text == 0, axis=1)
            octets[rows, start:end] = np.where(ended, 0, text)
    return replace(batch, records=records)
