"""Batches of filtered records turned into bytes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from inst.trace.batch import Batch
from inst.trace.model import Trace


class Written:
    """Writes records that are bytes side by side."""

    def __call__(self, batch: Batch) -> bytes:
        """Return the bytes of a batch."""
        return bytes(batch.records.tobytes())

    def end(self) -> bytes:
        """Return what ends the output."""
        return b""


class WrittenText(Written):
    """Writes records of text; one whose neighbour has gone begins on a line of its own."""

    def __init__(self) -> None:
        self._last: tuple[Trace, int] | None = None
        self._line_ended = True
        self._cut = False  # nothing of the end of the file came after the last record

    def __call__(self, batch: Any) -> bytes:
        """Return the text of a batch."""
        data: bytes = b"".join(self._texts(batch)) + batch.tail
        self._cut = len(batch) > 0 and not batch.tail
        if data:
            self._line_ended = data.endswith(b"\n")
        return data

    def end(self) -> bytes:
        """Return the end of the last line, when what ended it was left out."""
        return b"\n" if self._cut and not self._line_ended else b""

    def _texts(self, batch: Any) -> Iterator[bytes]:
        trace, ended = batch.source.trace, self._line_ended
        for record, text in self.own_texts(batch):
            follows = self._last == (trace, record.ordinal - 1)
            if not follows and (self._last is not None or record.ordinal):
                text = text.lstrip(b" \t\r\n")
                text = text if ended else b"\n" + text
            self._last = trace, record.ordinal
            ended = text.endswith(b"\n")
            yield text

    def own_texts(self, batch: Any) -> Iterator[tuple[Any, bytes]]:
        """Yield each record with its text."""
        for record in batch.records:
            yield record, record.text
