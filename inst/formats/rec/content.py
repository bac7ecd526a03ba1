"""What the index of a packed recording states of its chunks: none has to be unpacked for it.

It has what going through all the chunks would find: the runs of blocks of each thread, and its
parts of the chunks of events.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator

import numpy as np

from inst.formats.rec.container import Raw
from inst.formats.rec.index import Head, Index, Part, read_index, take_chunk
from inst.formats.rec.layout import RUN_LIMIT, File
from inst.formats.rst.table import SIZE
from inst.trace.model import Array, TraceError

_COUNTS = struct.Struct(">IIII")
"""How many heads and parts; the chunk with the tables, 0 for none; chunks without anything."""
_HEADS = np.dtype(
    [(name, ">u8" if name == "order" else ">u4")
     for name in ("order", "chunk", "thread", "first", "end", "start", "unused")]
)  # fmt: skip
_PARTS = np.dtype(
    [(name, ">u8" if name in ("order", "tid") else ">u4")
     for name in ("order", "chunk", "thread", "start", "end", "tid")]
)  # fmt: skip


def index_of(file: File) -> Index:
    """Return the content of a recording: what an index states, or what its chunks hold."""
    rows = getattr(file.container, "rows", b"")
    if not rows:
        return read_index(file)
    index = Index()
    take_chunk(file, 0, index)
    index.threads = {}
    _take_rows(rows, file, index)
    for thread in index.threads.values():
        thread.settle()
    return index


def _take_rows(rows: bytes, file: File, index: Index) -> None:
    heads, parts, tables, index.unwritten = _COUNTS.unpack_from(rows.ljust(_COUNTS.size, b"\0"))
    index.tables = tables or None
    middle = _COUNTS.size + heads * _HEADS.itemsize
    if len(rows) != middle + parts * _PARTS.itemsize:
        raise file.damage("an index of another size", 0)
    found = np.frombuffer(rows, _HEADS, heads, _COUNTS.size)
    _check(file, found, RUN_LIMIT)
    for order, chunk, thread, first, end, start, _ in found.tolist():
        index.thread(thread).heads.append(Head(order, chunk, first, end, start))
    found = np.frombuffer(rows, _PARTS, parts, middle)
    _check(file, found, file.layout.chunk // SIZE)
    for order, chunk, thread, start, end, tid in found.tolist():
        index.thread(thread).parts.append(Part(order, chunk, start, end, tid))


def _check(file: File, rows: Array, most: int) -> None:
    """Refuse rows that name what is not there."""
    first = "first" if "first" in (rows.dtype.names or ()) else "start"
    wrong = (rows[first] > rows["end"]) | (rows["end"] > most)
    wrong |= ~np.isin(rows["chunk"], file.numbers)
    if wrong.any():
        raise file.damage("an index of what is not there", 0)


class Content:
    """The content of the chunks that are written, for the index."""

    def __init__(self, first: bytes) -> None:
        self._first = first
        self._heads: dict[int, bytes] = {}
        self._parts: dict[int, bytes] = {}
        self._tables = self._unwritten = self._next = 0
        self._is_known = True

    def add(self, number: int, chunk: bytes) -> None:
        """Look at a chunk; damage in it is found when it is read."""
        if self._tables < number < self._next or not self._is_known:
            return
        index = Index()
        try:
            following = take_chunk(File(_One(self._first, number, chunk)), number, index)
        except TraceError:
            self._is_known = False
            return
        if index.tables is not None:
            self._tables, self._next = index.tables, following
        self._unwritten += index.unwritten
        self._heads[number] = np.array(list(_head_rows(index)), _HEADS).tobytes()
        self._parts[number] = np.array(list(_part_rows(index)), _PARTS).tobytes()

    def packed(self) -> bytes:
        """Return the rows; nothing if something is damaged."""
        if not self._is_known:
            return b""
        heads, parts = (_joined(each) for each in (self._heads, self._parts))
        counts = len(heads) // _HEADS.itemsize, len(parts) // _PARTS.itemsize
        return _COUNTS.pack(*counts, self._tables, self._unwritten) + heads + parts


def _joined(rows: dict[int, bytes]) -> bytes:
    """Return the rows of all chunks by their numbers."""
    return b"".join(rows[number] for number in sorted(rows))


def _head_rows(index: Index) -> Iterator[tuple[int, ...]]:
    for number, thread in index.threads.items():
        for one in thread.heads:
            yield one.order, one.chunk, number, one.first, one.end, one.start, 0


def _part_rows(index: Index) -> Iterator[tuple[int, ...]]:
    for number, thread in index.threads.items():
        for one in thread.parts:
            yield one.order, one.chunk, number, one.start, one.end, one.tid


class _One(Raw):
    """A recording of which one chunk is known."""

    def __init__(self, first: bytes, number: int, chunk: bytes) -> None:
        super().__init__("", io.BytesIO(first[:SIZE]))
        self._number, self._chunk = number, chunk

    def chunk(self, number: int, start: int, end: int) -> bytes:
        """Return a part of the chunk."""
        return self._chunk[start:end] if number == self._number else b""
