"""A recording's file: chunks of one size, each of one kind, which its first bytes name.

The first chunk begins with a record that describes the file. Chunks of events hold RST records;
chunks of segments hold blocks of words, and in front a table of the runs in which they lie.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np

from inst.formats.rec import MAGIC
from inst.formats.rst.table import SIZE
from inst.trace.model import Array, TraceError

VERSION = 1
SEGMENTS, TABLES = b"INST-SEG", b"INST-TAB"
"""The first bytes of chunks with blocks, and of those with tables."""
RUNS = 2048
"""Bytes of a chunk of segments before its blocks."""
RUN_LIMIT = RUNS // 16 - 1
SMALLEST, LARGEST = RUNS + SIZE, 1 << 24
"""Bytes of a chunk."""


@dataclass(frozen=True, slots=True)
class Layout:
    """What the first record states: bytes of a word and of a chunk, and the order of bytes."""

    width: int
    chunk: int
    little: bool

    @property
    def order(self) -> str:
        """Return the order of bytes as numpy and struct write it."""
        return "<" if self.little else ">"

    @property
    def word(self) -> str:
        """Return the type of a word in the file."""
        return f"{self.order}u{self.width}"


class File:
    """The bytes of a recording, at any place."""

    def __init__(self, name: str, stream: BinaryIO) -> None:
        self.name = name
        self._stream = stream
        self.size = stream.seek(0, 2)
        self.layout = self._layout()
        self.chunks = -(-self.size // self.layout.chunk)

    def close(self) -> None:
        """Let go of the file."""
        self._stream.close()

    def read(self, offset: int, size: int) -> bytes:
        """Return bytes from a place on; less at the end of the file."""
        try:
            self._stream.seek(offset)
            return self._stream.read(size)
        except OSError as error:
            raise TraceError(f"cannot read the trace: {error.strerror}", self.name) from error

    def chunk(self, number: int, start: int = 0, end: int | None = None) -> bytes:
        """Return a part of a chunk."""
        size = self.layout.chunk
        return self.read(number * size + start, (size if end is None else end) - start)

    def damage(self, message: str, chunk: int, offset: int = 0) -> TraceError:
        """Return the error for a place in a chunk."""
        where = chunk * self.layout.chunk + offset
        return TraceError(f"{message} in chunk {chunk}", self.name, offset=where)

    def _layout(self) -> Layout:
        start = self.read(0, SIZE)
        if len(start) < SIZE or not start.startswith(MAGIC):
            what = f"{len(start)} of {SIZE} bytes of its first record"
            raise TraceError(f"the recording is cut short: {what}", self.name, offset=0)
        version, width, order, _, chunk = struct.unpack_from(">BBcBI", start, len(MAGIC))
        if version != VERSION:
            raise TraceError(
                f"a recording of version {version}; this inst reads version {VERSION}",
                self.name,
                offset=len(MAGIC),
                hint="read it with the release of inst that built the program",
            )
        if width not in (4, 8) or order not in (b"b", b"l") or chunk % SIZE:
            raise TraceError("a recording's first record is damaged", self.name, offset=9)
        if not SMALLEST <= chunk <= LARGEST:
            raise TraceError(f"a recording with chunks of {chunk} bytes", self.name, offset=12)
        return Layout(width, chunk, order == b"l")

    def runs(self, number: int) -> Array:
        """Return the runs of a chunk of segments: rows of start, thread and order."""
        order = self.layout.order
        head = self.chunk(number, 0, RUNS)
        if len(head) < RUNS:
            raise self.damage("the recording is cut short", number, len(head))
        width, count = struct.unpack_from(f"{order}II", head, len(SEGMENTS))
        if width != self.layout.width or count > RUN_LIMIT:
            raise self.damage("a damaged table of runs", number, len(SEGMENTS))
        kinds = np.dtype(
            [("start", f"{order}u4"), ("thread", f"{order}u4"), ("order", f"{order}u8")]
        )
        runs = np.frombuffer(head, kinds, count, 16)
        starts = runs["start"].astype("i8")
        sound = (starts >= RUNS) & (starts <= self.layout.chunk) & (starts % width == 0)
        sound[1:] &= starts[1:] >= starts[:-1]
        bad = np.flatnonzero(~sound)
        if len(bad):
            raise self.damage("a run that begins outside", number, 16 + 16 * int(bad[0]))
        return runs
