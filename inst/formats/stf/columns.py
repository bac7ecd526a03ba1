"""Instructions of an STF trace by columns: what each is, and the registers the lines state.

A register that a line repeats unchanged is not repeated here: what counts is when each
register got which value. Times are three for each instruction, so that order is kept:
the status line before it, the registers after it, and those of a further R line,
which only the next instruction sees.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from inst.formats.stf import gap as stf_gap
from inst.formats.stf.record import OLDER, PAIR, STATUS, StfRecord
from inst.trace.model import Array

GENERAL, FLOATING, CONDITION = 0, 32, 64 + STATUS.index("CCR")
REGISTERS = (
    *(f"R{number:02d}" for number in range(32)),
    *(f"F{number:02d}" for number in range(32)),
    *STATUS,
)
"""The registers by the number that `StfColumns.register` holds."""
NUMBERS = {name: number for number, name in enumerate(REGISTERS)}
NUMBERS |= {old: NUMBERS[new] for old, new in OLDER.items()}
BY_BYTES = {name.encode(): number for name, number in NUMBERS.items()}

BEFORE, AFTER, LATER = 0, 1, 2
"""When, of an instruction's three times, a line states a register."""
TIMES = 3

HAS_GENERAL, HAS_FLOATING, HAS_STATUS = 1, 2, 4


NO_GAPS = np.zeros(0, stf_gap.DTYPE)


@dataclass(frozen=True, slots=True)
class StfColumns:
    """Consecutive instructions, and changes of registers in the order of time."""

    first: int
    """Ordinal of the first instruction's record."""
    pc: Array
    """u8: address."""
    word: Array
    """u4: instruction word; u8 where some have two, the first above the second."""
    names: list[str]
    """Mnemonics."""
    has_lines: Array
    """u1: which lines the instruction has (HAS_GENERAL, HAS_FLOATING, HAS_STATUS)."""
    time: Array
    """i8, of each change: 3 * row + BEFORE, AFTER or LATER."""
    register: Array
    """u1, of each change: index into REGISTERS."""
    value: Array
    """u8, of each change."""
    gaps: Array = field(default_factory=lambda: NO_GAPS)
    """`stf_gap.DTYPE`: instructions after which others are missing."""
    banks: str | None = None
    """Which registers the trace records, where it states them."""

    def __len__(self) -> int:
        return len(self.pc)

    def part(self, start: int, end: int) -> StfColumns:
        """Return some of the instructions, with their changes."""
        low, high = np.searchsorted(self.time, (TIMES * start, TIMES * end)).tolist()
        return StfColumns(
            self.first + start,
            self.pc[start:end],
            self.word[start:end],
            self.names[start:end],
            self.has_lines[start:end],
            self.time[low:high] - TIMES * start,
            self.register[low:high],
            self.value[low:high],
            _moved(self.gaps[(self.gaps["row"] >= start) & (self.gaps["row"] < end)], -start),
            self.banks,
        )

    def following(self, count: int) -> tuple[Array, Array]:
        """Return, for the first instructions, what was executed next, and whether anything was."""
        target, there = np.zeros(count, "u8"), np.arange(count) + 1 < len(self)
        target[there] = self.pc[1 : count + 1]
        gaps = self.gaps[self.gaps["row"] < count]
        target[gaps["row"]], there[gaps["row"]] = gaps["next"], gaps["follows"]
        return target, there


def _moved(gaps: Array, rows: int) -> Array:
    moved = gaps.copy()
    moved["row"] += rows
    return moved


def joined(one: StfColumns, two: StfColumns) -> StfColumns:
    """Return the instructions of both, one after the other."""

    def both(name: str) -> Array:
        return np.concatenate((getattr(one, name), getattr(two, name)))

    return StfColumns(
        one.first,
        both("pc"),
        both("word"),
        one.names + two.names,
        both("has_lines"),
        np.concatenate((one.time, two.time + TIMES * len(one))),
        both("register"),
        both("value"),
        np.concatenate((one.gaps, _moved(two.gaps, len(one)))),
        one.banks if one.banks is not None else two.banks,
    )


def columns_of(records: list[StfRecord]) -> StfColumns:
    """Return consecutive instruction records, of whatever spelling, as columns."""
    changes: list[tuple[int, int, int]] = []
    gaps: list[tuple[int, int, bool, bool]] = []
    has_lines, banks = [], None
    for row, record in enumerate(records):
        found = _changes(record.before, TIMES * row + BEFORE)
        stated = HAS_STATUS * bool(found)
        changes += found
        later = _later(record.after)
        for when, text in ((AFTER, record.after[:later]), (LATER, record.after[later:])):
            found = _changes(text, TIMES * row + when)
            stated |= HAS_GENERAL * any(number < FLOATING for _, number, _ in found)
            stated |= HAS_FLOATING * any(FLOATING <= number < 64 for _, number, _ in found)
            changes += found
        has_lines.append(stated)
        if stf_gap.WORD in record.after and (gap := stf_gap.gap_in(record.after)) is not None:
            gaps.append((row, gap.following or 0, gap.following is not None, gap.condition))
            banks = gap.banks if banks is None else banks
        if banks is None and record.before:
            banks = stf_gap.banks_in(record.before)
    time, register, value = zip(*changes, strict=True) if changes else ((), (), ())
    return StfColumns(
        records[0].ordinal if records else 0,
        np.array([record.pc for record in records], "u8"),
        words_of(records),
        [record.mnemonic for record in records],
        np.array(has_lines, "u1"),
        np.array(time, "i8"),
        np.array(register, "u1"),
        np.array(value, "u8"),
        np.array(gaps, stf_gap.DTYPE),
        banks,
    )


def words_of(records: list[StfRecord]) -> Array:
    """Return the instructions of records, as `StfColumns.word` has them."""
    words = np.array([record.word for record in records], "u8")
    return words if (words >> np.uint64(32)).any() else words.astype("u4")


def _later(after: bytes) -> int:
    """Return where, of the lines after an instruction, those begin that only the next sees."""
    again = after.find(b"\nR") + 1 or len(after)
    if stf_gap.WORD in after and (gap := stf_gap.BEGIN.search(after)):
        return min(again, gap.start())
    return again


def _changes(text: bytes, time: int) -> list[tuple[int, int, int]]:
    if not text:
        return []
    return [(time, number, value) for number, value in stated_by(text)]


def stated_by(text: bytes) -> Iterable[tuple[int, int]]:
    """Yield number and value of the registers that lines state."""
    for name, value in PAIR.findall(text):
        number = BY_BYTES.get(name)
        if number is None and name[:1] in (b"R", b"F") and name[1:].isdigit():
            number = BY_BYTES.get(b"%s%02d" % (name[:1], int(name[1:])))  # R3 for R03
        if number is not None:
            yield number, int(value, 16)
