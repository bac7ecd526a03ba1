"""STF traces: the text of a PowerPC register tracer, instruction by instruction.

Instructions in the classic spelling are read many at once (`stf_scan`), where they are few one
by one; anything else (16 digits mixed with 8, unknown tokens, odd blanks) goes line by line.
Every record stores its bytes, so that a copy is the file it came from.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Generator, Iterable, Iterator
from dataclasses import replace
from typing import BinaryIO

import numpy as np

from inst.arch.registry import is_wide
from inst.formats.stf import events as stf_events
from inst.formats.stf.columns import StfColumns, columns_of
from inst.formats.stf.gap import LINE as GAP_LINE
from inst.formats.stf.lines import Draft, read_record
from inst.formats.stf.record import WIDE_DIGITS, StfRecord, is_written_for, lacks_code
from inst.formats.stf.scan import Scanned, scan
from inst.formats.stf.scan_lines import REGISTER_LINE, STATUS_LINE
from inst.formats.stf.unwritten import Unwritten
from inst.trace.ending import break_off, settle
from inst.trace.model import Array, Trace, TraceError
from inst.trace.resume import Mark
from inst.trace.text_damage import RECORD_LIMIT, Mistake, Unfinished, error_at

BATCH = 8192

STARTS = re.compile(rb"[PXMCLH]")
# A record is whole when the next one begins after it.
FAST = re.compile(
    rb"((?:[XMCLH][^\n]*+\n)?+)"
    rb"PCN = ([0-9a-f]{16}|[0-9a-f]{8}) "
    rb"OPC = (0[4-7][0-9a-f]{14}|[0-9a-f]{8}) MNC = ([^\s=]++) ?+\n"
    rb"((?:[RFG][^\n]*+\n)*+)"
    rb"(?=XER = |MSR = |PCN = )"
)
WINDOW = 1 << 21
"""Bytes looked at together."""
FEW = 256
"""Instructions that looking at many at once must give, or the next go one by one."""


class StfTrace(Trace):
    """An STF trace being read."""

    format = "stf"
    events_resume = False

    def __init__(self, name: str, chunks: Iterable[bytes]) -> None:
        super().__init__(name)
        self._unwritten = Unwritten()
        self._chunks = self._unwritten.blanked(chunks)
        self.count = 0
        """Records delivered so far."""
        self.digits = 0
        """Digits of the trace's addresses: 8 or 16; 0 until the first instruction."""
        self.longer: dict[int, int] = {}
        """Instructions of two words, by their addresses, as far as events were made."""
        self._started = False  # an instruction was read
        self._line = 1
        self._offset = 0  # bytes before the buffer
        self._wanted = 0  # bytes to have before an unfinished record is retried
        self._singly = 0  # records to be read one by one: others would stop a scan early

    def batches(self) -> Iterator[StfBatch]:
        """Yield the records, at most `BATCH` of them at a time."""
        return self._observed(self._read())

    def _read(self) -> Iterator[StfBatch]:
        buffer = b""
        for chunk in self._chunks:
            buffer += chunk
            if len(buffer) < self._wanted:
                continue
            self._wanted = 0
            position = yield from self._whole_records(buffer, final=False)
            self._offset += position
            buffer = buffer[position:]
        self._note_unwritten()
        position = yield from self._whole_records(buffer, final=True)
        if position < len(buffer):  # blank lines at the very end
            yield StfBatch([], buffer[position:])
        settle(self, gap="the trace ends with zero bytes" if self._unwritten.at_end else "")

    def _note_unwritten(self) -> None:
        if self._unwritten.between:
            break_off(self, f"{self._unwritten.between} bytes between records")

    def _whole_records(self, buffer: bytes, *, final: bool) -> Generator[StfBatch, None, int]:
        """Yield what is complete in the buffer; return where the rest begins."""
        position, records = 0, list[StfRecord]()
        while True:
            scanned = self._scan(buffer, position)
            if scanned is not None:
                if records:
                    yield self._batch(records)
                    records = []
                position = int(scanned.starts[-1])
                yield self._regular(scanned)
                continue
            position = self._fast(buffer, position, records)
            if len(records) >= BATCH:
                self._singly -= len(records)
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
            self._singly -= len(records)
            yield self._batch(records)
        return position

    def _scan(self, buffer: bytes, position: int) -> Scanned | None:
        """Return many instructions in the classic spelling, if they come."""
        if self._singly > 0 or not STARTS.match(buffer, position):
            return None
        scanned = scan(buffer, position, WINDOW, self.count)
        if scanned is None:
            return None
        if scanned.cut and len(scanned) < FEW:
            self._singly = BATCH
        return scanned

    def _regular(self, scanned: Scanned) -> StfBatch:
        self.count += len(scanned)
        self._started = True
        self._know(scanned.digits)
        batch = StfBatch(regular=replace(scanned, line=self._line))
        self._line += scanned.line_count
        return batch

    def _batch(self, records: list[StfRecord]) -> StfBatch:
        first = next((record for record in records if record.kind == "instr"), None)
        if first is not None:
            self._know(first.digits)
        return StfBatch(records)

    def _know(self, digits: int) -> None:
        if self.digits:
            return
        self.digits = digits
        if not self.facts.arch or is_wide(self.facts.arch) != (digits == WIDE_DIGITS):
            self.facts.arch = "ppc64" if digits == WIDE_DIGITS else "ppc"

    def _fast(self, buffer: bytes, position: int, records: list[StfRecord]) -> int:
        """Take instructions in the classic spelling, as many as come; stop at another."""
        match_at, first, line = FAST.match, self.count - len(records), self._line
        while len(records) < BATCH and (match := match_at(buffer, position)):
            status, pc, word, mnemonic, after = match.groups()
            if not (STATUS_LINE.fullmatch(status or b"MQ = 00000000\n") and _all_good(after)):
                break
            records.append(
                StfRecord(
                    first + len(records),
                    "instr",
                    int(pc, 16),
                    int(word, 16),
                    mnemonic.decode("utf-8", "replace"),
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
        if draft.kind == "header":  # of a trace after another: its registers come anew
            self._started = False
            self._take_facts(record)
        elif draft.kind == "instr":
            self._started = True
        return record

    def _take_facts(self, record: StfRecord) -> None:
        for key, value in record.header.items():
            if key == "VERSION":
                self.facts.version = value
                self.facts.lacks_code |= lacks_code(value)
            if key == "arch" and not self.digits and is_written_for(value):
                self.facts.arch = value
            self.facts.add_string(f"{key}={value}")

    def _error(self, buffer: bytes, position: int, mistake: Mistake) -> TraceError:
        return error_at(
            self.name, buffer, mistake.position, mistake.message, begin=position, line=self._line
        )

    def mark(self) -> Mark | None:
        """Return where reading is; unwritten space is not divided."""
        if self._unwritten.is_open:
            return None
        state = (self._line, self.digits, self._started)
        return Mark(self._offset, self.count, self.facts.arch, state)

    def resume(self, mark: Mark, chunks: Iterable[bytes]) -> None:
        """Read on from a mark."""
        super().resume(mark, self._unwritten.blanked(chunks))
        self._offset, self.count = mark.offset, mark.record
        self._line, self.digits, self._started = mark.state

    def records(self) -> Iterator[StfRecord]:
        for batch in self.batches():
            yield from batch.records

    def longer_at(self, pcs: Array) -> Array:
        """Return the instructions of two words at addresses of events so far."""
        return np.array([self.longer.get(pc, 0) for pc in pcs.tolist()], "u8")

    def events(self) -> Iterator[Array]:
        parts = (part for batch in self.batches() for part in batch.parts())
        return stf_events.events(parts, self)


def _all_good(lines: bytes) -> bool:
    return all(
        REGISTER_LINE.fullmatch(line) or GAP_LINE.fullmatch(line)
        for line in lines.splitlines(keepends=True)
    )


class StfBatch:
    """Consecutive records, and the bytes after the last one that are no record.

    Of instructions in the classic spelling there are columns; records are made when asked for.
    """

    __slots__ = ("_records", "regular", "tail")

    def __init__(
        self,
        records: list[StfRecord] | None = None,
        tail: bytes = b"",
        regular: Scanned | None = None,
    ) -> None:
        self._records = records
        self.tail = tail
        self.regular = regular

    @property
    def records(self) -> list[StfRecord]:
        if self._records is None:
            self._records = self.regular.records() if self.regular else []
        return self._records

    def __len__(self) -> int:
        return len(self.regular) if self.regular else len(self.records)

    def tobytes(self) -> bytes:
        """Return the text, as it stood in the file."""
        if self.regular:
            start, end = int(self.regular.starts[0]), int(self.regular.starts[-1])
            return self.regular.buffer[start:end]
        return b"".join(record.text for record in self.records) + self.tail

    def parts(self) -> Iterator[StfColumns | StfRecord]:
        """Yield instructions by columns, and the records between them that are none."""
        if self.regular:
            yield self.regular.columns
            return
        for executed, records in itertools.groupby(self.records, lambda r: r.kind == "instr"):
            if executed:
                yield columns_of(list(records))
            else:
                yield from records


def copy(trace: StfTrace, output: BinaryIO) -> int:
    """Write every record of the trace as it is; return how many."""
    for batch in trace.batches():
        output.write(batch.tobytes())
    return trace.count
