"""Well-formedness of STF traces: what the reader accepts and the format does not."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from inst.formats.stf.columns import columns_of
from inst.formats.stf.execution import Execution
from inst.formats.stf.gap import LINE as GAP_LINE
from inst.formats.stf.moments import Wrong
from inst.formats.stf.record import PAIR, StfRecord
from inst.formats.stf.scan import Scanned
from inst.formats.stf.trace import StfBatch
from inst.trace.finding import ERROR, WARNING, Check, Finding
from inst.trace.model import Array, Trace

CODES = {
    "stf-header": "A trace begins with one header line: options, trace name, producer's version.",
    "stf-state": "The complete general and floating-point registers stand between header and "
    "first instruction, so that a simulation starts from a known state.",
    "stf-digits": "Addresses have 8 digits, or 16 on a 64-bit target, in the whole trace.",
    "stf-pc": "The address of an instruction is a multiple of 4.",
    "stf-status": "Status registers are before every instruction, or before none: a reader "
    "cannot know whether those before this one were left out or have not changed.",
    "stf-register": "The register lines after an instruction name R00 to R31 and F00 to F31. Lines "
    "of accesses (LDA, STA, LDV, STV) and of a GAP may follow them.",
    "stf-flow": "After an instruction comes the next word, or where the branch leads: its target, "
    "and the way that lr, ctr and the condition register choose. Not judged in traces of inst, "
    "which have the instructions that access memory only.",
    "stf-result": "A register has the value that the instruction's word and the registers before "
    "it give: sums, logic, rotates and shifts, updated addresses, lr and ctr, the width of loads.",
}

_NAMES = re.compile(rb"[RF](?:[012][0-9]|3[01])|(?:LD|ST)[AV]")
"""Names after an instruction: of registers, and of addresses and values of accesses."""
WHOLE_STATE = 64
"""Registers before the first instruction: 32 general and 32 floating-point ones."""


class StfWellFormed(Check):
    """The check at work on one trace."""

    def __init__(self, trace: Trace) -> None:
        self._name = trace.name
        self._digits = 0
        self._status: bool | None = None
        self._state = 0
        """Registers that stood after the header."""
        self._executed = False
        self._execution = Execution()
        self._waiting: tuple[int, int, int] | None = None
        """Of the last instruction, which the next one judges: ordinal, line, address."""

    def batch(self, batch: StfBatch) -> Iterator[Finding]:
        if batch.regular is None:
            for kind, records in itertools.groupby(batch.records, lambda record: record.kind):
                found = list(records)
                for record in found:
                    yield from self._record(record)
                yield from self._execute(kind, found)
        elif len(batch.regular):
            yield from self._many(batch.regular)
            columns, lines = batch.regular.columns, batch.regular.numbers + batch.regular.line
            wrong = self._execution.take(columns, batch.regular.digits)
            yield from self._impossible(wrong, columns.first, lines, columns.pc)

    def finish(self) -> Iterator[Finding]:
        none = np.zeros(0, "i8")
        yield from self._impossible(self._execution.flush(), 0, none, none)

    broken = finish

    def _execute(self, kind: str, records: list[StfRecord]) -> Iterator[Finding]:
        """Compare what records of one kind show with what a processor does."""
        none = np.zeros(0, "i8")
        if kind == "instr":
            columns = columns_of(records)
            lines = np.array([record.line for record in records])
            wrong = self._execution.take(columns, max(record.digits for record in records))
            yield from self._impossible(wrong, columns.first, lines, columns.pc)
            return
        for record in records:
            if kind == "header":
                wrong = self._execution.begin(record.header.get("VERSION", ""))
            else:
                wrong = self._execution.state(record)
            yield from self._impossible(wrong, 0, none, none)

    def _impossible(
        self, found: Iterator[tuple[int, Wrong]], first: int, lines: Array, pcs: Array
    ) -> Iterator[Finding]:
        """Yield findings, of the instruction that waited and of those from `first` on."""
        for ordinal, wrong in found:
            if self._waiting is not None and ordinal == self._waiting[0]:
                _, line, pc = self._waiting
            else:
                line, pc = int(lines[ordinal - first]), int(pcs[ordinal - first])
            severity = ERROR if wrong.sure else WARNING
            finding = self._finding(wrong.code, ordinal, line, wrong.message, severity)
            yield replace(finding, pc=pc)
        if len(lines):
            self._waiting = first + len(lines) - 1, int(lines[-1]), int(pcs[-1])

    def _many(self, found: Scanned) -> Iterator[Finding]:
        """Look at instructions by columns; at each that may be wrong by itself."""
        status = found.lines != found.starts[:-1]
        wrong = found.columns.pc & np.uint64(3) != 0
        wrong |= status != (status[0] if self._status is None else self._status)
        wrong[0] = True
        if found.columns.first == 0:
            yield self._finding("stf-header", 0, found.line, "the trace begins without a header")
        for row in np.flatnonzero(wrong).tolist():
            pc, line = int(found.columns.pc[row]), int(found.numbers[row]) + found.line
            ordinal = found.columns.first + row
            yield from self._instruction(ordinal, line, pc, found.digits, bool(status[row]))

    def _record(self, record: StfRecord) -> Iterator[Finding]:
        if record.kind == "header":
            self._state, self._executed = 0, False
            return
        if record.ordinal == 0:
            yield self._finding("stf-header", 0, record.line, "the trace begins without a header")
        if record.kind == "state":
            self._state += len(set(PAIR.findall(record.after)))
        else:
            yield from self._instruction(
                record.ordinal, record.line, record.pc, record.digits, bool(record.before.strip())
            )
        yield from self._registers(record)

    def _instruction(
        self, ordinal: int, line: int, pc: int, digits: int, status: bool
    ) -> Iterator[Finding]:
        if not self._executed and self._state < WHOLE_STATE:
            message = f"{self._state} registers stand before the first instruction, not 64"
            yield self._finding("stf-state", ordinal, line, message, WARNING)
        self._executed = True
        if self._digits and digits != self._digits:
            message = f"an address of {digits} digits, after others of {self._digits}"
            yield self._finding("stf-digits", ordinal, line, message)
        self._digits = self._digits or digits
        if pc % 4:
            yield self._finding("stf-pc", ordinal, line, f"an instruction at {pc:#x}")
        self._status = status if self._status is None else self._status
        if status != self._status:
            there = ("no status registers", "status registers")
            message = f"{there[status]} before the instruction, {there[not status]} earlier"
            yield self._finding("stf-status", ordinal, line, message, WARNING)

    def _registers(self, record: StfRecord) -> Iterator[Finding]:
        if record.kind == "state":
            return
        for name, _ in PAIR.findall(GAP_LINE.sub(b"", record.after)):
            if not _NAMES.fullmatch(name):
                message = f"the register line has {name.decode('latin-1')}, which is no register"
                yield self._finding("stf-register", record.ordinal, record.line, message)
                return

    def _finding(
        self, code: str, ordinal: int, line: int, message: str, severity: str = ERROR
    ) -> Finding:
        return Finding(code, severity, self._name, ordinal, message, line)
