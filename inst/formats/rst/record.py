"""One RST record: its bytes, its fields by name, and a batch of them by columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from inst.errors import InstError
from inst.formats.rst import table as rst_table
from inst.formats.rst.codes import STRCONT, STRDESC
from inst.formats.rst.table import CURRENT, SIZE, Field, RecordType, type_of
from inst.trace.model import Array

RECORD = np.dtype(
    [
        ("rtype", "u1"),  # record type; the meaning of the rest depends on it
        ("flags", "u1"),
        ("half", ">u2"),
        ("word", ">u4"),
        ("first", ">u8"),
        ("second", ">u8"),
    ]
)
"""A record on disk, big-endian. (numpy.concatenate silently makes these native: write the
parts with `tobytes()` instead.)"""


@dataclass(frozen=True, slots=True)
class RstRecord:
    """One record: its place in the file, its bytes, and the version that explains them."""

    index: int
    raw: bytes
    version: int = CURRENT

    @property
    def rtype(self) -> int:
        return self.raw[0]

    @property
    def type(self) -> RecordType | None:
        return type_of(self.raw[0], self.raw[1])

    @property
    def name(self) -> str:
        """The record type's name; `rtype=N` for one the table does not know."""
        kind = self.type
        if kind is None:
            return f"rtype={self.rtype}"
        return "context" if kind.name == "preg" and self.version < 2005 else kind.name

    @property
    def fields(self) -> dict[str, int | str]:
        return decode(self.raw, self.version)


def decode(raw: bytes, version: int = CURRENT) -> dict[str, int | str]:
    """Return the fields of a record by name; nothing for an unknown type."""
    kind = type_of(raw[0], raw[1])
    if kind is None:
        return {}
    number = int.from_bytes(raw, "big")
    return {field.name: _field_value(field, number, raw, version) for field in kind.fields}


def _field_value(field: Field, number: int, raw: bytes, version: int) -> int | str:
    if field.text:
        start, width = field.parts[0]
        text = raw[start // 8 : (start + width) // 8]
        return text.partition(b"\0")[0].decode("latin-1")
    value = 0
    for start, width in field.parts_for(version):
        value = value << width | number >> (SIZE * 8 - start - width) & (1 << width) - 1
    if field.signed_shift >= 0:
        width = field.width
        value = (value - (value >> (width - 1) << width)) << field.signed_shift
        value &= (1 << 64) - 1
    return value


def encode(
    name: str, *, version: int = CURRENT, base: bytes = bytes(SIZE), **fields: int | str
) -> bytes:
    """Return a record of that name; bytes no field covers are taken from `base`."""
    kind = rst_table.BY_NAME[name]
    number = int.from_bytes(base, "big")
    number = _put(number, 0, 8, kind.code)
    if kind.variant is not None:
        number = _put(number, 8, 1, kind.variant)
    for key, value in fields.items():
        field = kind.field(key)
        if field.text:
            number = _put_text(number, field, str(value))
        else:
            number = _put_number(number, field, int(value), version, name)
    return number.to_bytes(SIZE, "big")


def _put(number: int, start: int, width: int, value: int) -> int:
    shift = SIZE * 8 - start - width
    mask = ((1 << width) - 1) << shift
    return number & ~mask | value << shift


def _put_number(number: int, field: Field, value: int, version: int, name: str) -> int:
    parts = field.parts_for(version)
    width = sum(part for _, part in parts)
    if field.signed_shift >= 0:
        value = value >> field.signed_shift & (1 << width) - 1
    if not 0 <= value < 1 << width and parts:
        raise InstError(f"{name}: {field.name}={value} does not fit into {width} bits")
    for start, part in reversed(parts):
        number = _put(number, start, part, value & (1 << part) - 1)
        value >>= part
    return number


def _put_text(number: int, field: Field, text: str) -> int:
    """Write the text and a NUL; what an earlier text left after that stays."""
    start, width = field.parts[0]
    data = text.encode("latin-1")
    if len(data) * 8 > width:
        raise InstError(f"{field.name}: {text!r} is longer than {width // 8} bytes")
    data += b"\0" * (len(data) * 8 < width)
    return _put(number, start, len(data) * 8, int.from_bytes(data, "big"))


def string_piece(raw: bytes) -> bytes:
    """Return the part of a string that a STRCONT or STRDESC record holds.

    A STRDESC ends with a NUL, after which is stale memory. A STRCONT has no end: a NUL in it is
    part of the string, unless nothing but NULs follows.
    """
    return raw[1:].rstrip(b"\0") if raw[0] == STRCONT else raw[1:].partition(b"\0")[0]


def encode_string(text: str) -> bytes:
    """Return a string as STRCONT records and the STRDESC that ends it."""
    data = text.encode("utf-8", "surrogateescape").replace(b"\0", b" ") + b"\0"
    parts = [data[start : start + SIZE - 1] for start in range(0, len(data), SIZE - 1)]
    return b"".join(
        bytes([STRCONT if number < len(parts) - 1 else STRDESC]) + part.ljust(SIZE - 1, b"\0")
        for number, part in enumerate(parts)
    )


@dataclass(frozen=True, slots=True)
class RstBatch:
    """Consecutive records of one version: `raw` is an array of RECORD, `first` its ordinal."""

    first: int
    raw: Array
    version: int

    def __len__(self) -> int:
        return len(self.raw)

    def tobytes(self) -> bytes:
        return self.raw.tobytes()

    def column(self, name: str, field: str, rows: Array | None = None) -> Array:
        """Return a number field of the record type `name` of the rows (default all) as u64."""
        if rows is not None and len(rows) == 0:
            return np.zeros(0, "u8")
        layout = rst_table.BY_NAME[name].field(field)
        octets = np.ascontiguousarray(self.raw).view("u1").reshape(len(self.raw), SIZE)
        values: Array | None = None
        for start, width in layout.parts_for(self.version):
            bits = _bits(octets, start, width, rows)
            values = bits if values is None else values << np.uint64(width) | bits
        if values is None:
            return np.zeros(len(self.raw if rows is None else rows), "u8")
        if layout.signed_shift >= 0:
            unused = np.uint64(64 - layout.width)
            signed = (values << unused).view("i8") >> np.int64(64 - layout.width)
            values = (signed << np.int64(layout.signed_shift)).view("u8")
        return values

    def records(self) -> Iterator[RstRecord]:
        data = self.raw.tobytes()
        for number in range(len(self.raw)):
            raw = data[number * SIZE : number * SIZE + SIZE]
            yield RstRecord(self.first + number, raw, self.version)


def _bits(octets: Array, start: int, width: int, rows: Array | None) -> Array:
    """Return a bit range of every record, without touching the bytes outside it."""
    first, last = start // 8, (start + width - 1) // 8
    below = np.uint64((last + 1) * 8 - start - width)
    mask = np.uint64((1 << width) - 1)
    if last - first + 1 in (1, 2, 4, 8):
        span = f">u{last - first + 1}"
        number = np.ndarray((len(octets),), span, octets, first, (SIZE,))
        whole = (number if rows is None else number[rows]).astype("u8")
        return whole if start % 8 == 0 and not below else whole >> below & mask
    values: Array = np.zeros(len(octets) if rows is None else len(rows), "u8")
    for byte in range(first, last + 1):
        column = octets[:, byte]
        values = values << np.uint64(8) | (column if rows is None else column[rows])
    return values >> below & mask
