"""A table of events as a trace: its events are the rows, its records the RST records of them."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator
from typing import BinaryIO, cast

import numpy as np

from inst.formats.rst.trace import RstTrace
from inst.formats.rst.write import RstWriter
from inst.formats.table import PARQUET
from inst.trace.model import Array, Flag, Kind, Trace
from inst.trace.registry import codec_of

Reader = Callable[[Trace, BinaryIO], Iterator[Array]]
"""Yields the rows of a file as events; what it knows of the trace goes to the trace."""


class TableTrace(RstTrace):
    """A table being read: by its events, or by the records that they are in RST."""

    def __init__(self, name: str, file: BinaryIO, reader: Reader) -> None:
        super().__init__(name, self._records())
        self._file = file
        self._rows = Rows(name, file, reader)
        self.facts, self.words, self.sites = self._rows.facts, self._rows.words, self._rows.sites

    def close(self) -> None:
        """Let go of the file, or of the copy of it."""
        super().close()
        self._file.close()

    def events(self) -> Iterator[Array]:
        """Yield the rows, with the ordinals that they state."""
        yield from self._rows.events()

    def _records(self) -> Iterator[bytes]:
        """Yield the rows as an RST trace, which states the facts once more."""
        self.facts, self.words, self.sites = RstTrace("", []).facts, self.words, self.sites
        yield from rst_records(self._rows)


def rst_records(rows: Trace) -> Iterator[bytes]:
    """Yield the events of a trace as the bytes of an RST trace."""
    output = _Pieces()
    writer = RstWriter(rows, output)
    for events in rows.events():
        writer.events(events)
        yield output.take()
    writer.finish()
    yield output.take()


class Rows(Trace):
    """The rows of a table.

    Ids that are not the ordinals of records are those that s-expressions state; so are those of
    producer and image records, which are events in that format only.
    """

    format = "rst"

    def __init__(self, name: str, file: BinaryIO, reader: Reader) -> None:
        super().__init__(name)
        self._file, self._reader = file, reader

    def batches(self) -> Iterator[Array]:
        return self.events()

    def records(self) -> Iterator[object]:
        return iter(())

    def events(self) -> Iterator[Array]:
        try:
            yield from self._stated(self._reader(self, self._file))
        finally:
            self._file.close()

    def _stated(self, batches: Iterator[Array]) -> Iterator[Array]:
        """Yield the batches, marked where their ids are those of s-expressions."""
        first = True
        for events in batches:
            if first and len(events):
                first = False
                own = np.isin(events["kind"], (Kind.PRODUCER, Kind.IMAGE)).any()
                if own or (events["id"] != events["record"]).any():
                    self.format = "sexp"
            if codec_of(self).states_ids:
                events["flags"] |= np.uint16(int(Flag.STATED))
            yield events


class _Pieces:
    """What was written since the last time."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def write(self, data: bytes, /) -> None:
        self._pieces.append(data)

    def take(self) -> bytes:
        data = b"".join(self._pieces)
        self._pieces.clear()
        return data


def open_file(name: str, file: BinaryIO) -> TableTrace:
    """Open a table in a file that can be read at any place."""
    file.seek(0)
    start = file.read(len(PARQUET))
    file.seek(0)
    return TableTrace(name, file, _reader(start))


def open_chunks(name: str, chunks: Iterable[bytes]) -> TableTrace:
    """Open a table that comes in pieces: a copy of it is in the temporary directory."""
    copy = cast(BinaryIO, tempfile.TemporaryFile())  # noqa: SIM115 - the trace closes it
    for chunk in chunks:
        copy.write(chunk)
    return open_file(name, copy)


def _reader(start: bytes) -> Reader:
    if start == PARQUET:
        from inst.formats.table.parquet import rows_of_parquet

        return rows_of_parquet
    from inst.formats.table.text import rows_of_csv

    return rows_of_csv
