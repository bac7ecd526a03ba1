"""The bytes of a compressed trace, taken in pieces of any size."""

from __future__ import annotations

from collections.abc import Iterator

from inst.errors import InstError
from inst.trace.model import TraceError


class Unreadable(Exception):
    """A piece of a file is no output of rstzip, from some place on."""


class Bytes:
    """Reads chunks as one file, and counts where it is."""

    def __init__(self, name: str, chunks: Iterator[bytes]) -> None:
        self.name = name
        self.offset = 0
        """Bytes taken so far."""
        self._chunks = chunks
        self._held = b""

    def take(self, size: int, what: str, *, or_nothing: bool = False) -> bytes:
        """Return the next bytes; at the end of the file none, if that is allowed.

        A file that ends within them is a `TraceError`; damage of the packing around it is raised
        as it is.
        """
        parts, missing = [self._held], size - len(self._held)
        while missing > 0:
            chunk = next(self._chunks, None)
            if chunk is None:
                break
            parts.append(chunk)
            missing -= len(chunk)
        data = b"".join(parts)
        if len(data) < size and not (or_nothing and not data):
            raise self.error(f"the trace is cut short: {len(data)} of {size} bytes of {what}")
        self._held = data[size:]
        self.offset += min(size, len(data))
        return data[:size]

    def error(self, message: str, *, offset: int | None = None, hint: str = "") -> InstError:
        """Return damage at a place, by default the next byte."""
        place = self.offset if offset is None else offset
        return TraceError(f"rstzip: {message}", self.name, offset=place, hint=hint)
