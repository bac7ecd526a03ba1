"""How much of a file has been read, shown on a terminal while that takes long."""

from __future__ import annotations

import enum
import os
import stat
import sys
import time
from pathlib import Path
from typing import BinaryIO, cast

_INTERVAL = 0.25
"""Seconds between two displays."""


class Meter:
    """A file that shows on standard error how much of it was read, four times a second."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file = file
        self._size = size
        self._read = 0
        self._shown = time.monotonic()
        self._is_shown = False
        self.name = str(getattr(file, "name", ""))

    def read(self, count: int = -1) -> bytes:
        """Return the next bytes, as a file does."""
        data = self._file.read(count)
        self._read += len(data)
        if not data:
            self._clear()
        elif time.monotonic() - self._shown >= _INTERVAL:
            self._show()
        return data

    def seek(self, offset: int, whence: int = 0) -> int:
        """Go to a place, as in a file."""
        return self._file.seek(offset, whence)

    def close(self) -> None:
        """Close the file and clear the line."""
        self._file.close()
        self._clear()

    def _show(self) -> None:
        self._shown, self._is_shown = time.monotonic(), True
        share = min(100 * self._read // max(self._size, 1), 100)
        name = os.path.basename(self.name)
        text = f"{name}: {share:3} % of {self._size >> 20} MiB read"
        sys.stderr.write(f"\033[K{text}\r")  # so that a message replaces it
        sys.stderr.flush()

    def _clear(self) -> None:
        if self._is_shown:
            sys.stderr.write("\033[K")
            sys.stderr.flush()
            self._is_shown = False


class Progress(enum.Enum):
    """Whether a command may show progress."""

    NONE = enum.auto()
    READS = enum.auto()
    """It prints when all has been read."""
    PRINTS = enum.auto()
    """It prints while it reads: progress would stand among that, on a terminal or in a pager."""


def opened(path: Path, progress: Progress) -> BinaryIO:
    """Open a file for reading, with progress if that is wanted and standard error a terminal."""
    file = cast(BinaryIO, path.open("rb", buffering=0))
    status = os.fstat(file.fileno())
    if not stat.S_ISREG(status.st_mode) or not _is_visible(progress):
        return file
    return cast(BinaryIO, Meter(file, status.st_size))


def _is_visible(progress: Progress) -> bool:
    if progress is Progress.NONE or sys.stderr is None or not sys.stderr.isatty():
        return False
    return progress is Progress.READS or _is_redirected()


def _is_redirected() -> bool:
    """Return whether standard output goes to a file."""
    try:
        return stat.S_ISREG(os.fstat(sys.stdout.fileno()).st_mode)
    except (AttributeError, OSError, ValueError):
        return False
