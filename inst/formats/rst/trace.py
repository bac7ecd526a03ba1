"""RST traces: 24-byte records read in numpy batches and written back unchanged.

`RstTrace.batches()` yields `RstBatch`: a view of the file's bytes as an array of `RECORD`
and the field columns by name. `decode` and `encode` do one record at a time. A record is
never rebuilt from its fields on copying, so unknown types and stale bytes survive.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

import numpy as np

from inst.arch.registry import produced_by, unknown
from inst.formats.rst import events as rst_events
from inst.formats.rst.codes import (
    END_OF_FILE,
    EVENT_SIZE,
    HEADER,
    MEMVAL,
    STATUS,
    STRCONT,
    STRDESC,
)
from inst.formats.rst.heading import header_problems, no_header
from inst.formats.rst.record import RECORD, RstBatch, RstRecord, decode, string_piece
from inst.formats.rst.rstzip import unpacked
from inst.formats.rst.table import CURRENT, SIZE
from inst.trace.ending import break_off, settle
from inst.trace.model import Array, Image, Trace, TraceError
from inst.trace.resume import Mark

NOTABLE = (0, HEADER, STRDESC, STRCONT, STATUS)
"""Record types that describe the trace itself."""
STRING_LIMIT = 1 << 16


class _Gap:
    """Space that a killed program's threads reserved and did not write.

    It reaches to the end of the file, or to the next record with a type: the CPU record that
    begins another thread's chunk, or what the thread did in a handler that interrupted the
    writing. Its first records may be an event that was being written: a record's first word is
    written last, so it has type 0 and anything after, and values or a size may follow it.
    """

    TORN = 17
    """Records an unfinished event may have: dcbz has an INSTR and 16 values."""
    LONGEST_START = 1 << 16
    """Records of zeros that are read at the start of a file, which may have no end."""

    def __init__(self) -> None:
        self.open = self.seen = False
        self.start = 0
        self._length = 0

    def begin(self, trace: RstTrace) -> None:
        self.open, self.start, self._length = True, trace.count, 0
        self.seen = True

    def skip(self, records: Array, trace: RstTrace) -> int:
        """Return how many of the records belong to the gap; close it if it ends there."""
        codes = records["rtype"]
        torn = np.arange(self._length, self._length + len(records)) < self.TORN
        others = np.flatnonzero((codes != 0) & ~(np.isin(codes, (MEMVAL, EVENT_SIZE)) & torn))
        end = int(others[0]) if len(others) else len(records)
        self._length += end
        if self.start == 0 and self._length > self.LONGEST_START:
            raise TraceError(
                f"not a trace: its first {self._length * SIZE} bytes are zero", trace.name
            )
        if len(others):
            self.open = False
            break_off(trace, f"records {self.start} to {self.start + self._length - 1}")
        return end


class RstTrace(Trace):
    """An RST trace being read."""

    format = "rst"

    def __init__(self, name: str, chunks: Iterable[bytes]) -> None:
        super().__init__(name)
        self._chunks = unpacked(name, chunks)
        self.notes_headers = True
        """Whether notes report what is wrong with headers: a check may do it instead."""
        self.version = CURRENT
        """major * 1000 + minor, from the last HEADER read."""
        self.count = 0
        """Records delivered or passed over so far: the ordinal of the next one."""
        self.threads = rst_events.Threads()
        """Which thread is on each cpu where rows of text have been made."""
        self._string = b""
        self._failure: TraceError | None = None
        self._gap = _Gap()
        self._ended = False

    def batches(self) -> Iterator[RstBatch]:
        """Yield the records; each batch has one version and at most about 1 MiB."""
        return self._observed(self._read())

    def batches_of(self, records: Array) -> Iterator[RstBatch]:
        """Yield records that have been made as those that are read."""
        return self._records_of(records)

    @property
    def is_plain(self) -> bool:
        """Return whether records that come next are read as they are."""
        return self.count > 0 and not self._gap.open

    def _read(self) -> Iterator[RstBatch]:
        rest = b""
        for chunk in self._chunks:
            data = rest + chunk if rest else chunk
            whole = len(data) - len(data) % SIZE
            rest = data[whole:]
            yield from self._records_of(np.frombuffer(data, RECORD, whole // SIZE))
        self._end(rest)

    def _end(self, rest: bytes = b"") -> None:
        """Settle whether all is there; `rest` are the bytes after the last record."""
        if rest and not (self._gap.open and not rest.strip(b"\0")):
            raise TraceError(
                f"the trace is cut short: {len(rest)} of {SIZE} bytes of record {self.count}",
                self.name,
                offset=self.count * SIZE,
            )
        if self._gap.open and self._gap.start == 0:
            raise TraceError(f"not a trace: its {self.count * SIZE} bytes are zero", self.name)
        gap = f"trace ends at record {self._gap.start} (unwritten space follows)"
        settle(self, ended=self._ended, gap=gap if self._gap.open else "")

    def _records_of(self, records: Array) -> Iterator[RstBatch]:
        """Yield the records around the space that a killed program left unwritten."""
        while len(records):
            if self._gap.open:
                skipped = self._gap.skip(records, self)
                self.count += skipped
                records = records[skipped:]
                continue
            codes = records["rtype"].tobytes()
            if not any(code in codes for code in NOTABLE):  # nearly all batches
                yield self._counted(RstBatch(self.count, records, self.version))
                return
            bad = np.flatnonzero(records["rtype"] == 0)
            end = int(bad[0]) if len(bad) else len(records)
            yield from self._of_one_version(records[:end])
            if len(bad):
                self._gap.begin(self)
            records = records[end:]

    def _of_one_version(self, records: Array) -> Iterator[RstBatch]:
        starts = [0, *np.flatnonzero(records["rtype"] == HEADER).tolist(), len(records)]
        for start, end in itertools.pairwise(starts):
            if start < end:
                yield self._counted(self._batch(records[start:end]))
                if self._failure:
                    raise self._failure

    def _counted(self, batch: RstBatch) -> RstBatch:
        """Count a batch's records; note if the trace begins without a header."""
        if self.count == 0 and batch.raw["rtype"][0] != HEADER and self.notes_headers:
            problem = no_header(next(batch.records()))
            self.note(f"{problem}: its records are read as those of version 2.13")
        self.count += len(batch)
        return batch

    def _batch(self, records: Array) -> RstBatch:
        if records[0]["rtype"] == HEADER:
            fields = decode(records[:1].tobytes())
            self.version = int(fields["majorVer"]) * 1000 + int(fields["minorVer"])
            self.facts.version = f"{fields['majorVer']}.{fields['minorVer']}"
            for _, message in header_problems(fields) if self.notes_headers else ():
                self.note(f"record {self.count}: {message}")
        for row in np.flatnonzero((records["rtype"] == STRDESC) | (records["rtype"] == STRCONT)):
            text = self._take_string(records[row : row + 1].tobytes())
            if text.startswith("arch=") and self.facts.arch and not produced_by(self.facts.arch):
                self._failure = self._unknown(self.count + int(row))
                records = records[:row]
                break
        ends = (records["rtype"] == STATUS) & (records["flags"] == END_OF_FILE)
        self._ended = self._ended or bool(ends.any())
        return RstBatch(self.count, records, self.version)

    def _unknown(self, record: int) -> TraceError:
        """Return the error for a word that means no instruction set, which is forgotten."""
        found = unknown(self.facts.arch)
        self.facts.arch = ""
        return TraceError(
            f"{found.message} in record {record}", self.name, offset=record * SIZE, hint=found.hint
        )

    def _take_string(self, raw: bytes) -> str:
        """Return the string that the record ends; empty when more of it follows."""
        if len(self._string) < STRING_LIMIT:
            self._string += string_piece(raw)
        if raw[0] == STRCONT:
            return ""
        text, self._string = self._string.decode("utf-8", "backslashreplace"), b""
        take_fact(self, text)
        return text

    def mark(self) -> Mark | None:
        """Return where reading is; strings and unwritten space are not divided."""
        if self._string or self._gap.open:
            return None
        state = (self.version, self.threads.state())
        return Mark(self.count * SIZE, self.count, self.facts.arch, state)

    def resume(self, mark: Mark, chunks: Iterable[bytes]) -> None:
        """Read on from a mark."""
        super().resume(mark, chunks)
        self.count = mark.record
        self.version, threads = mark.state
        self.threads.resume(threads)

    def records(self) -> Iterator[RstRecord]:
        for batch in self.batches():
            yield from batch.records()

    def events(self) -> Iterator[Array]:
        return rst_events.events(self.batches(), self)


def take_fact(trace: Trace, text: str) -> None:
    """Remember a producer's string: architecture, image, or any other words."""
    trace.facts.add_string(text)
    if text.startswith("arch="):
        trace.facts.arch = text[5:].strip()
    elif text.startswith("image="):
        path, _, base = text[6:].rpartition(" base=")
        try:
            trace.facts.add_image(Image(path, int(base, 16)))
        except ValueError:
            trace.note(f"an image string that cannot be read: {text!r}")


def copy(trace: RstTrace, output: BinaryIO) -> int:
    """Write every record of the trace as it is; return how many."""
    for batch in trace.batches():
        output.write(batch.tobytes())
    return trace.count


def write(records: Iterable[RstRecord | bytes], output: Any) -> int:
    """Write records (or their bytes) one after the other; return how many."""
    count = 0
    for record in records:
        output.write(record if isinstance(record, bytes) else record.raw)
        count += 1
    return count
