"""A trace compressed while a program writes it: each chunk by itself, once no process maps it.

A chunk that is finished is compressed into a file without a name. Once many are, holes take the
place of the first ones in the trace, so that the disk holds a long trace compressed; a hole in what
was written just now would wait for the disk, and the program with it. At the end the pieces are put
together in the order of the trace. Beyond 4 GB a program can write a chunk again that it does not
map (`inst_copy_out` in runtime/descriptor.c): what the trace then holds is compressed once more.
"""

from __future__ import annotations

import ctypes
import os
import tempfile
from array import array
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

CHUNK = 3 * 65536
"""Bytes that the run-time library maps at once: CHUNK in runtime/process.h."""
KEPT = 4096
"""Finished chunks that remain in the trace: 768 MiB."""
_FAR = 1 << 32
_FILLED = 24
"""The last bytes of a chunk, which are zero until it is filled: a record of RST."""
_HOLE = 3
"""Modes of fallocate(2): FALLOC_FL_PUNCH_HOLE and, with it, FALLOC_FL_KEEP_SIZE."""


class GrowingFile:
    """One trace and the compressed pieces of it. Raises OSError where files do."""

    def __init__(self, path: Path, compress: Callable[[bytes], bytes]) -> None:
        self._compress = compress
        self._pieces: BinaryIO | None = None
        self._starts, self._sizes = array("Q"), array("I")
        self._kept: deque[int] = deque()
        self._waiting: set[int] = set()
        self._free: set[int] = set()
        self._known = 1  # the text in the first chunk changes until the end
        self._fails = False
        self.has_holes = False  # some of the trace is only among the pieces
        self._file = os.open(path, os.O_RDWR | os.O_CLOEXEC)

    def close(self) -> None:
        """Close the trace; the pieces are gone then."""
        os.close(self._file)
        if self._pieces:
            self._pieces.close()

    @property
    def size(self) -> int:
        """Bytes of the trace."""
        return os.fstat(self._file).st_size

    def take(self, size: int, mapped: set[int]) -> None:
        """Compress chunks that were not mapped at this call and the one before.

        `size` is that of the trace before `mapped` was read: of the chunks in it, the last may be
        reserved and not mapped yet, all others have been mapped.
        """
        if self._fails:
            return
        last = size // CHUNK - 1
        if last > self._known:
            self._waiting.update(range(self._known, last))
            self._known = last
        free = self._waiting - mapped
        try:
            for number in sorted(free & self._free):
                self._take(number)
        except OSError:  # what was not taken away is compressed at the end
            self._fails = True
        self._free = free & self._waiting

    def _take(self, number: int) -> None:
        data = os.pread(self._file, CHUNK, number * CHUNK)
        if not any(data[-_FILLED:]):
            return
        self._add(number, self._compress(data))
        self._waiting.discard(number)
        self._kept.append(number)
        if len(self._kept) > KEPT:
            _make_hole(self._file, self._kept[0] * CHUNK, CHUNK)
            self._kept.popleft()
            self.has_holes = True

    def _add(self, number: int, piece: bytes) -> None:
        if self._pieces is None:
            # No reader needs its name, and it cannot remain.
            folder = os.path.dirname(os.readlink(f"/proc/self/fd/{self._file}"))
            self._pieces = tempfile.TemporaryFile(dir=folder, buffering=0)  # noqa: SIM115
        start = self._pieces.seek(0, os.SEEK_END)
        _write_all(self._pieces.fileno(), piece)
        missing = number + 1 - len(self._sizes)
        if missing > 0:
            self._starts.extend([0] * missing)
            self._sizes.extend([0] * missing)
        self._starts[number], self._sizes[number] = start, len(piece)

    def write_to(self, output: BinaryIO) -> None:
        """Write the compressed trace."""
        for number in range(max(-(-self.size // CHUNK), 1)):
            piece = self._piece(number)
            if not piece:
                piece = self._compress(os.pread(self._file, CHUNK, number * CHUNK))
            output.write(piece)

    def _piece(self, number: int) -> bytes:
        """Return the piece of a chunk, if there is one and it is that of the last content."""
        if number >= len(self._sizes) or not self._sizes[number]:
            return b""
        if number * CHUNK >= _FAR and self._is_written(number):
            return b""
        assert self._pieces
        return os.pread(self._pieces.fileno(), self._sizes[number], self._starts[number])

    def _is_written(self, number: int) -> bool:
        """Return whether a chunk has content. Not all file systems know exactly where data are."""
        start = number * CHUNK
        try:
            if os.lseek(self._file, start, os.SEEK_DATA) >= start + CHUNK:
                return False
        except OSError:  # ENXIO: a hole up to the end
            return False
        return any(os.pread(self._file, CHUNK, start))


def _write_all(descriptor: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(descriptor, left) :]


def _make_hole(descriptor: int, start: int, size: int) -> None:
    """Free the space of a part of a file, which then reads as zeros; raise OSError."""
    library = ctypes.CDLL(None, use_errno=True)
    fallocate = getattr(library, "fallocate64", None) or library.fallocate  # musl has one
    if fallocate(descriptor, _HOLE, ctypes.c_int64(start), ctypes.c_int64(size)):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
