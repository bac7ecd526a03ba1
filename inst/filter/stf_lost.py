"""What removed STF instructions leave behind: the registers they changed, who followed whom.

An STF trace that records changes means nothing without those of the instructions between. So
what a removed record told goes along with the records that stay, and is written as a gap
(`inst.trace.stf_gap`) in front of the next one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from inst.filter.model import Batch
from inst.trace.model import Array
from inst.trace.stf_gap import (
    WORD,
    Told,
    gap_line,
    register_text,
    status_text,
    status_told,
    told_in,
)
from inst.trace.stf_record import StfRecord
from inst.words import decode

BRANCHES = (16, 18, 19)
"""Primary opcodes of branches."""


@dataclass(frozen=True, slots=True)
class Lost:
    """Records that were removed one behind the other."""

    first: StfRecord
    count: int
    """Instructions among them."""
    told: Told
    """The last that they told of each register."""
    banks: str = "RF"
    """Which registers the trace records."""

    def followed_by(self, later: Lost) -> Lost:
        """Return what is lost by both."""
        told = recorded(self.told, self.banks) if later.count else self.told
        return Lost(self.first, self.count + later.count, told | later.told, self.banks)


def recorded(told: Told, banks: str) -> Told:
    """Leave out registers that the trace does not record: they hold for one instruction only."""
    letters = "".join(letter for letter in "RF" if letter not in banks).encode()
    if not letters:
        return told
    return {name: value for name, value in told.items() if name[:1] not in letters}


def taken(batch: Batch, keep: Array, forgotten: Array | None) -> Batch:
    """Return the records to keep, with what is lost between them."""
    before = np.concatenate(([0], np.cumsum(keep))).tolist()
    lost: dict[int, Lost] = {}
    removed = np.flatnonzero(~keep).tolist()
    for row in sorted({*removed, *batch.lost}):
        place = before[row]
        if row in batch.lost:
            _add(lost, place, batch.lost[row])
        if row < len(keep) and not keep[row]:
            told = forgotten is None or not forgotten[row]
            _remove(lost, place, batch.records[row], told, batch.source.banks)
    kept = [batch.records[row] for row in np.flatnonzero(keep).tolist()]
    return replace(batch, records=kept, lost=lost)


def _add(lost: dict[int, Lost], place: int, more: Lost) -> None:
    lost[place] = lost[place].followed_by(more) if place in lost else more


def _remove(lost: dict[int, Lost], place: int, record: StfRecord, told: bool, banks: str) -> None:
    """Count a record among those lost at a place; its registers are kept if they are `told`."""
    executed = record.kind == "instr"
    known = lost.get(place)
    registers = known.told if known else {}
    if executed:
        registers = recorded(registers, banks)
    if told and executed:
        told_in(record.before, registers)
    if told and record.kind != "header":
        told_in(record.after, registers)
    lost[place] = Lost(
        known.first if known else record,
        executed + (known.count if known else 0),
        registers,
        banks,
    )


def needs_follower(record: StfRecord) -> bool:
    """Return whether what an instruction did is seen by the one behind it only."""
    if record.kind != "instr" or WORD in record.after:  # a gap says already what followed
        return False
    if record.word >> 26 in BRANCHES:
        return True
    access = decode.access_of(record.word, "ppc")
    return access is not None and access.reserve and access.what == decode.WRITE


class Gaps:
    """Writes what is lost between the records of an STF trace."""

    def __init__(self) -> None:
        self._previous: StfRecord | None = None
        self._pending: Lost | None = None
        self._said = False
        """Which registers the trace records stands in the output."""

    def texts(self, batch: Batch) -> Iterator[tuple[StfRecord, bytes, bytes]]:
        """Yield each record, what must stand in front of it, and its own text."""
        for row, record in enumerate(batch.records):
            if row in batch.lost:
                self._lose(batch.lost[row])
            gap, text = b"", record.text
            if self._pending is not None:
                gap = self._gap(self._pending, batch.source.banks, record)
                text = _with_status(record, self._pending)
                self._pending = None
            yield record, gap, text
            self._previous = record
        if len(batch.records) in batch.lost:
            self._lose(batch.lost[len(batch.records)])

    def end(self, banks: str) -> bytes:
        """Return what must stand behind the last record."""
        previous, lost = self._previous, self._pending
        if lost is None or previous is None or previous.kind != "instr":
            return b""
        if not needs_follower(previous) and (self._said or not lost.count):
            return b""
        return self._gap(lost, banks, None)

    def _lose(self, lost: Lost) -> None:
        self._pending = self._pending.followed_by(lost) if self._pending else lost

    def _gap(self, lost: Lost, banks: str, record: StfRecord | None) -> bytes:
        """Return the gap in front of a record, or behind the last one."""
        registers = register_text(lost.told) if record else b""
        previous, following, status = self._previous, b"", None
        alone = previous is None or previous.kind == "header"
        if alone and not registers and record and record.kind != "instr":
            return b""  # a line has nothing to belong to there
        if not lost.count and (previous is None or previous.kind != "instr"):
            return registers
        if previous is not None and needs_follower(previous) and lost.first.kind == "instr":
            following = b"%0*x" % (lost.first.digits, lost.first.pc)
            told: Told = {}
            told_in(lost.first.before, told)
            status = status_told(told)
        elif not lost.count and not registers and not (previous and needs_follower(previous)):
            return b""
        again = previous is not None and previous.kind != "instr"  # registers were told anew
        said = "" if self._said and not again else banks or "none"
        line = gap_line(lost.count, following, status, said)
        self._said = True
        if previous is not None and previous.kind == "instr":
            return line + registers
        return registers + line


def _with_status(record: StfRecord, lost: Lost) -> bytes:
    """Return an instruction's text, with status registers that it does not tell itself."""
    if record.kind != "instr":
        return record.text
    own: Told = {}
    told_in(record.before, own)
    missing = {n: v for n, v in status_told(lost.told).items() if n not in status_told(own)}
    return status_text(missing) + record.text.lstrip(b" \t\r\n") if missing else record.text
