"""STF traces: the text of a PowerPC register tracer, instruction by instruction.

A fast path takes instructions in the classic spelling; anything else (old names, 16 digits
mixed with 8, unknown tokens, odd blanks) goes line by line. Every record keeps its bytes,
so that a copy is the file it came from.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Iterator
from typing import BinaryIO

from inst.trace.model import Array, Trace, TraceError
from inst.trace.stf_lines import Draft, Mistake, Unfinished, read_record
from inst.trace.stf_record import StfBatch, StfRecord

RECORD_LIMIT = 1 << 20
"""Bytes a record may have: a file of another kind must not fill memory."""
BATCH = 8192
FACT_LIMIT = 10_000

# A record is whole when the next one begins behind it.
FAST = re.compile(
    rb"((?:[XMCLH][^\n]*+\n)?+)"
    rb"PCN = ([0-9a-f]{16}|[0-9a-f]{8}) OPC = ([0-9a-f]{8}) MNC = ([^\s=]++) ?+\n"
    rb"((?:[RF][^\n]*+\n)*+)"
    rb"(?=XER = |MSR = |PCN = )"
)
STATUS_LINE = re.compile(
    rb"(?:(?:XER|MSR|CTR|LNK|CCR|MQ|HQ|FPSCR) = (?:[0-9a-f]{16}|[0-9a-f]{8}) ?+)++\n"
)
REGISTER_LINES = re.compile(
    rb"(?:(?:R\d\d = (?:[0-9a-f]{16}|[0-9a-f]{8}) ?+)++\n|(?:F\d\d = [0-9a-f]{16} ?+)++\n)*+"
)
DIGITS = bytes.maketrans(b"123456789abcdef", b"0" * 15)
SHAPES = 4096
"""Shapes remembered: lines that differ in their digits only are checked once."""


class _Shapes:
    """Tells whether lines are spelled as a pattern says, by their shape."""

    def __init__(self, pattern: re.Pattern[bytes]) -> None:
        self._pattern = pattern
        self._good = {b""}

    def fits(self, text: bytes) -> bool:
        shape = text.translate(DIGITS)
        if shape in self._good:
            return True
        if not self._pattern.fullmatch(text):
            return False
        if len(self._good) < SHAPES:
            self._good.add(shape)
        return True


class StfTrace(Trace):
    """An STF trace being read."""

    format = "stf"

    def __init__(self, name: str, chunks: Iterable[bytes]) -> None:
        super().__init__(name)
        self._chunks = iter(chunks)
        self.count = 0
        """Records delivered so far."""
        self.digits = 0
        """Digits of the trace's addresses: 8 or 16; 0 until the first instruction."""
        self._started = False  # an instruction was read
        self._line = 1
        self._wanted = 0  # bytes to have before an unfinished record is tried again
        self._status = _Shapes(STATUS_LINE)
        self._registers = _Shapes(REGISTER_LINES)

    def batches(self) -> Iterator[StfBatch]:
        """Yield the records, at most `BATCH` of them at a time."""
        buffer = b""
        for chunk in self._chunks:
            buffer += chunk
            if len(buffer) < self._wanted:
                continue
            self._wanted = 0
            position = yield from self._whole_records(buffer, final=False)
            buffer = buffer[position:]
        position = yield from self._whole_records(buffer, final=True)
        if position < len(buffer):  # blank lines at the very end
            yield StfBatch([], buffer[position:])

    def _whole_records(self, buffer: bytes, *, final: bool) -> Generator[StfBatch, None, int]:
        """Yield what is complete in the buffer; return where the rest begins."""
        position, records = 0, list[StfRecord]()
        while True:
            position = self._fast(buffer, position, records)
            if len(records) >= BATCH:
                yield self._batch(records)
                records = []
                continue
            try:
                found = self._general(buffer, position, final, records)
            except TraceError:
                yield self._batch(records)
                raise
            if found == position:
                break
            position = found
        if records:
            yield self._batch(records)
        return position

    def _batch(self, records: list[StfRecord]) -> StfBatch:
        if not self.digits:
            first = next((record for record in records if record.kind == "instr"), None)
            if first is not None:
                self.digits = first.digits
                self.facts.arch = "ppc64" if first.digits == 16 else "ppc"
        return StfBatch(records)

    def _fast(self, buffer: bytes, position: int, records: list[StfRecord]) -> int:
        """Take instructions in the classic spelling, as many as come; stop at another."""
        match_at, first, line = FAST.match, self.count - len(records), self._line
        while len(records) < BATCH and (match := match_at(buffer, position)):
            status, pc, word, mnemonic, after = match.groups()
            if not (self._status.fits(status) and self._registers.fits(after)):
                break
            records.append(
                StfRecord(
                    first + len(records),
                    "instr",
                    int(pc, 16),
                    int(word, 16),
                    mnemonic.decode("latin-1"),
                    status,
                    after,
                    len(pc),
                    match[0],
                    line + 1 if status else line,
                )
            )
            line += match[0].count(b"\n")
            position = match.end()
            self._started = True
        self.count, self._line = first + len(records), line
        return position

    def _general(self, buffer: bytes, position: int, final: bool, out: list[StfRecord]) -> int:
        """Take one record of any spelling; return `position` when there is none to take."""
        try:
            draft = read_record(buffer, position, final=final, started=self._started)
        except Mistake as mistake:
            raise self._error(buffer, position, mistake) from None
        except Unfinished:
            if len(buffer) - position > RECORD_LIMIT:
                message = f"a record of more than {RECORD_LIMIT} bytes: is this an STF trace?"
                raise self._error(buffer, position, Mistake(position, message)) from None
            self._wanted = 2 * (len(buffer) - position)
            return position
        if draft is None:
            return position
        out.append(self._record(draft, buffer, position))
        self._line += buffer.count(b"\n", position, draft.end)
        return draft.end

    def _record(self, draft: Draft, buffer: bytes, position: int) -> StfRecord:
        record = StfRecord(
            self.count,
            draft.kind,
            draft.pc,
            draft.word,
            draft.mnemonic,
            draft.before,
            draft.after,
            draft.digits,
            buffer[position : draft.end],
            self._line + buffer.count(b"\n", position, draft.start),
        )
        self.count += 1
        if draft.kind == "header":  # of a trace behind another: its registers come anew
            self._started = False
            self._take_facts(record)
        elif draft.kind == "instr":
            self._started = True
        return record

    def _take_facts(self, record: StfRecord) -> None:
        for key, value in record.header.items():
            if key == "VERSION":
                self.facts.version = value
            if len(self.facts.strings) < FACT_LIMIT:
                self.facts.strings.append(f"{key}={value}")

    def _error(self, buffer: bytes, position: int, mistake: Mistake) -> TraceError:
        start = buffer.rfind(b"\n", 0, mistake.position) + 1
        end = buffer.find(b"\n", mistake.position)
        source = buffer[start : end if end >= 0 else len(buffer)]
        return TraceError(
            mistake.message,
            self.name,
            line=self._line + buffer.count(b"\n", position, mistake.position),
            column=mistake.position - start + 1,
            source=source.decode("utf-8", "replace").rstrip("\r") if len(source) <= 240 else "",
        )

    def records(self) -> Iterator[StfRecord]:
        for batch in self.batches():
            yield from batch.records

    def events(self) -> Iterator[Array]:
        from inst.trace.stf_events import events

        return events(self)


def copy(trace: StfTrace, output: BinaryIO) -> int:
    """Write every record of the trace as it is; return how many."""
    for batch in trace.batches():
        output.write(batch.tobytes())
    return trace.count
