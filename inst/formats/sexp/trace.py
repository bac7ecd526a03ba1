"""S-expression traces: columns for regular lines, the general reader for the rest.

`SexpTrace.batches()` yields `SexpBatch`, lists of records. Every record stores its bytes, so
that a copy is the file it came from.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from typing import BinaryIO

import numpy as np

from inst.formats.sexp import events as sexp_events
from inst.formats.sexp.fast import (
    BATCH,
    BLANK,
    Place,
    Regular,
    SexpBatch,
    fast_records,
    general_record,
    line_end,
)
from inst.formats.sexp.gap import Gap
from inst.formats.sexp.layouts import Layouts, read_lines
from inst.formats.sexp.lines import LEAST, Lines
from inst.formats.sexp.record import SexpRecord
from inst.trace.ending import break_off, settle
from inst.trace.model import Array, Image, Trace, TraceError
from inst.trace.resume import Mark
from inst.trace.text_damage import RECORD_LIMIT, Mistake, Unfinished, error_at

LINES = 1 << 15
"""Regular lines delivered at a time: as many as a chunk has, since each batch costs something."""


class SexpTrace(Trace):
    """An s-expression trace being read."""

    format = "sexp"

    def __init__(self, name: str, chunks: Iterable[bytes]) -> None:
        super().__init__(name)
        self._chunks = iter(chunks)
        self.count = 0
        """Records delivered so far."""
        self.verdict = ""
        """The `!` line the producer ended its trace with."""
        self._ended = False
        self._layouts = Layouts()
        self._gap = Gap()
        self._zeros = ""  # where the trace ends in unwritten space
        self._wanted = 0  # bytes to have before an incomplete record is retried
        self._line = 1  # where the next record's search begins
        self._before = 0  # bytes of that line that stood before the buffer
        self._offset = 0  # bytes before the buffer
        self._looks_ahead = (
            False  # for the end of zeros, after records that are still to be yielded
        )

    def batches(self) -> Iterator[SexpBatch]:
        """Yield the records: at most BATCH that are single, or LINES that are regular."""
        return self._observed(self._read())

    def _read(self) -> Iterator[SexpBatch]:
        buffer = b""
        for chunk in self._chunks:
            buffer += chunk
            if len(buffer) < self._wanted:
                continue
            self._wanted = 0
            position = yield from self._whole_records(buffer, final=False)
            buffer = self._advance(buffer, position)
            if self._ended:
                break
        else:
            position = yield from self._whole_records(buffer, final=True)
            buffer = buffer[position:]
        if self._gap.length and not self._ended:
            self._gap.end()
            self._end_in_zeros("")
        if not self.verdict:
            settle(self, gap=self._zeros)
        if self.verdict or not self._ended:
            yield SexpBatch([], buffer)
        yield from (SexpBatch([], chunk) for chunk in self._chunks)

    def _advance(self, buffer: bytes, position: int) -> bytes:
        """Drop what was read and update the position of the rest."""
        newline = buffer.rfind(b"\n", 0, position)
        self._offset += position
        self._before = position - newline - 1 if newline >= 0 else self._before + position
        return buffer[position:]

    def _whole_records(self, buffer: bytes, *, final: bool) -> Generator[SexpBatch, None, int]:
        """Yield what is complete in the buffer; return where the rest begins."""
        position = 0
        lines = read_lines(buffer, line_end(buffer, 0), self._layouts)
        records: list[SexpRecord] = []
        while True:
            first, last = self._regular(buffer, position, lines)
            if lines and first < last:
                if records:
                    yield SexpBatch(records)
                    records = []
                regular = self._take(buffer, position, lines, first, last)
                position = regular.end
                yield SexpBatch([], regular=regular)
                continue
            if not self._gap.length:  # what follows a gap goes the general way once
                position = self._fast(buffer, position, records)
            try:
                found = self._general(buffer, position, final, records)
            except TraceError:
                yield SexpBatch(records)
                raise
            done, position = found == position, found
            if records and (done or len(records) >= BATCH):
                yield SexpBatch(records)
                records = []
            if done:
                return position

    def _regular(self, buffer: bytes, position: int, lines: Lines | None) -> tuple[int, int]:
        """Return the regular lines that follow, at most LINES, if they are enough."""
        if lines is None or self._gap.length:
            return 0, 0
        first, last = lines.run(position + line_end(buffer, position))
        return (first, min(last, first + LINES)) if last - first >= LEAST else (0, 0)

    def _take(self, buffer: bytes, position: int, lines: Lines, first: int, last: int) -> Regular:
        """Return the lines as a batch's content, and count them."""
        end = int(lines.ends[last - 1])
        end -= buffer[end - 1] == ord("\r")
        events = lines.events[first:last]
        events["record"] = np.arange(self.count, self.count + last - first)
        sources = lines.source_starts[first:last], lines.source_ends[first:last]
        orders = lines.orders[first:last]
        regular = Regular(buffer, position, end, self._line, events, orders, sources)
        self.count += last - first
        self._line += last - first - (line_end(buffer, position) == 0)
        return regular

    def _fast(self, buffer: bytes, position: int, records: list[SexpRecord]) -> int:
        """Take memory records in the current spelling, as many as come; stop at another."""
        place = Place(position, self.count, self._line)
        fast_records(buffer, place, records)
        self.count, self._line = place.ordinal, place.line
        return place.position

    def _general(self, buffer: bytes, position: int, final: bool, out: list[SexpRecord]) -> int:
        """Take one record of any dialect; return `position` when there is none to take."""
        match = BLANK.match(buffer, position)
        start = match.end() if match else position
        first = buffer[start : start + 1]
        if first == b"\0" or self._gap.length:
            self._gap.pass_blanks(buffer[position:start])
            if not self._gap.ends_at(first):
                return self._skip_gap(buffer, position, start, final)
            if first:
                self._leave_gap()
        if first == b"(":
            return self._record(buffer, position, start, final, out)
        if first == b"!" and self._begins_line(buffer, start):
            end = buffer.find(b"\n", start)
            if end >= 0 or final:
                self._end_at_verdict(buffer[start : end if end >= 0 else len(buffer)])
        elif first:
            raise self._error(buffer, position, start, "expected '(' where a record should begin")
        return position

    def _record(
        self, buffer: bytes, position: int, start: int, final: bool, out: list[SexpRecord]
    ) -> int:
        place = Place(position, self.count, self._line)
        try:
            record = general_record(buffer, place)
        except Mistake as mistake:
            raise self._error(buffer, position, mistake.position, mistake.message) from None
        except Unfinished:
            self._settle_incomplete(buffer, position, start, final)
            return position
        self.count, self._line = place.ordinal, place.line
        out.append(record)
        if record.kind in ("image", "producer"):
            self._take_fact(record)
        return place.position

    def _settle_incomplete(self, buffer: bytes, position: int, start: int, final: bool) -> None:
        """Decide whether more input may complete the record, a kill cut it, or it is damage."""
        zeros = len(buffer.rstrip(b"\0"))
        if zeros < len(buffer):
            self._end_within_zeros(buffer, position, zeros)
        elif final:
            raise self._error(buffer, position, start, "the trace ends within this record")
        elif len(buffer) - start > RECORD_LIMIT:
            message = f"a record of more than {RECORD_LIMIT} bytes: is a ')' missing?"
            raise self._error(buffer, position, start, message)
        else:
            self._wanted = 2 * (len(buffer) - position)

    def _skip_gap(self, buffer: bytes, position: int, start: int, final: bool) -> int:
        """Pass over space that a killed thread reserved and did not write."""
        if not self._gap.length:
            message = "a NUL byte before further data"
            self._gap.begin(self._error(buffer, position, start, message))
        end = self._gap.skip(buffer, start, final=final)
        if end == start:
            return position
        self._line += buffer.count(b"\n", position, end)
        return end

    def _leave_gap(self) -> None:
        break_off(self, f"{self._gap.end()} bytes before record {self.count}")

    def _begins_line(self, buffer: bytes, start: int) -> bool:
        newline = buffer.rfind(b"\n", 0, start)
        before = buffer[newline + 1 : start]
        return not before.strip() and (newline >= 0 or self._before == 0)

    def _end_at_verdict(self, line: bytes) -> None:
        self.verdict = line.decode("utf-8", "replace").rstrip("\r")
        self.note(f"the producer ended the trace: {self.verdict}")
        self._ended = True

    def _end_within_zeros(self, buffer: bytes, position: int, start: int) -> None:
        """Zeros within a record and up to the end: it was being written; else damage."""
        zero = not buffer[start:].strip(b"\0")
        self._looks_ahead = True
        while zero:
            chunk = next(self._chunks, b"")
            if not chunk:
                self._end_in_zeros(" after an incomplete record")
                return
            zero = not chunk.strip(b"\0")
        raise self._error(buffer, position, start, "a NUL byte within a record")

    def _end_in_zeros(self, where: str) -> None:
        self._ended = True
        self._zeros = f"trace ends at record {self.count}{where} (zero bytes follow)"

    def _error(self, buffer: bytes, position: int, place: int, message: str) -> TraceError:
        return error_at(
            self.name, buffer, place, message, begin=position, line=self._line, before=self._before
        )

    def _take_fact(self, record: SexpRecord) -> None:
        """Remember the contents of `image` and `producer` records."""
        if record.kind == "image":
            base, path = record.get("base"), record.get("path")
            if isinstance(base, int):
                self.facts.add_image(Image(str(path), base))
            return
        fields = dict(record.fields)
        if set(fields) == {"name", "value"}:
            text = f"{fields['name']}={fields['value']}"
        else:
            text = " ".join(f"{key}={value}" for key, value in record.fields)
        self.facts.add_string(text)
        if text.startswith("arch="):
            self.facts.arch = text[5:]

    def mark(self) -> Mark | None:
        """Return where reading is; unwritten space is not divided."""
        if self._gap.length or self._ended or self._looks_ahead:
            return None
        return Mark(self._offset, self.count, self.facts.arch, (self._line, self._before))

    def resume(self, mark: Mark, chunks: Iterable[bytes]) -> None:
        """Read on from a mark."""
        super().resume(mark, chunks)
        self._offset, self.count = mark.offset, mark.record
        self._line, self._before = mark.state

    def records(self) -> Iterator[SexpRecord]:
        for batch in self.batches():
            yield from batch.records

    def events(self) -> Iterator[Array]:
        return sexp_events.events(self.batches(), self)


def copy(trace: SexpTrace, output: BinaryIO) -> int:
    """Write every record of the trace as it is; return how many."""
    for batch in trace.batches():
        output.write(batch.tobytes())
    return trace.count
