"""Instructions of STF traces: registers are recorded, memory follows from them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from inst.arch.powerpc.words.accesses import words_in
from inst.formats.stf.columns import (
    AFTER,
    CONDITION,
    HAS_FLOATING,
    HAS_GENERAL,
    HAS_STATUS,
    LATER,
    NUMBERS,
    REGISTERS,
    TIMES,
    StfColumns,
    joined,
    stated_by,
)
from inst.formats.stf.record import StfRecord
from inst.formats.stf.trace import StfTrace
from inst.simulation.machine import Machine
from inst.simulation.memory import KnownMemory
from inst.simulation.model import Instruction, Observed
from inst.trace.held_back import converted
from inst.trace.model import Array

STATUS_NAMES = {"XER": "xer", "CTR": "ctr", "LNK": "lr", "FPSCR": "fpscr"}
"""Status registers by the names of `inst.isa`; MSR and MQ are in no instruction's facts."""

_FIELDS = tuple(f"cr{n}" for n in range(8))
_FIRST_FIELD = len(REGISTERS)
_NAMES = [
    *(f"r{n}" for n in range(32)),
    *(f"f{n}" for n in range(32)),
    *(STATUS_NAMES.get(name, "") for name in REGISTERS[64:]),
    *_FIELDS,
]
"""inst's names by the numbers of `stf_columns`, and after them the fields of CCR."""
_UNNAMED = [NUMBERS[name] for name in ("MSR", "MQ")]
_STATUS = frozenset((*STATUS_NAMES.values(), *_FIELDS))
_NOTHING: dict[str, int] = {}

_make = tuple.__new__


def instructions(trace: StfTrace) -> Iterator[Instruction]:
    """Yield one instruction after another; on damage, those before it and then the error."""
    parts = (part for batch in trace.batches() for part in batch.parts())
    return converted(parts, _Source(trace))


class _Source:
    def __init__(self, trace: StfTrace) -> None:
        self._trace = trace
        self._machine: Machine | None = None
        self._start: dict[str, int] = {}
        self._waiting: StfColumns | None = None
        self._recorded = 0  # which registers the trace has recorded so far

    def take(self, part: StfColumns | StfRecord) -> Iterator[Instruction]:
        """Yield the instructions before; the last one waits for the status line after it."""
        if isinstance(part, StfRecord):  # registers before the first instruction
            yield from self.flush()
            names = ((_NAMES[number], value) for number, value in stated_by(part.after))
            self._start = {name: value for name, value in names if name}
            if self._machine is not None:
                self._machine.registers.update(self._start)
            return
        whole = joined(self._waiting, part) if self._waiting is not None else part
        self._waiting = whole.part(len(whole) - 1, len(whole))
        if len(whole) > 1:
            yield from self._run(whole, len(whole) - 1)

    def flush(self) -> Iterator[Instruction]:
        """Yield the last instruction, which no other follows."""
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            yield from self._run(waiting, 1)

    def _run(self, columns: StfColumns, count: int) -> Iterator[Instruction]:
        time, register, value = _by_our_names(columns)
        machine = self._machine or self._begin(time, register, value)
        bounds = np.searchsorted(time, TIMES * np.arange(count + 1) + AFTER).tolist()
        starts = list(bounds)
        names, values = [_NAMES[number] for number in register.tolist()], value.tolist()
        unchanged, step = self._unchanged(columns, count), machine.step
        pcs, words = columns.pc.tolist(), columns.word.tolist()
        target, there = columns.following(count)
        following = [
            pc if known else None for pc, known in zip(target.tolist(), there.tolist(), strict=True)
        ]
        gaps = {row: bounds[row + 1] for row in columns.gaps["row"].tolist() if row < count}
        for row in gaps:  # what missing instructions changed is not this one's output
            bounds[row + 1] = int(np.searchsorted(time, TIMES * row + LATER))
        for row, (pc, word, name, following_pc, low, high) in enumerate(
            zip(pcs, words, columns.names, following, starts, bounds[1:], strict=False)
        ):
            after = dict(zip(names[low:high], values[low:high], strict=True))
            taken = None if following_pc is None else following_pc != pc + 4 * words_in(word)
            yield step(
                _make(
                    Observed,
                    (pc, word, name, None, (), after or _NOTHING, unchanged[row], taken,
                     following_pc if taken else None, 0, 0, False, False, columns.first + row),
                )
            )  # fmt: skip
            if row in gaps:
                machine.memory.clear()  # missing instructions may have stored anywhere
                machine.registers.update(
                    zip(names[high : gaps[row]], values[high : gaps[row]], strict=True)
                )

    def _begin(self, time: Array, register: Array, value: Array) -> Machine:
        """Start from the registers recorded before the first instruction."""
        self._machine = Machine(self._trace.facts.arch or "ppc", KnownMemory())
        self._machine.registers.update(self._start)
        first = int(np.searchsorted(time, AFTER))
        names = [_NAMES[number] for number in register[:first].tolist()]
        self._machine.registers.update(zip(names, value[:first].tolist(), strict=True))
        return self._machine

    def _unchanged(self, columns: StfColumns, count: int) -> list[frozenset[str]]:
        """Return which registers are unchanged where no line shows a change.

        Those of a bank do, once the trace has recorded one after an instruction; status
        registers, where there are lines before and after it.
        """
        has_lines = columns.has_lines
        banks = has_lines & (HAS_GENERAL | HAS_FLOATING)
        banks = np.bitwise_or.accumulate(np.append(np.uint8(self._recorded), banks[:count]))[1:]
        self._recorded = int(banks[-1])
        following = np.append(has_lines[1:], np.uint8(0))[:count]
        every = banks | (has_lines[:count] & following & HAS_STATUS)
        return [_registers_of(each) for each in every.tolist()]


@lru_cache(maxsize=8)
def _registers_of(has_lines: int) -> frozenset[str]:
    found = set(_STATUS) if has_lines & HAS_STATUS else set[str]()
    if has_lines & HAS_GENERAL:
        found |= {f"r{n}" for n in range(32)}
    if has_lines & HAS_FLOATING:
        found |= {f"f{n}" for n in range(32)}
    return frozenset(found)


def _by_our_names(columns: StfColumns) -> tuple[Array, Array, Array]:
    """Return the changes of what has a name in `_NAMES`: a CCR is its eight fields."""
    time, register, value = columns.time, columns.register, columns.value
    named = ~np.isin(register, _UNNAMED)
    if not named.all():
        time, register, value = time[named], register[named], value[named]
    whole = register == CONDITION
    if not whole.any():
        return time, register, value
    copies = np.where(whole, 8, 1)
    field = np.arange(int(copies.sum())) - np.repeat(np.cumsum(copies) - copies, copies)
    fields = np.repeat(whole, copies)
    time, register, value = (np.repeat(column, copies) for column in (time, register, value))
    shifted = value >> (28 - 4 * field).clip(0).astype("u8") & np.uint64(15)
    return time, np.where(fields, _FIRST_FIELD + field, register), np.where(fields, shifted, value)
