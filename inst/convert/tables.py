"""Tables of other tools as traces: events, or a bus, from CSV or Parquet to RST records.

Tables that inst wrote are a format of their own, `inst.formats.table`.

A table of events has the columns of `inst.trace.event_table`, of which it needs `kind`; the others
may be missing. `record` and `id` are not read: RST has the places of its records instead.

A table of a bus has a row for each transaction, in the order of time:

| column | bits | meaning |
|---|---|---|
| transaction | 6 | the kind of transaction: the bus's number for it (txType) |
| address | 64 | physical address (addr_pa) |
| time | 64 | the bus's clock; a BUSTRACE has its low 20 bits, a CPU record before it all of it |
| data | 64 | what was transferred |
| type | 4 | the kind of bus (bt_type) |
| agent | 10 | who asks (agentid) |
| flags | 4 | the bus's own |

`transaction` and `address` are needed, and 0 stands for the others. Numbers are decimal, or
hexadecimal with 0x; the first line of CSV has the names of the columns, in any order.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from inst.common.arrow import library
from inst.common.progress import Progress
from inst.common.usage import nearest
from inst.convert.rows import Rows, csv_rows, lines_of, parquet_rows
from inst.errors import InstError
from inst.formats.rst.codes import END_OF_FILE
from inst.formats.rst.heading import beginning
from inst.formats.rst.record import encode
from inst.formats.rst.trace import RstTrace, take_fact
from inst.formats.rst.write import RstWriter, pack
from inst.trace import open_trace
from inst.trace.event_table import BOOLEANS, NAMES, NULLABLE, STORED
from inst.trace.model import EVENT, KIND_NAMES, Array, Trace, TraceError
from inst.trace.source import open_chunks

PARQUET = b"PAR1"
BUS = {"transaction": 6, "address": 64, "time": 64, "data": 64, "type": 4, "agent": 10, "flags": 4}
"""Columns of a table of a bus, and their bits."""
TIME_BITS = 20
_FLAGS = ("0", "1", "False", "True", "")
_BITS = {"cpu": 10, "word": 32}


def open_input(source: str, progress: Progress) -> Trace:
    """Open what is converted: a trace of any format, or a table, by its content."""
    start = _start_of(source)
    if start == PARQUET or (source == "-" and start.startswith(PARQUET)):
        return _from_parquet(source, progress)
    header = _header_of(start)
    if not header or _is_ours(header):
        return open_trace(source, progress=progress)
    name, chunks = open_chunks(source, progress=progress)
    lines = lines_of(chunks)
    next(lines)
    trace = RstTrace(name, _records(name, header, csv_rows(name, header, lines), []))
    trace.on_close = getattr(chunks, "close", trace.on_close)
    return trace


def _start_of(source: str) -> bytes:
    """Return how a file begins, without taking it from a pipe that cannot be read again."""
    if source == "-":
        peek = getattr(sys.stdin.buffer, "peek", None)
        return bytes(peek(1)) if peek else b""
    if not Path(source).is_file():
        return b""
    try:
        with open(source, "rb") as file:
            if file.read(4) == PARQUET:
                return PARQUET
        _, chunks = open_chunks(source)
        start = next(chunks, b"")
        getattr(chunks, "close", bool)()
    except (InstError, OSError):
        return b""  # which opening it as a trace will report
    return start


def _header_of(start: bytes) -> list[str]:
    """Return the names of a table's columns; nothing if the bytes do not begin one."""
    line = start.partition(b"\n")[0].decode("utf-8", "replace").removeprefix("\ufeff").strip()
    names = [cell.strip().strip('"') for cell in line[:4096].split(",")]
    known = set(NAMES) | set(BUS)
    is_table = "kind" in names or "transaction" in names
    return names if is_table and sum(name in known for name in names) > len(names) // 2 else []


def _is_ours(names: list[str]) -> bool:
    """Return whether a table has all that inst writes, so that it is a trace as it stands."""
    return names[:3] == list(NAMES[:3]) and set(STORED) <= set(names) <= set(NAMES)


def _from_parquet(source: str, progress: Progress) -> Trace:
    arrow = library()
    try:
        data = io.BytesIO(sys.stdin.buffer.read()) if source == "-" else source
        file = arrow.parquet.ParquetFile(data)
        names = file.schema_arrow.names
    except (arrow.ArrowException, OSError, ValueError) as error:
        raise TraceError(f"no Parquet that can be read: {error}", source) from error
    if source != "-" and _is_ours(names):
        return open_trace(source, progress=progress)
    strings = _facts(file.schema_arrow.metadata or {})
    return RstTrace(source, _records(source, names, _readable(source, file), strings))


def _readable(name: str, file: Any) -> Iterator[Rows]:
    import pyarrow

    try:
        yield from parquet_rows(name, file)
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        raise TraceError(f"damaged Parquet: {error}", name) from error


