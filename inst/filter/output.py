"""Where filtered records go: files that appear whole or not at all, compressed by their name."""

from __future__ import annotations

import codecs
import contextlib
import gzip
import lzma
import os
import shutil
import sys
from pathlib import Path
from typing import Any, BinaryIO, cast

from inst.common.wholefile import create_beside, is_direct, put_in_place
from inst.errors import InstError, Location
from inst.shown import shown_lines
from inst.trace.registry import offering

PACKINGS = {".gz": "gzip", ".zst": "zstd", ".xz": "xz", ".rz3": "rstzip"}
RSTZIP = ".rz3"
"""The ending of RST compressed by rstzip, which gzip compresses further unless another does."""


class Terminal:
    """Standard output that is a terminal: a trace is shown there, and must not command it."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("backslashreplace")

    def write(self, data: bytes) -> None:
        sys.stdout.write(shown_lines(self._decoder.decode(data)))

    def flush(self) -> None:
        sys.stdout.flush()


class Output:
    """One output being written; a file gets its name when it is complete.

    One of `many` is compressed when it is whole: a compressor takes up to 100 MB of memory.
    """

    def __init__(self, path: str, *, many: bool = False) -> None:
        self.path = path
        self._many = many
        self._temporary: str | None = None
        self._raw: BinaryIO | None = None
        self._stream: Any = None
        """What is written to; None: nothing has been written, and it may have to be compressed."""
        if path == "-":
            self._stream = Terminal() if sys.stdout.isatty() else sys.stdout.buffer
            return
        target = Path(path)
        if is_direct(target):
            self._raw = self._open_device(target)
            return
        try:
            handle, self._temporary = create_beside(target)
        except OSError as error:
            raise self._error(error) from error
        self._raw = os.fdopen(handle, "wb")
        self._stream = self._raw if many else None

    def require(self, form: str) -> None:
        """Refuse to compress what rstzip cannot: it takes RST records and no others."""
        if RSTZIP in Path(self.path).suffixes[-2:] and form not in offering("rstzip"):
            raise InstError(
                f"rstzip compresses RST, and this is {form}",
                location=Location(self.path),
                hint="another ending than .rz3, or `inst convert` to it",
            )

    @property
    def direct(self) -> bool:
        """Whether it is a pipe or a device, which is written in place and never replaced."""
        return self._temporary is None

    def _open_device(self, target: Path) -> BinaryIO:
        try:
            return target.open("wb", buffering=0)
        except OSError as error:
            raise self._error(error) from error

    def _error(self, error: OSError) -> InstError:
        return InstError(f"cannot write: {error.strerror}", location=Location(self.path))

    def append(self, data: bytes) -> None:
        """Write bytes of a `Part`; nothing else is written to the same output."""
        if self._stream is None:
            self._stream = self._raw
        self.write(data)

    def write(self, data: bytes) -> None:
        try:
            self._opened().write(data)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise self._error(error) from error

    def _opened(self) -> Any:
        if self._stream is None:
            self._stream = _packed(cast(BinaryIO, self._raw), Path(self.path))
        return self._stream

    def keep(self) -> None:
        """Finish the file and give it its name."""
        self._opened()
        if self._temporary is None:
            self._finish_device()
            return
        try:
            if self._stream is not self._raw:
                self._stream.close()
            cast(BinaryIO, self._raw).close()
            if self._many and Path(self.path).suffix in PACKINGS:
                self._pack()
            put_in_place(self._temporary, Path(self.path))
        except OSError as error:
            raise self._error(error) from error
        self._temporary = None

    def _pack(self) -> None:
        """Put the compressed file in the place of the plain one."""
        assert self._temporary is not None
        plain, target = self._temporary, Path(self.path)
        handle, self._temporary = create_beside(target)
        try:
            with open(plain, "rb") as source, os.fdopen(handle, "wb") as self._raw:
                stream = _packed(self._raw, target)
                shutil.copyfileobj(source, stream)
                stream.close()
        finally:
            os.unlink(plain)

    def _finish_device(self) -> None:
        try:
            if self._raw is not None and self._stream is not self._raw:
                self._stream.close()
            else:
                self._stream.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            raise self._error(error) from error

    def discard(self) -> None:
        """Leave no trace of a file that was not finished."""
        if self._temporary is not None:
            with contextlib.suppress(OSError):
                cast(BinaryIO, self._raw).close()
            with contextlib.suppress(OSError):
                os.unlink(self._temporary)
            self._temporary = None
        elif self._raw is not None:
            with contextlib.suppress(OSError):
                self._raw.close()


class Part:
    """A part of what a file consists of, compressed by itself; the others follow in the file.

    It is a member (gzip: RFC 1952, 2.2), a frame (zstd: RFC 8878, 3) or a stream (xz's format, 2).
    """

    def __init__(self, raw: BinaryIO, path: str) -> None:
        """Begin a part, which goes to `raw`, of the file of that name."""
        self._raw = raw
        self._stream = _packed(raw, Path(path))

    def write(self, data: bytes) -> None:
        self._stream.write(data)

    def finish(self) -> None:
        """Write what is left."""
        if self._stream is not self._raw:
            self._stream.close()


def _packed(raw: BinaryIO, target: Path) -> Any:
    """Return the stream to write to, for a file of that name."""
    if RSTZIP not in target.suffixes[-2:]:
        return _compressed(raw, target.suffix)
    from inst.formats.rst.rstzip.stream import Compressor

    return Compressor(_compressed(raw, target.suffix), own=target.suffix in PACKINGS)


def _compressed(raw: BinaryIO, suffix: str) -> Any:
    packing = PACKINGS.get(suffix)
    if packing in ("gzip", "rstzip"):  # no name and no time: the same records give the same bytes
        return gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=raw, mtime=0)
    if packing == "xz":
        return lzma.LZMAFile(raw, "wb", preset=6)
    if packing == "zstd":
        import zstandard

        return zstandard.ZstdCompressor(level=3).stream_writer(raw, closefd=False)
    return raw
