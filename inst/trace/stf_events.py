"""From STF records to events: accesses are derived from instruction words and registers.

The address comes from the registers before the instruction, a stored value too; a loaded
value is the destination's after it. What the trace does not record stays unknown: registers
that were not traced give no address and no value.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from inst.trace import decode
from inst.trace.model import EVENT, Array, Flag, Kind
from inst.trace.powerpc_access import FROM_XER, Operands, operands_of, to_memory
from inst.trace.stf_record import StfRecord
from inst.trace.stf_registers import Registers

if TYPE_CHECKING:
    from inst.trace.stf import StfTrace

Row = tuple[int, ...]

AHEAD = 4096
"""Records looked at together: the first ones tell which registers are traced."""

SYSTEM_CALL = 0x108
"""The trap type that RST has for a system call; STF names none."""

_BASIC = int(Flag.HAS_PC | Flag.HAS_WORD)
_ADDRESS, _VALUE, _ATOMIC = int(Flag.HAS_ADDRESS), int(Flag.HAS_VALUE), int(Flag.ATOMIC)
_EQUAL = 1 << 29
"""The bit of CCR that says a conditional store was done."""


def events(trace: StfTrace) -> Iterator[Array]:
    """Yield the events of the trace; the last instruction of a batch waits for the next."""
    deriving = _Deriving(trace)
    waiting: list[StfRecord] = []
    try:
        for batch in trace.batches():
            waiting += batch.records
            if len(waiting) >= AHEAD:
                records, waiting = waiting, waiting[-1:]
                yield from deriving.events(records)
    except Exception:
        yield from deriving.events([*waiting, _END])
        raise
    yield from deriving.events([*waiting, _END])


_END = StfRecord(0, "header")


class _Deriving:
    """What must be remembered from record to record."""

    def __init__(self, trace: StfTrace) -> None:
        self._trace = trace
        self._registers = Registers()
        self._mask = (1 << 32) - 1
        self._judged = False

    def events(self, records: list[StfRecord]) -> Iterator[Array]:
        """Yield the events of all records but the last, which only ends the one before."""
        if not self._judged:
            self._judge(records)
        rows: list[Row] = []
        for record, following in itertools.pairwise(records):
            if record.kind == "instr":
                self._instruction(record, following, rows)
            else:
                self._registers.take(record.after)
        if rows:
            yield np.array(rows, EVENT)

    def _judge(self, records: list[StfRecord]) -> None:
        """Look ahead: were general-purpose and floating-point registers traced at all?"""
        self._judged = True
        self._mask = (1 << 4 * (self._trace.digits or 8)) - 1
        self._registers.judge(records)
        if not self._registers.general.traced:
            self._trace.notes.append(
                "the general-purpose registers were not traced: accesses have no addresses"
            )

    def _instruction(self, record: StfRecord, following: StfRecord, rows: list[Row]) -> None:
        operands = operands_of(record.word)
        if operands is None:
            self._other(record, following, rows)
            if record.after:
                self._registers.take(record.after)
            self._registers.settle(record)
            return
        access = operands.access
        writes = access.what == decode.WRITE
        registers = self._registers
        registers.status = record.before
        address = operands.address(registers.read, self._mask)
        if writes:
            self._access(record, following, operands, address, rows)
        after = record.after
        again = after.find(b"\nR") + 1
        registers.take(after[:again] or after)
        registers.settle(record)
        if not writes:
            self._access(record, following, operands, address, rows)
        if again:
            registers.take(after[again:])

    def _access(
        self,
        record: StfRecord,
        following: StfRecord,
        operands: Operands,
        address: int | None,
        rows: list[Row],
    ) -> None:
        """Add the rows of an access; the registers hold what it stored or has loaded."""
        access = operands.access
        kind, flags = Kind.READ, _BASIC
        if access.what == decode.WRITE:
            kind = Kind.WRITE
        elif access.reserve:
            kind = Kind.RESERVE
        if access.reserve:
            flags |= _ATOMIC
            if kind is Kind.WRITE and _store_failed(following):
                rows.append(_row(record, Kind.INSTRUCTION, flags & ~_ATOMIC, address, 0, None))
                return
        if not access.multiple:
            value = self._value(operands, operands.number, access.size)
            if value is not None and kind is Kind.RESERVE:
                kind = Kind.READ
            rows.append(_row(record, kind, flags, address, access.size, value))
            return
        for offset, number, size, shift in self._pieces(operands):
            place = None if address is None else address + offset & self._mask
            value = self._value(operands, number, 4)
            piece = None if value is None else value >> shift
            rows.append(_row(record, kind, flags, place, size, piece))

    def _pieces(self, operands: Operands) -> Iterator[tuple[int, int, int, int]]:
        """Yield offset, register, bytes and unused bits for each register of a multiple."""
        if operands.length == 0:
            for number in range(operands.number, 32):
                yield (number - operands.number) * 4, number, 4, 0
            return
        length = operands.length
        if length == FROM_XER:
            length = self._registers.string_length()
        for offset in range(0, length, 4):
            size = min(4, length - offset)
            yield offset, (operands.number + offset // 4) & 31, size, 32 - 8 * size

    def _value(self, operands: Operands, number: int, size: int) -> int | None:
        if not operands.bank or not size:
            return None
        value = self._registers.read(operands.bank, number)
        if value is None:
            return None
        if size == 16:
            low = self._registers.read(operands.bank, number + 1 & 31)
            return None if low is None else value << 64 | low
        return to_memory(value, size, operands.form)

    def _other(self, record: StfRecord, following: StfRecord, rows: list[Row]) -> None:
        """Add an instruction without an access: a taken branch has its target as address."""
        flags, target = _BASIC, None
        primary = record.word >> 26
        if primary == 17:
            flags |= int(Flag.TRAPPED)
            call = self._registers.read("R", 0)
            rows.append(_row(record, Kind.TRAP, _BASIC & ~int(Flag.HAS_WORD), SYSTEM_CALL, 0, call))
        elif _is_branch(record.word) and self._leaves(record, following):
            flags |= int(Flag.TAKEN)
            target = following.pc
        rows.append(_row(record, Kind.INSTRUCTION, flags, target, 0, None))

    def _leaves(self, record: StfRecord, following: StfRecord) -> bool:
        return following.kind == "instr" and following.pc != record.pc + 4 & self._mask


def _is_branch(word: int) -> bool:
    primary = word >> 26
    return primary in (16, 18) or (primary == 19 and word >> 1 & 0x3FF in (16, 528, 560))


def _store_failed(following: StfRecord) -> bool:
    """Tell whether the status line behind a conditional store says that it was not done."""
    if following.kind != "instr" or b"CCR" not in following.before:
        return False
    return not following.status["CCR"] & _EQUAL


def _row(
    record: StfRecord, kind: Kind, flags: int, address: int | None, size: int, value: int | None
) -> Row:
    if address is None:
        address = 0
    else:
        flags |= _ADDRESS
    high = 0
    if value is None:
        value = 0
    else:
        flags |= _VALUE
        high, value = value >> 64, value & 0xFFFFFFFFFFFFFFFF
    word = record.word if flags & int(Flag.HAS_WORD) else 0
    return (
        record.ordinal, record.ordinal, 0, record.pc, address, size, value, high, word, 0,
        int(kind), flags, 0, 0,
    )  # fmt: skip
