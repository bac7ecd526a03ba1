"""Damage in traces that are text: where it is, and its limits to space and records."""

from __future__ import annotations

from inst.trace.model import TraceError

RECORD_LIMIT = 1 << 20
"""Bytes a record may have: a missing end, or a file of another kind, must not fill memory."""
GAP_LEAST = 16
"""Zero bytes in a row that are space no one wrote: an event has more room than it takes. Fewer are
damage."""
PIECE_LIMIT = 1024
"""Bytes in a row that a record which was being written there may have without a zero."""
SHOWN = 240
"""Bytes a line may have to be shown with its error."""


class Mistake(Exception):
    """What is wrong at a position of the buffer; the trace turns it into a TraceError."""

    def __init__(self, position: int, message: str) -> None:
        super().__init__(message)
        self.position = position
        self.message = message


class Unfinished(Exception):
    """The buffer ends before it is certain that the record does."""


def error_at(
    name: str, buffer: bytes, place: int, message: str, *, begin: int, line: int, before: int = 0
) -> TraceError:
    """Return the error at a place in a buffer, with its line and column.

    `line` is the number of the line that `begin` is in; `before` is how many bytes of the
    buffer's first line stood before it.
    """
    newline = buffer.rfind(b"\n", 0, place)
    column = place - newline if newline >= 0 else before + place + 1
    end = buffer.find(b"\n", place)
    source = buffer[newline + 1 : end if end >= 0 else len(buffer)]
    known = len(source) <= SHOWN and (newline >= 0 or before == 0)
    text = source.decode("utf-8", "replace").replace("\0", ".").rstrip("\r") if known else ""
    line += buffer.count(b"\n", begin, place)
    return TraceError(message, name, line=line, column=column, source=text)
