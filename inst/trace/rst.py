"""RST traces: 24-byte records read in numpy batches and written back unchanged.

`RstTrace.batches()` yields `RstBatch`: a view of the file's bytes as an array of `RECORD`
and the field columns by name. `decode` and `encode` do one record at a time. A record is
never rebuilt from its fields on copying, so unknown types and stale bytes survive.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np

from inst.errors import InstError
from inst.trace import rst_table
from inst.trace.model import Array, Image, Trace, TraceError
from inst.trace.rst_table import CURRENT, SIZE, Field, RecordType, type_of

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

HEADER, INSTR, CPU, STRDESC, NULLREC, STRCONT, STATUS, MEMVAL = 2, 3, 11, 14, 20, 21, 23, 26
EVENT_SIZE = 42
NOTABLE = (0, 1, HEADER, STRDESC, STRCONT)
"""Record types that say something about the trace itself."""
STRING_LIMIT = 1 << 16


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
    """Write the text and a NUL; what an earlier text left behind that stays."""
    start, width = field.parts[0]
    data = text.encode("latin-1")
    if len(data) * 8 > width:
        raise InstError(f"{field.name}: {text!r} is longer than {width // 8} bytes")
    data += b"\0" * (len(data) * 8 < width)
    return _put(number, start, len(data) * 8, int.from_bytes(data, "big"))


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
    if start % 8 == 0 and width in (16, 32, 64):
        number = np.ndarray((len(octets),), f">u{width // 8}", octets, first, (SIZE,))
        return (number if rows is None else number[rows]).astype("u8")
    values: Array = np.zeros(len(octets) if rows is None else len(rows), "u8")
    for byte in range(first, last + 1):
        column = octets[:, byte]
        values = values << np.uint64(8) | (column if rows is None else column[rows])
    below = (last + 1) * 8 - start - width
    return values >> np.uint64(below) & np.uint64((1 << width) - 1)


class _Gap:
    """Space that a killed program's threads reserved and did not write.

    It reaches to the end of the file, or to the CPU record that begins another thread's
    chunk, or what the thread did in a handler that interrupted the writing. Its first records
    may be an event that was being written: a record's first word is written last, so it has
    type 0 and anything behind, and values or a size may follow it.
    """

    TORN = 17
    """Records an unfinished event may have: dcbz has an INSTR and 16 values."""

    def __init__(self) -> None:
        self.open = False
        self.start = 0
        self._length = 0

    def begin(self, record: Array, trace: RstTrace) -> None:
        self.open, self.start, self._length = True, trace.count, 0
        if record["rtype"] == 1:
            raise self._damage(trace, trace.count, "a record of type 1")

    def skip(self, records: Array, trace: RstTrace) -> int:
        """Return how many of the records belong to the gap; close it if it ends there."""
        others = np.flatnonzero(records["rtype"] == CPU)
        end = int(others[0]) if len(others) else len(records)
        octets = np.ascontiguousarray(records[:end]).view("u1").reshape(end, SIZE)
        for row in np.flatnonzero(octets.any(axis=1)).tolist():
            code = octets[row, 0]
            if self._length + row >= self.TORN or code not in (0, MEMVAL, EVENT_SIZE):
                what = f"a record of type {code} after unwritten space (zero bytes)"
                raise self._damage(trace, trace.count + row, what)
        self._length += end
        if len(others):
            self.open = False
            trace.note(
                f"a thread was killed: records {self.start} to {self.start + self._length - 1} "
                "were reserved and not written"
            )
        return end

    def _damage(self, trace: RstTrace, record: int, what: str) -> TraceError:
        return TraceError(f"{what} as record {record}", trace.name, offset=record * SIZE)


class RstTrace(Trace):
    """An RST trace being read."""

    format = "rst"

    def __init__(self, name: str, chunks: Iterable[bytes]) -> None:
        super().__init__(name)
        self._chunks = iter(chunks)
        self.version = CURRENT
        """major * 1000 + minor, from the last HEADER read."""
        self.count = 0
        """Records delivered or passed over so far: the ordinal of the next one."""
        self._string = b""
        self._gap = _Gap()

    def batches(self) -> Iterator[RstBatch]:
        """Yield the records; each batch has one version and at most about 1 MiB."""
        rest = b""
        for chunk in self._chunks:
            data = rest + chunk if rest else chunk
            whole = len(data) - len(data) % SIZE
            rest = data[whole:]
            yield from self._records_of(np.frombuffer(data, RECORD, whole // SIZE))
        if rest and not (self._gap.open and not rest.strip(b"\0")):
            raise TraceError(
                f"the trace is cut short: {len(rest)} of {SIZE} bytes of record {self.count}",
                self.name,
                offset=self.count * SIZE,
            )
        if self._gap.open:
            self.note(
                f"the program was killed; trace ends at record {self._gap.start} "
                "(unwritten space follows)"
            )

    def _records_of(self, records: Array) -> Iterator[RstBatch]:
        """Yield the records around the space that a killed program left unwritten."""
        while len(records):
            if self._gap.open:
                skipped = self._gap.skip(records, self)
                self.count += skipped
                records = records[skipped:]
                continue
            codes = records["rtype"].tobytes()
            if not any(code in codes for code in NOTABLE):  # nearly all batches
                batch = RstBatch(self.count, records, self.version)
                self.count += len(records)
                yield batch
                return
            bad = np.flatnonzero(records["rtype"] <= 1)
            end = int(bad[0]) if len(bad) else len(records)
            yield from self._of_one_version(records[:end])
            if len(bad):
                self._gap.begin(records[end], self)
            records = records[end:]

    def _of_one_version(self, records: Array) -> Iterator[RstBatch]:
        starts = [0, *np.flatnonzero(records["rtype"] == HEADER).tolist(), len(records)]
        for start, end in itertools.pairwise(starts):
            if start < end:
                batch = self._batch(records[start:end])
                self.count += len(batch)
                yield batch

    def _batch(self, records: Array) -> RstBatch:
        if records[0]["rtype"] == HEADER:
            fields = decode(records[:1].tobytes())
            self.version = int(fields["majorVer"]) * 1000 + int(fields["minorVer"])
            self.facts.version = f"{fields['majorVer']}.{fields['minorVer']}"
        for row in np.flatnonzero((records["rtype"] == STRDESC) | (records["rtype"] == STRCONT)):
            self._take_string(records[row : row + 1].tobytes())
        return RstBatch(self.count, records, self.version)

    def _take_string(self, raw: bytes) -> None:
        if len(self._string) < STRING_LIMIT:
            self._string += raw[1:].partition(b"\0")[0]
        if raw[0] == STRCONT:
            return
        text, self._string = self._string.decode("utf-8", "backslashreplace"), b""
        take_fact(self, text)

    def records(self) -> Iterator[RstRecord]:
        for batch in self.batches():
            yield from batch.records()

    def events(self) -> Iterator[Array]:
        from inst.trace.rst_events import events

        return events(self)


def take_fact(trace: Trace, text: str) -> None:
    """Remember what a producer's string says: architecture, image, or just its words."""
    trace.facts.add_string(text)
    if text.startswith("arch="):
        trace.facts.arch = text[5:].strip()
    elif text.startswith("image="):
        path, _, base = text[6:].rpartition(" base=")
        try:
            trace.facts.add_image(Image(path, int(base, 16)))
        except ValueError:
            trace.note(f"an image string that cannot be read: {text!r}")


def copy(trace: RstTrace, output: BinaryIO) -> int:
    """Write every record of the trace as it is; return how many."""
    for batch in trace.batches():
        output.write(batch.tobytes())
    return trace.count


def write(records: Iterable[RstRecord | bytes], output: Any) -> int:
    """Write records (or their bytes) one after the other; return how many."""
    count = 0
    for record in records:
        output.write(record if isinstance(record, bytes) else record.raw)
        count += 1
    return count
