"""The bytes of a trace's records, to be read again at any place."""

from __future__ import annotations

import bisect
import os
import stat
import tempfile
from pathlib import Path
from typing import Protocol

import zstandard

LEVEL = 1
"""Of zstd: the fastest that still makes a trace several times smaller."""


class Store(Protocol):
    """Bytes that came piece after piece."""

    size: int
    """How many there are."""

    def add(self, piece: bytes) -> None:
        """Take the next bytes."""

    def read(self, start: int, end: int) -> bytes:
        """Return bytes that were added; several threads may read while one adds."""

    def close(self) -> None:
        """Let go of the files."""


class PlainFile:
    """The file itself, which holds the records as they are."""

    def __init__(self, file: int) -> None:
        self._file, self.size = file, 0

    def add(self, piece: bytes) -> None:
        """Count bytes that the file holds next."""
        self.size += len(piece)

    def read(self, start: int, end: int) -> bytes:
        """Return bytes of the file; fewer where it was cut since. Raises OSError."""
        return os.pread(self._file, end - start, start)

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)


class Spool:
    """A temporary file without a name: a zstd frame for each piece."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - close() does it
        self._packer = zstandard.ZstdCompressor(level=LEVEL)
        self._starts: list[int] = []
        self._places: list[int] = [0]
        """Where each frame begins in the file, and where the last one ends."""
        self.size = 0

    def add(self, piece: bytes) -> None:
        """Write the next bytes. Raises OSError when the disk is full."""
        frame = self._packer.compress(piece)
        left = memoryview(frame)
        while left:
            left = left[
                os.pwrite(self._file.fileno(), left, self._places[-1] + len(frame) - len(left)) :
            ]
        self._places.append(self._places[-1] + len(frame))
        self._starts.append(self.size)
        self.size += len(piece)

    def read(self, start: int, end: int) -> bytes:
        """Return bytes, from the frames that hold them."""
        first = bisect.bisect_right(self._starts, start) - 1
        last = bisect.bisect_left(self._starts, end)
        data = b"".join(map(self._frame, range(first, last)))
        begin = self._starts[first]
        return data[start - begin : end - begin]

    def _frame(self, number: int) -> bytes:
        start, end = self._places[number : number + 2]
        packed = os.pread(self._file.fileno(), end - start, start)
        return zstandard.ZstdDecompressor().decompress(packed)

    def close(self) -> None:
        """Let the file go."""
        self._file.close()


def store_of(path: Path, first: bytes) -> Store:
    """Return where to read the records of a file again that begin with these bytes.

    That is the file, unless it is compressed, a pipe, or of a format that is read as another.
    """
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return Spool()
    regular = stat.S_ISREG(os.fstat(file).st_mode)
    if regular and os.pread(file, len(first), 0) == first:
        return PlainFile(file)
    os.close(file)
    return Spool()
