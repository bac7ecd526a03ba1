"""S-expression traces: a fast path for memory records, the general reader for the rest.

`SexpTrace.batches()` yields `SexpBatch`, lists of records. Every record keeps its bytes, so
that a copy is the file it came from.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Iterator
from typing import BinaryIO

from inst.trace.model import Array, Image, Trace, TraceError
from inst.trace.sexp_parse import Complaint, Incomplete, interpret, read_list
from inst.trace.sexp_record import SexpBatch, SexpRecord

RECORD_LIMIT = 1 << 20
"""Bytes a record may have: a missing parenthesis must not swallow the file."""
BATCH = 8192
FACT_LIMIT = 10_000
GAP_LEAST = 16
"""Zero bytes that are space a killed thread left; fewer are damage."""
TORN_LIMIT = 1024
"""Bytes of a record that was being written."""
TORN = re.compile(rb"[^\0\n(][^\0\n]{0,1023}(?:\n|(?=\0))")

# What current producers write for memory accesses; anything else goes the general way.
FAST = re.compile(
    rb"[ \t\r\n]*\((mem-read|mem-write) \(id (\d{1,19})\) \(tid (\d{1,19})\)"
    rb"(?: \(mem-order (plain|release)\))?"
    rb" \(address (?:0x)?([0-9a-f]{1,16})\) \(value (?:0x)?([0-9a-f]{1,16})\)"
    rb"(?: \(size (\d{1,4})\))?"
    rb'(?: \(src (?:"([^"\\\n\0]*)"|0x([0-9a-f]{1,16})|(\d{1,19}))\))?\)'
)
BLANK = re.compile(rb"[ \t\r\n]*")
_MEMORY_KINDS = {b"mem-read": "mem-read", b"mem-write": "mem-write"}
_ORDER_FIELDS = {b"plain": ("mem-order", "plain"), b"release": ("mem-order", "release")}


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
        self._gap = 0  # zero bytes just passed over
        self._torn = False
        self._at_gap = TraceError("a NUL byte before further data", name)
        self._wanted = 0  # bytes to have before an incomplete record is tried again
        self._line = 1  # where the next record's search begins
        self._before = 0  # bytes of that line that stood before the buffer

    def batches(self) -> Iterator[SexpBatch]:
        """Yield the records, at most `BATCH` of them at a time."""
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
        if self._gap and not self._ended:
            self._note_kill("")
        if self.verdict or not self._ended:
            yield SexpBatch([], buffer)
        yield from (SexpBatch([], chunk) for chunk in self._chunks)

    def _advance(self, buffer: bytes, position: int) -> bytes:
        """Drop what was read and keep count of where the rest stands."""
        newline = buffer.rfind(b"\n", 0, position)
        self._before = position - newline - 1 if newline >= 0 else self._before + position
        return buffer[position:]

    def _whole_records(self, buffer: bytes, *, final: bool) -> Generator[SexpBatch, None, int]:
        """Yield what is complete in the buffer; return where the rest begins."""
        position = 0
        records: list[SexpRecord] = []
        while True:
            if not self._gap:  # what follows a gap goes the general way once
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

    def _fast(self, buffer: bytes, position: int, records: list[SexpRecord]) -> int:
        """Take memory records in the current spelling, as many as come; stop at another."""
        match_at, first, line = FAST.match, self.count - len(records), self._line
        while len(records) < BATCH and (match := match_at(buffer, position)):
            kind, number, thread, order, address, value, size, name, pc, key = match.groups()
            if (order is None) is (kind == b"mem-write"):
                break
            fields: tuple[tuple[str, int | str], ...] = (
                ("address", int(address, 16)),
                ("value", int(value, 16)),
            )
            if order is not None:
                fields = (_ORDER_FIELDS[order], *fields)
            if size is not None:
                fields += (("size", int(size)),)
            source: str | int | None = None
            if pc is not None:
                source = int(pc, 16)
            elif name is not None:
                source = name.decode("utf-8", "surrogateescape")
            elif key is not None:
                source = int(key)
            text = match[0]
            line += text.count(b"\n")
            index = first + len(records)
            what = _MEMORY_KINDS[kind]
            records.append(
                SexpRecord(index, what, int(number), int(thread), fields, source, text, line)
            )
            position = match.end()
        self.count, self._line = first + len(records), line
        return position

    def _general(self, buffer: bytes, position: int, final: bool, out: list[SexpRecord]) -> int:
        """Take one record of any dialect; return `position` when there is none to take."""
        match = BLANK.match(buffer, position)
        start = match.end() if match else position
        first = buffer[start : start + 1]
        if first == b"\0" or (self._gap and first not in (b"(", b"")):
            return self._skip_gap(buffer, position, start, final)
        if self._gap and first:
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
        try:
            item, end = read_list(buffer, start)
            parsed = interpret(item)
        except Complaint as complaint:
            raise self._error(buffer, position, complaint.position, complaint.message) from None
        except Incomplete:
            self._settle_incomplete(buffer, position, start, final)
            return position
        line = self._line + buffer.count(b"\n", position, start)
        self._line = line + buffer.count(b"\n", start, end)
        record = SexpRecord(
            self.count,
            parsed.kind,
            parsed.id,
            parsed.thread,
            parsed.fields,
            parsed.source,
            buffer[position:end],
            line,
        )
        self.count += 1
        out.append(record)
        if parsed.kind in ("image", "producer"):
            self._take_fact(record)
        return end

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
        """Pass over space that a killed thread reserved and did not write.

        Within it may stand one record whose first character, written last, is missing.
        """
        if not self._gap:
            self._torn = False
            self._at_gap = self._error(buffer, position, start, "a NUL byte before further data")
        zeros = len(buffer) - start - len(buffer[start:].lstrip(b"\0"))
        if zeros:
            self._gap += zeros
            return self._pass(buffer, position, start + zeros)
        match = TORN.match(buffer, start)
        if match is None and not final and len(buffer) - start <= TORN_LIMIT:
            return position
        if match is None or self._torn:
            raise self._at_gap
        self._torn = True
        return self._pass(buffer, position, match.end())

    def _pass(self, buffer: bytes, position: int, end: int) -> int:
        self._line += buffer.count(b"\n", position, end)
        return end

    def _leave_gap(self) -> None:
        if self._gap < GAP_LEAST:
            raise self._at_gap
        self.notes.append(
            f"a thread was killed: {self._gap} bytes before record {self.count} "
            "were reserved and not written"
        )
        self._gap = 0

    def _begins_line(self, buffer: bytes, start: int) -> bool:
        newline = buffer.rfind(b"\n", 0, start)
        before = buffer[newline + 1 : start]
        return not before.strip() and (newline >= 0 or self._before == 0)

    def _end_at_verdict(self, line: bytes) -> None:
        self.verdict = line.decode("utf-8", "replace").rstrip("\r")
        self.notes.append(f"the producer ended the trace: {self.verdict}")
        self._ended = True

    def _end_within_zeros(self, buffer: bytes, position: int, start: int) -> None:
        """Zeros within a record and up to the end: it was being written; else damage."""
        zero = not buffer[start:].strip(b"\0")
        while zero:
            chunk = next(self._chunks, b"")
            if not chunk:
                self._note_kill(" after an incomplete record")
                return
            zero = not chunk.strip(b"\0")
        raise self._error(buffer, position, start, "a NUL byte within a record")

    def _note_kill(self, where: str) -> None:
        self._ended = True
        self.notes.append(
            f"the program was killed; trace ends at record {self.count}{where} (zero bytes follow)"
        )

    def _error(self, buffer: bytes, position: int, place: int, message: str) -> TraceError:
        newline = buffer.rfind(b"\n", 0, place)
        column = place - newline if newline >= 0 else self._before + place + 1
        end = buffer.find(b"\n", place)
        source = buffer[newline + 1 : end if end >= 0 else len(buffer)]
        known = len(source) <= 240 and (newline >= 0 or self._before == 0)
        return TraceError(
            message,
            self.name,
            line=self._line + buffer.count(b"\n", position, place),
            column=column,
            source=source.decode("utf-8", "replace").replace("\0", ".") if known else "",
        )

    def _take_fact(self, record: SexpRecord) -> None:
        """Remember what `image` and `producer` records say."""
        if record.kind == "image":
            base, path = record.get("base"), record.get("path")
            if isinstance(base, int) and len(self.facts.images) < FACT_LIMIT:
                self.facts.images.append(Image(str(path), base))
            return
        fields = dict(record.fields)
        if set(fields) == {"name", "value"}:
            text = f"{fields['name']}={fields['value']}"
        else:
            text = " ".join(f"{key}={value}" for key, value in record.fields)
        if len(self.facts.strings) < FACT_LIMIT:
            self.facts.strings.append(text)
        if text.startswith("arch="):
            self.facts.arch = text[5:]

    def records(self) -> Iterator[SexpRecord]:
        for batch in self.batches():
            yield from batch.records

    def events(self) -> Iterator[Array]:
        from inst.trace.sexp_events import events

        return events(self)


def copy(trace: SexpTrace, output: BinaryIO) -> int:
    """Write every record of the trace as it is; return how many."""
    for batch in trace.batches():
        output.write(batch.tobytes())
    return trace.count
