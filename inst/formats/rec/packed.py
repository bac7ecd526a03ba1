"""A packed recording: chunks that were compressed each by itself, and an index at the end.

A file without an index, whose writer was killed, is read by going from frame to frame.
"""

from __future__ import annotations

import errno
import os
import struct
import zlib
from collections import OrderedDict
from typing import BinaryIO

from inst.formats.rec.container import Placed
from inst.trace.model import TraceError

HEADER, BESIDE = 8192, 24
"""Bytes before the first frame; those of them before a copy of the first chunk's start."""
SUM, STATE = struct.Struct(">I"), struct.Struct(">HH")
SUM_PLACE, STATE_PLACE = 16, 20
"""In the header: its checksum; whether it was finished, and the error that prevented it."""
FRAME = struct.Struct(">4sIIIII")
"""Kind, number of the chunk, its bytes, compressed bytes, their checksum, and the head's own."""
CHUNK, INDEX = b"CHNK", b"INDX"
ROW = struct.Struct(">QI4x")
"""Of the index: where a frame is, and the number of its chunk."""
TRAILER = struct.Struct(">8sQI4x")
"""Letters, where the index is, and a checksum of both."""
LETTERS = b"INST-END"
CACHED = 48 << 20
"""Bytes of chunks that are kept: more than those which are read together."""


class Packed(Placed):
    """A file of frames."""

    def __init__(self, name: str, stream: BinaryIO) -> None:
        import zstandard

        super().__init__(name, stream)
        self._engine = zstandard.ZstdDecompressor()
        self._errors = zstandard.ZstdError
        self._cache: OrderedDict[int, bytes] = OrderedDict()
        self.unfinished = not self._read_header()
        self.rows = b""
        """What the index states of the chunks' content."""
        self._take_places(self._read_index() or self._scan())
        if 0 not in self._places:
            raise self.failure or self._damage("a packed recording without its first chunk", HEADER)

    def _damage(self, message: str, offset: int) -> TraceError:
        return TraceError(message, self.name, offset=offset)

    def _read_header(self) -> bool:
        header = self.read(0, HEADER)
        if len(header) < HEADER:
            message = f"the packed recording is cut short: {len(header)} of {HEADER} bytes"
            raise self._damage(message, len(header))
        (stated,) = SUM.unpack_from(header, SUM_PLACE)
        if stated != header_sum(header):
            raise self._damage("a packed recording's header is damaged", SUM_PLACE)
        finished, error = STATE.unpack_from(header, STATE_PLACE)
        if error:
            why = os.strerror(error)
            self.notes.append(
                f"the recording is partial: it could not be written further ({why}), and events "
                "among its last accesses may be missing"
            )
        elif not finished:
            self.notes.append(
                "the recording is partial: what wrote it, a process of `inst run`, was killed"
            )
        return bool(finished)

    def _read_index(self) -> dict[int, int]:
        """Return the places of the chunks by the index; none if there is no whole one."""
        data = self.read(max(self.size - TRAILER.size, 0), TRAILER.size)
        if len(data) < TRAILER.size:
            return {}
        letters, place, stated = TRAILER.unpack(data)
        if letters != LETTERS or stated != zlib.crc32(data[:16]) or data[20:].strip(b"\0"):
            return {}
        kind, count, _, packed, _, _ = self._head(place)
        if kind != INDEX or place + FRAME.size + packed + TRAILER.size != self.size:
            raise self._damage("a packed recording's index is damaged", place)
        content = self._content(place)
        if len(content) < count * ROW.size:
            raise self._damage("a packed recording's index is cut short", place)
        self.rows = content[count * ROW.size :]
        return {number: at for at, number in ROW.iter_unpack(content[: count * ROW.size])}

    def _scan(self) -> dict[int, int]:
        """Go from frame to frame; what ends that is raised when all before it has been read."""
        found: dict[int, int] = {}
        place = HEADER
        try:
            while place < self.size:
                kind, number, _, packed, _, _ = self._head(place)
                end = place + FRAME.size + packed
                if end + (TRAILER.size if kind == INDEX else 0) > self.size:
                    raise self._cut(place)
                if kind == INDEX:
                    raise self._damage("a packed recording's index is damaged", place)
                found[number], place = place, end
            if not self.unfinished:
                raise self._cut(place)
        except TraceError as error:
            self.failure = (
                error if not self.unfinished or "cut short" not in error.message else None
            )
        return found

    def _cut(self, place: int) -> TraceError:
        return self._damage("the packed recording is cut short", place)

    def _head(self, place: int) -> tuple[bytes, int, int, int, int, int]:
        """Return the numbers of a frame."""
        data = self.read(place, FRAME.size)
        if len(data) < FRAME.size:
            raise self._cut(place)
        head = FRAME.unpack(data)
        if head[5] != zlib.crc32(data[:20]) or head[0] not in (CHUNK, INDEX):
            raise self._damage("a frame of a packed recording is damaged", place)
        return head

    def _content(self, place: int) -> bytes:
        """Return what a frame holds."""
        _, _, size, packed, stated, _ = self._head(place)
        data = self.read(place + FRAME.size, packed)
        if len(data) < packed:
            raise self._cut(place)
        if zlib.crc32(data) != stated:
            raise self._damage("a frame of a packed recording is damaged", place)
        try:
            content: bytes = self._engine.decompress(data, max_output_size=size)
        except self._errors as error:
            message = f"a frame of a packed recording is damaged ({error})"
            raise self._damage(message, place) from error
        if len(content) != size:
            raise self._damage("a frame of a packed recording has another size", place)
        return content

    def chunk(self, number: int, start: int, end: int) -> bytes:
        """Return a part of a chunk, which is unpacked if it was not lately."""
        found = self._cache.get(number)
        if found is None:
            found = self._unpacked(number)
            self._cache[number] = found
            if len(self._cache) * self.layout.chunk > CACHED:
                self._cache.popitem(last=False)
        else:
            self._cache.move_to_end(number)
        return found[start:end]

    def _unpacked(self, number: int) -> bytes:
        place, size = self._places[number], self.layout.chunk
        kind, stated, _, _, _, _ = self._head(place)
        content = self._content(place)
        if kind != CHUNK or stated != number or len(content) > size:
            raise self._damage("a frame of a packed recording has another chunk", place)
        return content.ljust(size, b"\0")

    def place(self, number: int) -> int:
        """Return where the frame of a chunk is."""
        return self._places[number]

    def damage(self, message: str, number: int, offset: int = 0) -> TraceError:
        """Return the error for a place in a chunk."""
        where = f"{message} in chunk {number}, at byte {offset} of it, whose frame is"
        return TraceError(where, self.name, offset=self.place(number))


def header_sum(header: bytes) -> int:
    """Return the checksum of all of a header but the checksum itself."""
    return zlib.crc32(header[SUM_PLACE + SUM.size :], zlib.crc32(header[:SUM_PLACE]))


def why_stopped(error: OSError) -> int:
    """Return the number of an error as a header states it."""
    return error.errno or errno.EIO
