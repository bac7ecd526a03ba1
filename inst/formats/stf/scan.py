"""Reads many STF instructions at once, when all stand in the classic spelling.

Lines are grouped by what they are and how long they are; a group's lines are below each other
in an array, where blanks, names and digits are columns. A producer that records everything
repeats most digits from line to line: of long lines only the digits that differ from the line
before are looked at, which shows that the line is well formed and what changed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from inst.formats.stf.columns import (
    AFTER,
    BEFORE,
    HAS_FLOATING,
    HAS_GENERAL,
    HAS_STATUS,
    LATER,
    TIMES,
    StfColumns,
)
from inst.formats.stf.record import StfRecord
from inst.formats.stf.scan_lines import (
    HEX,
    INSTRUCTION,
    NOTHING,
    REGISTER,
    ROLES,
    STATUS,
    Lines,
    numbers_of,
)
from inst.formats.stf.scan_registers import take_registers
from inst.trace.model import Array

MNEMONIC = re.compile(rb"[^\s=]++ ?+")


@dataclass(frozen=True, slots=True)
class Scanned:
    """Instructions found, and where each record's text is."""

    columns: StfColumns
    buffer: bytes
    starts: Array
    """Where each record begins in the buffer, and where the last one ends."""
    lines: Array
    """Where each instruction's own line begins."""
    numbers: Array
    """The line's number, from 0 for the first line scanned."""
    digits: int
    cut: bool
    """Something else is after the last record."""
    line_count: int
    """Lines of all the records."""
    line: int = 0
    """Number of the first line scanned."""

    def __len__(self) -> int:
        return len(self.lines)

    def afters(self, rows: Array) -> list[bytes]:
        """Return the register lines after some of the instructions."""
        ends = self.starts[rows + 1].tolist()
        text_starts = (self.lines[rows] + 28 + self.digits).tolist()
        find, buffer = self.buffer.find, self.buffer
        return [
            buffer[find(b"\n", start, end) + 1 : end]
            for start, end in zip(text_starts, ends, strict=True)
        ]

    def records(self) -> list[StfRecord]:
        """Return the records one by one."""
        columns, buffer = self.columns, self.buffer
        rows = zip(
            self.starts.tolist(),
            self.lines.tolist(),
            self.starts[1:].tolist(),
            columns.pc.tolist(),
            columns.word.tolist(),
            columns.names,
            self.afters(np.arange(len(self))),
            (self.numbers + self.line).tolist(),
            strict=False,
        )
        return [
            StfRecord(ordinal, "instr", pc, word, name, buffer[start:line], after,
                      self.digits, buffer[start:end], number)
            for ordinal, (start, line, end, pc, word, name, after, number)
            in enumerate(rows, columns.first)
        ]  # fmt: skip


def scan(buffer: bytes, position: int, limit: int, first: int) -> Scanned | None:
    """Return the instructions that begin at `position`, but not the last one: it may go on."""
    size = min(limit, len(buffer) - position)
    data = np.frombuffer(buffer, "u1", size, position)
    ends = np.flatnonzero(data == 10)
    if len(ends) < 2:
        return None
    starts = np.concatenate((np.zeros(1, "i8"), ends[:-1] + 1))
    roles = ROLES[data[starts]]
    lines = Lines(buffer, position, data, starts, ends, roles, _ordered(roles))
    begins = _begins(lines)
    if len(begins) < 2:
        return None
    instructions = np.flatnonzero(roles[: begins[-1]] == INSTRUCTION)
    digits = 8 if buffer[position + starts[instructions[0]] + 14 :][:1] == b" " else 16
    pc, word, names = _instructions(lines, instructions, digits)
    take_registers(lines, int(begins[-1]))
    count = int(np.searchsorted(begins, lines.cut)) - 1  # the line cut at may be of the one before
    if count <= 0:
        return None
    columns = _columns(lines, begins, count, (pc[:count], word[:count], names[:count]), first)
    return Scanned(
        columns,
        buffer,
        starts[begins[: count + 1]] + position,
        starts[instructions[:count]] + position,
        instructions[:count],
        digits,
        lines.cut < len(starts),
        int(begins[count]),
    )


