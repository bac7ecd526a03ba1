"""The registers of an STF trace as REGVAL records, for RST.

REGVAL with postInstr=0 before an instruction states what is before it, be it the first
one, or that a further register line stated what only it sees; with
postInstr=1 after an instruction, what changed with it: its register lines, and the status
line of the next. The string `registers=general floating status` lists which of them are stated
in full, so that what no record states has not changed.
"""

from __future__ import annotations

import numpy as np

from inst.formats.rst.codes import EMPTY, FLOAT, INT
from inst.formats.rst.record import RECORD
from inst.formats.rst.regvals import STATUS_CODES
from inst.formats.rst.write import Further, pack
from inst.formats.stf.columns import (
    AFTER,
    HAS_FLOATING,
    HAS_GENERAL,
    HAS_STATUS,
    LATER,
    REGISTERS,
    TIMES,
    StfColumns,
    stated_by,
)
from inst.formats.stf.record import StfRecord
from inst.formats.stf.registers import Registers
from inst.formats.stf.trace import StfBatch, StfTrace
from inst.trace.model import Array

_CODES = np.array(
    [*((INT, n) for n in range(32)), *((FLOAT, n) for n in range(32)),
     *(STATUS_CODES[name] for name in REGISTERS[64:])], "u1"
)  # fmt: skip
_WORDS = ((HAS_GENERAL, "general"), (HAS_FLOATING, "floating"), (HAS_STATUS, "status"))


class StfRegisters:
    """Registers that were read, waiting to be written after their instructions."""

    def __init__(self, trace: StfTrace) -> None:
        self._trace = trace
        self._held = Registers()
        self._parts: list[tuple[Array, Array]] = []
        self._before: dict[int, int] = {}
        self._announced = False
        self._fresh = True  # no instruction is before the next one
        trace.observe(self._take_batch)

    def _take_batch(self, batch: StfBatch) -> None:
        for part in batch.parts():
            self._take(part)

    def _take(self, part: StfColumns | StfRecord) -> None:
        if isinstance(part, StfRecord):
            self._before |= dict(stated_by(part.after))
            self._fresh = True
            return
        if not self._announced:
            self._announced = True
            has_lines = int(np.bitwise_or.reduce(part.has_lines)) if len(part) else 0
            words = " ".join(word for bit, word in _WORDS if has_lines & bit)
            self._trace.facts.strings += [f"registers={words}"] if words else []
        times = np.concatenate((np.full(len(self._before), -1), part.time))
        registers = np.concatenate((np.array(list(self._before), "u1"), part.register))
        values = np.concatenate((np.array(list(self._before.values()), "u8"), part.value))
        self._before = {}
        changed = self._changes(times, registers, values)
        when = times[changed]
        places = 2 * ((when - AFTER) // TIMES) + 1
        later = (when >= 0) & (when % TIMES == LATER)
        places[later] += 1  # before the next instruction
        if self._fresh:
            places[places < 0] = 0
        self._fresh = False
        self._held.take(zip(registers.tolist(), values.tolist(), strict=True))
        order = np.argsort(places, kind="stable")
        chosen, places = changed[order], places[order]
        self._parts.append(
            (_firsts(places) + 2 * part.first, _records(places, registers[chosen], values[chosen]))
        )

    def _changes(self, times: Array, registers: Array, values: Array) -> Array:
        """Return which state something new, in the order of time."""
        order = np.argsort(registers, kind="stable")
        sorted_registers, sorted_values = registers[order], values[order]
        new = np.ones(len(order), "?")
        first = np.ones(len(order), "?")
        first[1:] = sorted_registers[1:] != sorted_registers[:-1]
        new[1:] = sorted_values[1:] != sorted_values[:-1]
        held = sorted_registers[first]
        new[first] = ~self._held.known[held] | (self._held.values[held] != sorted_values[first])
        chosen = np.zeros(len(order), "?")
        chosen[order] = new
        return np.flatnonzero(chosen)

    def up_to(self, last: int) -> tuple[Array, Array]:
        """Return the records that belong after instructions up to the one of that ordinal.

        The first array has twice the ordinal, plus 1 for what is after it.
        """
        if not self._parts:
            return np.zeros(0, "i8"), np.zeros(0, RECORD)
        places = np.concatenate([places for places, _ in self._parts])
        data = b"".join(records.tobytes() for _, records in self._parts)
        order = np.argsort(places, kind="stable")
        places, records = places[order], np.frombuffer(data, RECORD)[order]
        count = int(np.searchsorted(places, 2 * last + 1, "right"))
        self._parts = [(places[count:], records[count:])]
        return places[:count], records[:count]


def _within(places: Array) -> Array:
    """Return the how-manieth of its place each is."""
    at = np.arange(len(places))
    starts = np.ones(len(places), "?")
    starts[1:] = places[1:] != places[:-1]
    return at - np.maximum.accumulate(np.where(starts, at, 0)) if len(places) else at


def _firsts(places: Array) -> Array:
    """Return where each record is that has two registers of one place."""
    return np.asarray(places[_within(places) % 2 == 0])


def _records(places: Array, registers: Array, values: Array) -> Array:
    """Return REGVAL records, two registers in each."""
    within = _within(places)
    one = np.flatnonzero(within % 2 == 0)
    two = one + 1
    there = np.flatnonzero(two < len(places))
    paired = there[within[two[there]] % 2 == 1]
    codes = np.zeros((len(one), 2), "u1") + np.array((EMPTY, 0), "u1")
    second = np.zeros(len(one), "u8")
    codes[paired] = _CODES[registers[two[paired]]]
    second[paired] = values[two[paired]]
    own = _CODES[registers[one]]
    return pack(
        "regval", len(one), postInstr=places[one] % 2, regtype0=own[:, 0], regid0=own[:, 1],
        reg64_0=values[one], regtype1=codes[:, 0], regid1=codes[:, 1], reg64_1=second,
    )  # fmt: skip


def further(trace: StfTrace) -> Further:
    """Return what gives the records to put between those of events."""
    return StfRegisters(trace).up_to
