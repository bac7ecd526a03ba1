"""What the registers of an STF trace hold before and after each of some instructions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from inst.arch.powerpc.words.accesses import is_prefixed
from inst.formats.stf.columns import (
    AFTER,
    BEFORE,
    HAS_GENERAL,
    HAS_STATUS,
    NUMBERS,
    TIMES,
    StfColumns,
)
from inst.formats.stf.registers import Timeline
from inst.trace.model import Array

LINK, COUNT, CODES = NUMBERS["LNK"], NUMBERS["CTR"], NUMBERS["CCR"]
RECORDED = (CODES, LINK, COUNT)
"""Status registers that count as recorded once they were not zero: producers write zeros
for what they cannot read."""


class Wrong(NamedTuple):
    """An instruction that cannot have done what the trace shows."""

    row: int
    code: str
    message: str
    sure: bool
    """Not to be explained by a signal's handler."""


class Moments:
    """Some instructions, and the registers before and after each, where they are known."""

    def __init__(
        self,
        columns: StfColumns,
        count: int,
        held: Timeline,
        wide: bool,
        general: bool,
        nonzero: Mapping[int, bool],
    ) -> None:
        self.columns, self.count, self.wide = columns, count, wide
        """`columns` has one instruction more than are looked at, if there is one."""
        self.words = columns.word[:count].astype("i8")
        self.pcs = columns.pc[:count]
        self.lengths = np.where(is_prefixed(self.words), np.uint64(8), np.uint64(4))
        """Bytes of each instruction."""
        self.rows = np.arange(count)
        self.mask = np.uint64((1 << (64 if wide else 32)) - 1)
        self._held = held
        has_lines = columns.has_lines
        self._status = np.append(has_lines, np.uint8(0))[: count + 1] & HAS_STATUS != 0
        lines = np.append(np.bool_(general), has_lines[:count] & HAS_GENERAL != 0)
        self.general = np.logical_or.accumulate(lines)[1:]
        """From which rows on the trace has recorded general registers after instructions."""
        self.nonzero = {number: self._seen(number, seen) for number, seen in nonzero.items()}
        self._gap = np.zeros(count, "?")
        self._gap[columns.gaps["row"][columns.gaps["row"] < count]] = True

    def _seen(self, register: int, seen: bool) -> Array:
        """Return from which rows on a status register has been something else than zero."""
        columns, found = self.columns, np.zeros(self.count, "?")
        rows = columns.time[(columns.register == register) & (columns.value != 0)] // TIMES
        found[rows[rows < self.count]] = True
        found[0] |= seen
        return np.logical_or.accumulate(found)

    def before(self, registers: Array, rows: Array) -> tuple[Array, Array]:
        """Return what registers hold before instructions, and where that is known."""
        value, known = self._held.at(registers, TIMES * rows + BEFORE)
        return value & self.mask, known

    def after(self, registers: Array, rows: Array) -> tuple[Array, Array]:
        """Return what general registers hold after instructions, and where it is recorded."""
        value, known = self._held.at(registers, TIMES * rows + AFTER)
        return value & self.mask, known & self.general[rows]

    def status_before(self, register: int, rows: Array) -> tuple[Array, Array]:
        """Return what a status register holds before instructions, and where it is recorded."""
        value, known = self.before(np.full(len(rows), register), rows)
        return value, known & self._status[rows] & self.nonzero[register][rows]

    def status_after(self, register: int, rows: Array) -> tuple[Array, Array]:
        """Return what the next status line says, where it follows the instruction itself."""
        value, known = self.before(np.full(len(rows), register), rows + 1)
        stated = self._status[rows + 1] & ~self._gap[rows]
        return value, known & stated & self.nonzero[register][rows]