def _ordered(roles: Array) -> int:
    """Return the first line that may not stand where it does."""
    wrong = roles == NOTHING
    wrong[1:] |= (roles[:-1] == STATUS) & (roles[1:] != INSTRUCTION)
    wrong[0] |= roles[0] == REGISTER
    return int(wrong.argmax()) if wrong.any() else len(roles)


def _begins(lines: Lines) -> Array:
    """Return the lines that begin records."""
    roles = lines.roles[: lines.cut]
    begins = (roles == STATUS) | (roles == INSTRUCTION)
    begins[1:] &= roles[:-1] != STATUS
    return np.flatnonzero(begins)


def _instructions(lines: Lines, chosen: Array, digits: int) -> tuple[Array, Array, list[str]]:
    """Return address, word and mnemonic of instruction lines."""
    template = np.frombuffer(b"PCN = " + b"0" * digits + b" OPC = 00000000 MNC = ", "u1")
    lengths = lines.ends[chosen] - lines.starts[chosen]
    lines.refuse(chosen[lengths <= len(template)])
    chosen = chosen[chosen < lines.cut]
    heads = (
        lines.windows(chosen, len(template)) if len(chosen) else np.zeros((0, len(template)), "u1")
    )
    numbers = template == ord("0")
    good = (heads[:, ~numbers] == template[~numbers]).all(axis=1)
    good &= HEX[heads[:, numbers]].all(axis=1)
    lines.refuse(chosen[~good])
    starts = (lines.starts[chosen] + lines.position + len(template)).tolist()
    ends = (lines.ends[chosen] + lines.position).tolist()
    raw = [lines.buffer[start:end] for start, end in zip(starts, ends, strict=True)]
    known = {each: _mnemonic(each) for each in set(raw)}
    if None in known.values():
        lines.refuse(chosen[[known[each] is None for each in raw]])
    names = [known[each] or "" for each in raw]
    return (
        numbers_of(heads[:, 6 : 6 + digits]),
        numbers_of(heads[:, 13 + digits : 21 + digits]),
        names,
    )


def _mnemonic(raw: bytes) -> str | None:
    return raw.rstrip(b" ").decode("utf-8", "replace") if MNEMONIC.fullmatch(raw) else None


def _columns(
    lines: Lines,
    begins: Array,
    count: int,
    instructions: tuple[Array, Array, list[str]],
    first: int,
) -> StfColumns:
    """Put the changes into the order of time."""
    end = int(begins[count])
    roles, heads = lines.roles[:end], lines.data[lines.starts[:end]]
    begun = np.zeros(end, "i8")
    begun[begins[:count]] = 1
    row_of = np.cumsum(begun) - 1
    again = (roles == REGISTER) & (heads == ord("R"))
    again[1:] &= roles[:-1] == REGISTER
    last_again = np.maximum.accumulate(np.where(again, np.arange(end), -1))
    when = np.where(last_again > begins[:count][row_of], LATER, AFTER)
    time_of = TIMES * row_of + np.where(roles == STATUS, BEFORE, when)
    has_lines = np.zeros(count, "u1")
    for bit, chosen in (
        (HAS_GENERAL, (roles == REGISTER) & (heads == ord("R"))),
        (HAS_FLOATING, (roles == REGISTER) & (heads == ord("F"))),
        (HAS_STATUS, roles == STATUS),
    ):
        has_lines[row_of[chosen]] |= bit
    line, register, value = (
        np.concatenate([part[n] for part in lines.found] or [np.zeros(0, "i8")]) for n in range(3)
    )
    kept = line < end
    time = time_of[line[kept]]
    order = np.argsort(time, kind="stable")
    pc, word, names = instructions
    return StfColumns(
        first,
        pc,
        word.astype("u4"),
        names,
        has_lines,
        time[order],
        register[kept].astype("u1")[order],
        value[kept].astype("u8")[order],
    )
