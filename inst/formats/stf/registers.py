"""The registers of a processor while an STF trace is read: what each held at any time.

What the trace does not state has not changed, as long as it records changes at all. A bank that
it records none of is known only until the first instruction.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from inst.arch.powerpc.words import accesses
from inst.arch.powerpc.words.operands import operands_of
from inst.formats.stf.columns import (
    FLOATING,
    GENERAL,
    HAS_FLOATING,
    HAS_GENERAL,
    REGISTERS,
    TIMES,
    StfColumns,
    stated_by,
)
from inst.formats.stf.gap import banks_in
from inst.formats.stf.record import StfRecord
from inst.trace.model import Array

COUNT = len(REGISTERS)


class Registers:
    """What all registers hold before the next instructions."""

    def __init__(self) -> None:
        self.known = np.zeros(COUNT, "?")
        self.values = np.zeros(COUNT, "u8")

    def take(self, changes: Iterable[tuple[int, int]]) -> None:
        """Take over registers that stand before the instructions."""
        for number, value in changes:
            self.known[number], self.values[number] = True, value

    def forget(self, bank: int) -> None:
        """The general (GENERAL) or floating-point registers (FLOATING) are not known any more."""
        self.known[bank : bank + 32] = False

    def over(self, columns: StfColumns) -> Timeline:
        """Return what the registers hold during some instructions."""
        return Timeline(self, columns)

    def advance(self, columns: StfColumns) -> None:
        """Go after the instructions."""
        self.known[columns.register] = True
        self.values[columns.register] = columns.value  # of several the last one stays


class Timeline:
    """What registers hold at times of a batch: a search among all changes, sorted."""

    def __init__(self, start: Registers, columns: StfColumns) -> None:
        known = np.flatnonzero(start.known)
        self._span = TIMES * (len(columns) + 1)
        register = np.concatenate((known, columns.register.astype("i8")))
        time = np.concatenate((np.zeros(len(known), "i8"), columns.time + 1))
        keys = register * self._span + time
        order = np.argsort(keys, kind="stable")
        self._keys = keys[order]
        self._values = np.concatenate((start.values[known], columns.value))[order]

    def at(self, registers: Array, times: Array) -> tuple[Array, Array]:
        """Return values, and which of them are known, after the changes at those times."""
        if not len(self._keys):
            return np.zeros(len(times), "u8"), np.zeros(len(times), "?")
        wanted = registers.astype("i8") * self._span
        places = np.searchsorted(self._keys, wanted + times + 1, "right") - 1
        found = self._keys[places]
        known = (places >= 0) & (found >= wanted)
        return np.where(known, self._values[places], np.uint64(0)), known


def traced(parts: Sequence[StfColumns | StfRecord]) -> tuple[bool, bool]:
    """Return which banks a trace records, general and floating-point, from how it begins."""
    start = Registers()
    stated = None
    for part in parts:
        if isinstance(part, StfRecord):
            start.take(stated_by(part.after))
            here = banks_in(part.after)
        else:
            here = part.banks
        stated = here if stated is None else stated
    if stated is not None:
        return "R" in stated, "F" in stated
    return judge([part for part in parts if isinstance(part, StfColumns)], start)


def judge(parts: list[StfColumns], start: Registers) -> tuple[bool, bool]:
    """Find from the first instructions which banks are traced, general and floating-point.

    Floating-point registers are, once one is stated after an instruction. General ones are
    unless an instruction must have changed one and the trace does not show it.
    """
    has_lines = np.concatenate([part.has_lines for part in parts]) if parts else np.zeros(0, "u1")
    floating = bool((has_lines & HAS_FLOATING).any())
    if (has_lines & HAS_GENERAL).any():
        return True, floating
    words = {word for part in parts for word in np.unique(part.word).tolist()}
    return not any(_must_change(word, start) for word in words), floating


def _must_change(word: int, known: Registers) -> bool:
    """Return whether the instruction gives a register another value than it is known to have."""
    primary, immediate = accesses.primary(word), accesses.immediate(word)
    target, source = accesses.target(word), accesses.base(word)
    if primary in (accesses.LI, accesses.LIS):
        if source == target:
            return immediate != 0
        value = immediate << 16 if primary == accesses.LIS else immediate
        if not known.known[GENERAL + target] or (source and not known.known[GENERAL + source]):
            return False
        base = int(known.values[GENERAL + source]) if source else 0
        return (base + value ^ int(known.values[GENERAL + target])) & 0xFFFFFFFF != 0
    operands = operands_of(word)
    return operands is not None and operands.updates and operands.displacement != 0


BANKS = (GENERAL, FLOATING)
