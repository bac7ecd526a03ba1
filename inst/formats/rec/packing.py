"""Writes packed recordings: chunks compressed one by one, and at the end an index."""

from __future__ import annotations

import struct
import zlib
from typing import BinaryIO

from inst.formats.rec import PACKED
from inst.formats.rec.content import Content
from inst.formats.rec.packed import (
    BESIDE,
    CHUNK,
    FRAME,
    HEADER,
    INDEX,
    LETTERS,
    ROW,
    STATE,
    STATE_PLACE,
    SUM,
    SUM_PLACE,
    TRAILER,
    header_sum,
)

LEVEL, FAST, FASTEST = 3, 1, -3
"""Levels of zstandard: the usual one, and those for a program that is about to wait."""
UNIT = 24
"""Bytes of which whole ones are stored: a record, and a multiple of a word."""


class Packer:
    """A packed recording being written to a file."""

    def __init__(self, stream: BinaryIO, first: bytes) -> None:
        """Begin the file with what the first chunk holds so far."""
        import zstandard

        self._stream = stream
        self._engines = {
            level: zstandard.ZstdCompressor(level, write_content_size=True)
            for level in (LEVEL, FAST, FASTEST)
        }
        self._rows: dict[int, int] = {}
        self._content = Content(first)
        self.unpacked = 0
        """Bytes of the chunks."""
        self._write_header(first, 0, 0)
        self._at, self._first = HEADER, b""
        self.add(0, first)

    def _write_header(self, first: bytes, finished: int, error: int) -> None:
        header = bytearray(PACKED + first[8:16])
        header += bytes(BESIDE - len(header)) + first[: HEADER - BESIDE]
        header += bytes(HEADER - len(header))
        STATE.pack_into(header, STATE_PLACE, finished, error)
        SUM.pack_into(header, SUM_PLACE, header_sum(bytes(header)))
        self._put(0, bytes(header))

    def _put(self, place: int, data: bytes) -> None:
        """Write all of the bytes; an unbuffered file may take only some of them at a time."""
        self._stream.seek(place)
        rest = memoryview(data)
        while rest:
            rest = rest[self._stream.write(rest) :]

    def add(self, number: int, chunk: bytes, level: int = LEVEL) -> None:
        """Write a chunk; a later one with its number replaces it."""
        if number == 0:
            self._first = chunk
        used = len(chunk.rstrip(b"\0"))
        data = chunk[: min(-(-used // UNIT) * UNIT, len(chunk))]
        self._content.add(number, chunk)
        self._rows[number] = self._at
        self._write(CHUNK, number, data, level)
        self.unpacked += len(chunk)

    def _write(self, kind: bytes, number: int, data: bytes, level: int = LEVEL) -> None:
        packed = self._engines[level].compress(data)
        head = struct.pack(">4sIIII", kind, number, len(data), len(packed), zlib.crc32(packed))
        frame = head + struct.pack(">I", zlib.crc32(head)) + packed
        assert len(frame) == FRAME.size + len(packed)
        self._put(self._at, frame)
        self._at += len(frame)

    def finish(self, first: bytes) -> None:
        """End the file, with the first chunk as it is at the end."""
        if first != self._first:
            self.add(0, first)
        place = self._at
        rows = b"".join(ROW.pack(at, number) for number, at in sorted(self._rows.items()))
        self._write(INDEX, len(self._rows), rows + self._content.packed())
        end = struct.pack(">8sQ", LETTERS, place)
        self._put(self._at, TRAILER.pack(LETTERS, place, zlib.crc32(end)))
        self._at += TRAILER.size
        self._stream.truncate(self._at)
        self._write_header(first, 1, 0)

    def stop(self, error: int) -> None:
        """State why the rest cannot be written: the header has its room already."""
        self._write_header(self._first, 0, error)
