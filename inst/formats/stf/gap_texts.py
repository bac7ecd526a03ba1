"""STF records with the gaps that show what was removed between them (`inst.formats.stf.gap`)."""

from __future__ import annotations

from collections.abc import Iterator

from inst.arch.powerpc.words import accesses
from inst.arch.powerpc.words.transfers import may_branch
from inst.formats.stf.gap import (
    WORD,
    Stated,
    gap_line,
    register_text,
    stated_in,
    status_stated,
    status_text,
)
from inst.formats.stf.lost import Lost, StfPart
from inst.formats.stf.record import StfRecord
from inst.trace.written import WrittenText
from inst.words.access import WRITE


def needs_follower(record: StfRecord) -> bool:
    """Return whether what an instruction did is seen by the one after it only."""
    if record.kind != "instr" or WORD in record.after:  # a gap states already what followed
        return False
    if may_branch(record.word):
        return True
    access = accesses.access_of(record.word)
    return access is not None and access.reserve and access.what == WRITE


class Gaps:
    """Writes what is lost between the records of an STF trace."""

    def __init__(self) -> None:
        self._previous: StfRecord | None = None
        self._pending: Lost | None = None
        self._banks_stated = False
        """Which registers the trace records is in the output."""

    def texts(self, batch: StfPart) -> Iterator[tuple[StfRecord, bytes, bytes]]:
        """Yield each record, the text to write before it, and its own text."""
        for row, record in enumerate(batch.records):
            if row in batch.lost:
                self._lose(batch.lost[row])
            gap, text = b"", record.text
            if self._pending is not None:
                gap = self._gap(self._pending, batch.banks, record)
                text = _with_status(record, self._pending)
                self._pending = None
            yield record, gap, text
            self._previous = record
        if len(batch.records) in batch.lost:
            self._lose(batch.lost[len(batch.records)])

    def end(self, banks: str) -> bytes:
        """Return what must stand after the last record."""
        previous, lost = self._previous, self._pending
        if lost is None or previous is None or previous.kind != "instr":
            return b""
        if not needs_follower(previous) and (self._banks_stated or not lost.count):
            return b""
        return self._gap(lost, banks, None)

    def _lose(self, lost: Lost) -> None:
        self._pending = self._pending.followed_by(lost) if self._pending else lost

    def _gap(self, lost: Lost, banks: str, record: StfRecord | None) -> bytes:
        """Return the gap before a record, or after the last one."""
        registers = register_text(lost.stated) if record else b""
        previous, following, status = self._previous, b"", None
        alone = previous is None or previous.kind == "header"
        if alone and not registers and record and record.kind != "instr":
            return b""  # a line has nothing to belong to there
        if not lost.count and (previous is None or previous.kind != "instr"):
            return registers
        if previous is not None and needs_follower(previous) and lost.first.kind == "instr":
            following = b"%0*x" % (lost.first.digits, lost.first.pc)
            stated: Stated = {}
            stated_in(lost.first.before, stated)
            status = status_stated(stated)
        elif not lost.count and not registers and not (previous and needs_follower(previous)):
            return b""
        again = previous is not None and previous.kind != "instr"  # registers were stated anew
        shown = "" if self._banks_stated and not again else banks or "none"
        line = gap_line(lost.count, following, status, shown)
        self._banks_stated = True
        if previous is not None and previous.kind == "instr":
            return line + registers
        return registers + line


def _with_status(record: StfRecord, lost: Lost) -> bytes:
    """Return an instruction's text, with status registers that it does not state itself."""
    if record.kind != "instr":
        return record.text
    own: Stated = {}
    stated_in(record.before, own)
    missing = {n: v for n, v in status_stated(lost.stated).items() if n not in status_stated(own)}
    return status_text(missing) + record.text.lstrip(b" \t\r\n") if missing else record.text


class WrittenStf(WrittenText):
    """Writes STF records and the gaps between them."""

    def __init__(self) -> None:
        super().__init__()
        self._gaps = Gaps()
        self._banks = ""

    def end(self) -> bytes:
        """Return the gap after the last record."""
        gap = self._gaps.end(self._banks)
        return gap if self._line_ended or not gap else b"\n" + gap

    def own_texts(self, batch: StfPart) -> Iterator[tuple[StfRecord, bytes]]:
        """Yield each record with its text and the gap before it."""
        self._banks = batch.banks
        for record, gap, text in self._gaps.texts(batch):
            yield record, gap + (text.lstrip(b" \t\r\n") if gap else text)