def _facts(metadata: dict[bytes, bytes]) -> list[str]:
    """Return what a table that inst wrote states of its trace."""
    import json

    try:
        strings = [str(text) for text in json.loads(metadata.get(b"inst.strings", b"[]"))]
    except ValueError:
        strings = []
    arch = metadata.get(b"inst.arch", b"").decode("utf-8", "replace")
    if arch and f"arch={arch}" not in strings:
        strings.append(f"arch={arch}")
    return strings


def _records(
    name: str, header: Sequence[str], blocks: Iterator[Rows], strings: list[str]
) -> Iterator[bytes]:
    """Yield RST records; raises TraceError at the first bad row, after those before it."""
    bus = "transaction" in header
    _require(name, header, tuple(BUS) if bus else NAMES, ("address",) if bus else ("kind",))
    sink = io.BytesIO()
    take, finish = _bus_into(sink) if bus else _events_into(sink, name, strings)
    for rows in blocks:
        if rows.count:
            take(rows)
        yield _emptied(sink)
        error = rows.error()
        if error:
            raise error
    finish()
    yield _emptied(sink)


def _require(name: str, header: Sequence[str], known: Sequence[str], needed: Sequence[str]) -> None:
    seen: set[str] = set()
    for column in header:
        if column not in known:
            near = nearest(column, known)
            hint = f"did you mean {near}?" if near else f"columns are {', '.join(known)}"
            raise TraceError(f"no column is called {column!r}", name, line=1, hint=hint)
        if column in seen:
            raise TraceError(f"two columns are called {column}", name, line=1)
        seen.add(column)
    for column in needed:
        if column not in seen:
            raise TraceError(f"there is no column {column}", name, line=1)


def _emptied(sink: io.BytesIO) -> bytes:
    data = sink.getvalue()
    sink.seek(0)
    sink.truncate()
    return data


Into = tuple[Callable[[Rows], None], Callable[[], None]]


def _bus_into(sink: io.BytesIO) -> Into:
    """Return what writes rows of a bus, and what ends the trace."""
    sink.write(beginning())
    epoch = -1

    def take(rows: Rows) -> None:
        nonlocal epoch
        columns = {}
        for name, bits in BUS.items():
            columns[name], known = rows.numbers(name, bits)
            if name in ("transaction", "address"):
                rows.required(name, known)
        good = rows.good
        columns = {name: column[:good] for name, column in columns.items()}
        records = pack(
            "bustrace", good, flags=columns["flags"], bt_type=columns["type"],
            txType=columns["transaction"], agentid=columns["agent"], addr_pa=columns["address"],
            timestamp=columns["time"], data=columns["data"],
        )  # fmt: skip
        epochs = (columns["time"] >> np.uint64(TIME_BITS)).astype("i8")
        changes = np.flatnonzero(np.diff(epochs, prepend=epoch))
        start = 0
        for row in changes.tolist():
            sink.write(records[start:row].tobytes())
            sink.write(encode("cpu", timestamp=int(columns["time"][row])))
            start = row
        sink.write(records[start:].tobytes())
        epoch = int(epochs[-1]) if good else epoch

    def finish() -> None:
        sink.write(encode("status", status=END_OF_FILE))

    return take, finish


def _events_into(sink: io.BytesIO, name: str, strings: list[str]) -> Into:
    """Return what writes rows of events, and what ends the trace."""
    trace = RstTrace(name, [])
    for text in strings:
        take_fact(trace, text)
    writer = RstWriter(trace, sink)
    count = 0

    def take(rows: Rows) -> None:
        nonlocal count
        events = _events(rows, trace, count)
        if len(events):
            writer.events(events)
        count += len(events)

    return take, writer.finish


def _events(rows: Rows, trace: Trace, first: int) -> Array:
    """Return the events of rows, up to the first bad one."""
    events = np.zeros(rows.count, EVENT)
    events["record"] = events["id"] = np.arange(first, first + rows.count)
    events["kind"] = rows.chosen("kind", KIND_NAMES)
    for name in ("cpu", "thread", "size"):
        events[name], known = rows.numbers(name, _BITS.get(name, 64))
        if name == "thread":
            events[name] = np.where(known, events[name], events["cpu"])
    flags = np.zeros(rows.count, "u2")
    for name, flag in NULLABLE:
        events[name], known = rows.numbers(name, _BITS.get(name, 64))
        if name != "value_high":
            flags |= np.where(known, int(flag), 0).astype("u2")
    for name, flag in BOOLEANS:
        if name in rows.columns:
            which = rows.chosen(name, _FLAGS)
            flags |= np.where(which % 2 == 1, int(flag), 0).astype("u2")
    events["flags"] = flags
    for name, vocabulary in (("detail", trace.words), ("site", trace.sites)):
        events[name] = [vocabulary.number(text) for text in rows.texts(name)]
    return events[: rows.good]
