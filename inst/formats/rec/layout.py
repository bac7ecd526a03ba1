"""A recording's chunks of one size, each of one kind, which its first bytes name.

The first chunk begins with a record that describes the file. Chunks of events hold RST records;
chunks of segments hold blocks of words, and in front a table of the runs in which they lie.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

import numpy as np

from inst.formats.rec.container import Container, Layout
from inst.isa.segments import RUNS
from inst.trace.model import Array, TraceError

SEGMENTS, TABLES = b"INST-SEG", b"INST-TAB"
"""The first bytes of chunks with blocks, and of those with tables."""
RUN_LIMIT = RUNS // 16 - 1


class File:
    """The chunks of a recording, by their numbers."""

    def __init__(self, container: Container) -> None:
        self.container = container

    @property
    def layout(self) -> Layout:
        """Return the sizes of words and chunks."""
        return self.container.layout

    @property
    def numbers(self) -> Sequence[int]:
        """Return the numbers of the chunks that are there, in order."""
        return self.container.numbers

    def read(self, chunk: int, offset: int, size: int) -> bytes:
        """Return bytes from a place in a chunk on, and of those after it; less at the end."""
        parts, whole = [], self.layout.chunk
        chunk, offset = chunk + offset // whole, offset % whole
        while size > 0 and self.container.has(chunk):
            parts.append(self.chunk(chunk, offset, min(offset + size, whole)))
            size -= whole - offset
            chunk, offset = chunk + 1, 0
        return b"".join(parts)

    def room(self, chunk: int) -> int:
        """Return how many bytes follow from a chunk on, without a gap."""
        numbers, end = self.numbers, chunk
        if numbers[-1] - numbers[0] == len(numbers) - 1:
            end = numbers[-1] + 1
        while self.container.has(end):
            end += 1
        return (end - chunk) * self.layout.chunk

    def chunk(self, number: int, start: int = 0, end: int | None = None) -> bytes:
        """Return a part of a chunk."""
        return self.container.chunk(number, start, self.layout.chunk if end is None else end)

    def damage(self, message: str, chunk: int, offset: int = 0) -> TraceError:
        """Return the error for a place in a chunk."""
        return self.container.damage(message, chunk, offset)

    def runs(self, number: int) -> Array:
        """Return the runs of a chunk of segments: rows of start, thread and order."""
        order, width = self.layout.order, self.layout.width
        head = self.chunk(number, 0, RUNS)
        if len(head) < RUNS:
            raise self.damage("the recording is cut short", number, len(head))
        stated, count = struct.unpack_from(f"{order}II", head, len(SEGMENTS))
        if stated != width or count > RUN_LIMIT:
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
