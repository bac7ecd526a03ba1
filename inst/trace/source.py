"""Where the bytes of a trace come from: files, pipes, compressed or not, as chunks.

Everything that can be decompressed before a damaged place is delivered before the error.
"""

from __future__ import annotations

import itertools
import lzma
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from inst.common.progress import Progress, opened
from inst.errors import InstError, Location
from inst.trace import registry
from inst.trace.model import TraceError

if TYPE_CHECKING:
    from inst.trace.format import Format

CHUNK = 24 << 17
"""3 MiB, and whole RST records: more of them at a time cost more memory and no less time."""

MAGIC = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd", b"\xfd7zXZ\x00": "xz"}

BLANK = b" \t\r\n"
START = 16
"""Bytes that are needed to distinguish the formats."""


def open_chunks(
    source: str | Path | BinaryIO, name: str = "", progress: Progress = Progress.NONE
) -> tuple[str, Iterator[bytes]]:
    """Return the trace's name and its decompressed bytes, chunk by chunk."""
    if isinstance(source, (str, Path)):
        if str(source) == "-":
            name, stream = name or "<stdin>", sys.stdin.buffer
        else:
            name, stream = name or str(source), _open_file(Path(source), progress)
    else:
        stream = source
        name = name or str(getattr(source, "name", "<stream>"))
    own = stream is not source and stream is not sys.stdin.buffer
    return name, _unpack(name, _read(name, stream, own))


def plain_file(source: str | Path | BinaryIO, codec: Format, progress: Progress) -> BinaryIO | None:
    """Return a source opened as a file that can be read at any place, if it is one as it stands."""
    path = Path(source) if isinstance(source, (str, Path)) else None
    if path is None or str(path) == "-" or not path.is_file():
        return None
    file = _open_file(path, progress)
    if codec.recognises(file.read(START), b""):
        return file
    file.close()
    return None


def _open_file(path: Path, progress: Progress) -> BinaryIO:
    try:
        return opened(path, progress)
    except OSError as error:
        raise InstError(
            f"cannot open the trace: {error.strerror}", location=Location(str(path))
        ) from error


def _read(name: str, stream: BinaryIO, own: bool) -> Iterator[bytes]:
    try:
        yield from _read_all(name, stream)
    finally:
        if own:
            stream.close()


def _read_all(name: str, stream: BinaryIO) -> Iterator[bytes]:
    while True:
        try:
            chunk = stream.read(CHUNK)
        except OSError as error:
            raise InstError(
                f"cannot read the trace: {error.strerror}", location=Location(name)
            ) from error
        if not chunk:
            return
        yield chunk


def _unpack(name: str, chunks: Iterator[bytes]) -> Iterator[bytes]:
    start = b""
    for chunk in chunks:
        start += chunk
        if len(start) >= 6:
            break
    for magic, packing in MAGIC.items():
        if start.startswith(magic):
            return _gather(_decompress(name, packing, itertools.chain([start], chunks)))
    return _joined(start, chunks)


def _joined(start: bytes, chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Yield what was read already and the rest; closed, it lets go of the file."""
    try:
        if start:
            yield start
        yield from chunks
    finally:
        getattr(chunks, "close", bool)()


def _decompressor(packing: str) -> Any:
    if packing == "gzip":
        return zlib.decompressobj(wbits=31)
    if packing == "xz":
        return lzma.LZMADecompressor()
    import zstandard

    return zstandard.ZstdDecompressor().decompressobj()


def _decompress(name: str, packing: str, chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Decompress member after member; what is whole comes out before an error.

    Small slices go in, so that a high ratio cannot fill memory and damage loses little.
    """
    engine, offset, started, step = _decompressor(packing), 0, False, 1024
    for chunk in chunks:
        for start in range(0, len(chunk), step):
            data = chunk[start : start + step]
            while data:
                if engine.eof:
                    if not data.strip(b"\0"):
                        break  # padding after the last member
                    engine = _decompressor(packing)
                started = True
                try:
                    piece = engine.decompress(data)
                except Exception as error:  # zlib, lzma and zstandard have a class each
                    message = f"damaged {packing} data ({error})"
                    raise TraceError(message, name, offset=offset + start) from error
                if piece:
                    yield piece
                data = engine.unused_data if engine.eof else b""
        offset += len(chunk)
    if started and not engine.eof:
        raise TraceError(f"the {packing} data is cut short", name, offset=offset)


def _gather(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Put small pieces together and cut big ones, without keeping any back at an error."""
    waiting: list[bytes] = []
    size = 0
    try:
        for piece in pieces:
            waiting.append(piece)
            size += len(piece)
            if size >= CHUNK:
                whole = b"".join(waiting)
                for start in range(0, size - CHUNK + 1, CHUNK):
                    yield whole[start : start + CHUNK]
                waiting = [whole[size - size % CHUNK :]]
                size %= CHUNK
    except InstError:
        yield b"".join(waiting)
        raise
    if size:
        yield b"".join(waiting)


def recognise(name: str, chunks: Iterator[bytes]) -> tuple[Format, bool, Iterator[bytes]]:
    """Return the format, whether there is any byte, and the chunks from the first one on."""
    seen: list[bytes] = []
    first = b""
    failure: InstError | None = None
    try:
        for chunk in chunks:
            seen.append(chunk)
            first = (first + chunk).lstrip(BLANK)
            if first and sum(map(len, seen)) >= START:
                break
    except InstError as error:
        failure = error
    if failure and not first:
        raise failure
    whole = itertools.chain(seen, _failing(failure) if failure else chunks)
    start = b"".join(seen)
    return _surest(name, start, first), bool(start), whole


def _failing(error: InstError) -> Iterator[bytes]:
    raise error
    yield b""


def _surest(name: str, start: bytes, first: bytes) -> Format:
    how_sure, found = max(
        ((each.recognises(start, first), each) for each in registry.readable()),
        key=lambda pair: pair[0],
    )
    if how_sure:
        return found
    *most, last = (f"{each.title} ({each.begins})" for each in registry.readable())
    shown = " ".join(f"{byte:02x}" for byte in start[:8])
    raise TraceError(
        f"not a trace: it begins with the bytes {shown}",
        name,
        hint=f"traces are {', '.join(most)} or {last}, plain or compressed with gzip, zstd or xz",
    )
