"""Reads many STF instructions at once, when all stand in the classic spelling.

Lines are grouped by what they are and how long they are; a group's lines lie under each other
in an array, where blanks, names and digits are columns. A producer that records everything
repeats most digits from line to line: of long lines only the digits that differ from the line
before are looked at, which says at once that the line is well formed and what changed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np

from inst.trace.model import Array
from inst.trace.stf_columns import (
    AFTER,
    BEFORE,
    BY_BYTES,
    FLOATING,
    LATER,
    TELLS_FLOATING,
    TELLS_GENERAL,
    TELLS_STATUS,
    TIMES,
    StfColumns,
)
from inst.trace.stf_record import StfRecord

STATUS_LINE = re.compile(
    rb"(?:(?:XER|MSR|CTR|LNK|CCR|MQ|HQ|FPSCR) = (?:[0-9a-f]{16}|[0-9a-f]{8}) ?+)++\n"
)
REGISTER_LINE = re.compile(
    rb"(?:R[0-3]\d = (?:[0-9a-f]{16}|[0-9a-f]{8}) ?+)++\n|(?:F[0-3]\d = [0-9a-f]{16} ?+)++\n"
)
TOKEN = re.compile(rb"(\w+) = (\w+)")
MNEMONIC = re.compile(rb"[^\s=]++ ?+")

NOTHING, INSTRUCTION, REGISTER, STATUS = range(4)
ROLES = np.zeros(256, "u1")
ROLES[ord("P")] = INSTRUCTION
ROLES[list(b"RF")] = REGISTER
ROLES[list(b"XMCLH")] = STATUS

HEX = np.zeros(256, "?")
HEX[list(b"0123456789abcdef")] = True
DECIMAL = np.zeros(256, "?")
DECIMAL[list(b"0123456789")] = True

MANY = 4
"""Registers on a line from which on it is compared with the line before."""


@dataclass(frozen=True, slots=True)
class Scanned:
    """Instructions found, and where each record's text stands."""

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
    """Something else stands behind the last record."""
    line_count: int
    """Lines of all the records."""
    line: int = 0
    """Number of the first line scanned."""

    def __len__(self) -> int:
        return len(self.lines)

    def afters(self, rows: Array) -> list[bytes]:
        """Return the register lines behind some of the instructions."""
        ends = self.starts[rows + 1].tolist()
        behind = (self.lines[rows] + 28 + self.digits).tolist()
        find, buffer = self.buffer.find, self.buffer
        return [
            buffer[find(b"\n", start, end) + 1 : end]
            for start, end in zip(behind, ends, strict=True)
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


@dataclass(slots=True)
class _Lines:
    """The lines looked at, and what was found wrong and right with them."""

    buffer: bytes
    position: int
    data: Array
    starts: Array
    ends: Array
    roles: Array
    cut: int
    """The first line that is not as it should be."""
    found: list[tuple[Array, Array, Array]] = field(default_factory=list)
    """Line, register and value of what lines tell."""

    def refuse(self, lines: Array) -> None:
        if len(lines):
            self.cut = min(self.cut, int(lines.min()))

    def windows(self, lines: Array, width: int) -> Array:
        """Return the first bytes of some lines, a row for each."""
        return np.lib.stride_tricks.sliding_window_view(self.data, width)[self.starts[lines]]


def scan(buffer: bytes, position: int, limit: int, first: int) -> Scanned | None:
    """Return the instructions that begin at `position`, but not the last one: it may go on."""
    size = min(limit, len(buffer) - position)
    data = np.frombuffer(buffer, "u1", size, position)
    ends = np.flatnonzero(data == 10)
    if len(ends) < 2:
        return None
    starts = np.concatenate((np.zeros(1, "i8"), ends[:-1] + 1))
    roles = ROLES[data[starts]]
    lines = _Lines(buffer, position, data, starts, ends, roles, _ordered(roles))
    begins = _begins(lines)
    if len(begins) < 2:
        return None
    instructions = np.flatnonzero(roles[: begins[-1]] == INSTRUCTION)
    digits = 8 if buffer[position + starts[instructions[0]] + 14 :][:1] == b" " else 16
    pc, word, names = _instructions(lines, instructions, digits)
    _registers(lines, int(begins[-1]))
    count = int(np.searchsorted(begins, lines.cut, "right")) - 1
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


def _begins(lines: _Lines) -> Array:
    """Return the lines that begin records."""
    roles = lines.roles[: lines.cut]
    begins = (roles == STATUS) | (roles == INSTRUCTION)
    begins[1:] &= roles[:-1] != STATUS
    return np.flatnonzero(begins)


def _instructions(lines: _Lines, chosen: Array, digits: int) -> tuple[Array, Array, list[str]]:
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
    return _numbers(heads[:, 6 : 6 + digits]), _numbers(heads[:, 13 + digits : 21 + digits]), names


def _mnemonic(raw: bytes) -> str | None:
    return raw.rstrip(b" ").decode("utf-8", "replace") if MNEMONIC.fullmatch(raw) else None


def _numbers(digits: Array) -> Array:
    """Return rows of 8 or 16 hexadecimal digits as numbers."""
    if digits.shape[1] == 16:
        return _numbers(digits[:, :8]) << np.uint64(32) | _numbers(digits[:, 8:])
    text = np.ascontiguousarray(digits).view("<u8").ravel()
    number = (text & 0x0F0F0F0F0F0F0F0F) + 9 * (text >> np.uint64(6) & 0x0101010101010101)
    for bits, mask in ((8, 0x00FF00FF00FF00FF), (16, 0x0000FFFF0000FFFF), (32, 0xFFFFFFFF)):
        number = (number << np.uint64(bits // 2)) + (number >> np.uint64(bits)) & mask
    return number


@dataclass(frozen=True, slots=True)
class _Layout:
    """Where the registers of a line stand."""

    numbers: list[int]
    names: list[int]
    """Where each name begins."""
    values: list[int]
    """Where each value begins."""
    digits: list[int]


def _layout(line: bytes) -> _Layout | None:
    pattern = REGISTER_LINE if line[:1] in b"RF" else STATUS_LINE
    if not pattern.fullmatch(line):
        return None
    tokens = list(TOKEN.finditer(line))
    if any(token[1] not in BY_BYTES for token in tokens):
        return None
    return _Layout(
        [BY_BYTES[token[1]] for token in tokens],
        [token.start(1) for token in tokens],
        [token.start(2) for token in tokens],
        [len(token[2]) for token in tokens],
    )


def _registers(lines: _Lines, end: int) -> None:
    """Take the registers of all register and status lines before `end`."""
    chosen = np.flatnonzero(lines.roles[:end] >= REGISTER)
    keys = (lines.ends - lines.starts)[chosen] << 8 | lines.data[lines.starts[chosen]]
    distinct, places = np.unique(keys, return_inverse=True)
    alone = {key: _only(key, distinct) for key in distinct.tolist()}
    for place, key in enumerate(distinct.tolist()):
        group = chosen[places == place]
        at = lines.position + int(lines.starts[group[0]])
        layout = _layout(lines.buffer[at : at + (key >> 8) + 1])
        if layout is None:
            lines.refuse(group)
        elif alone[key] and len(layout.values) >= MANY:
            _differences(lines, group, layout, key >> 8)
        else:
            _tokens(lines, group, layout, key >> 8)


def _only(key: int, keys: Array) -> bool:
    """Tell whether no other group has lines of the same registers."""
    bank = key & 0xFF
    banks = (keys & 0xFF).tolist()
    return banks.count(bank) == 1 if bank in b"RF" else sum(b not in b"RF" for b in banks) == 1


def _tokens(lines: _Lines, group: Array, layout: _Layout, width: int) -> None:
    """Take every register of lines that are spelled alike."""
    rows = lines.windows(group, width)
    fixed = np.ones(width, "?")
    good = np.ones(len(group), "?")
    for name, start, digits in zip(layout.names, layout.values, layout.digits, strict=True):
        fixed[start : start + digits] = False
        good &= HEX[rows[:, start : start + digits]].all(axis=1)
        if layout.numbers[0] < 64:
            fixed[name + 1 : name + 3] = False
            good &= DECIMAL[rows[:, name + 1 : name + 3]].all(axis=1)
    good &= (rows[:, fixed] == rows[0, fixed]).all(axis=1)
    lines.refuse(group[~good])
    for number, name, start, digits in zip(
        layout.numbers, layout.names, layout.values, layout.digits, strict=True
    ):
        register = np.full(len(group), number, "u1")
        if number < 64:
            decimals = rows[:, name + 1 : name + 3] & 15
            register = decimals[:, 0] * 10 + decimals[:, 1]
            lines.refuse(group[register > 31])
            register += np.uint8(number // 32 * 32)
        lines.found.append((group, register, _numbers(rows[:, start : start + digits])))


def _differences(lines: _Lines, group: Array, layout: _Layout, width: int) -> None:
    """Take the registers of the first line, and of the others those that differ."""
    rows = lines.windows(group, width)
    token_of = np.full(width, -1, "i2")
    for each, (start, digits) in enumerate(zip(layout.values, layout.digits, strict=True)):
        token_of[start : start + digits] = each
    places = np.flatnonzero(rows[1:] != rows[:-1])
    differing, column = places // width + 1, places % width
    place = token_of[column]
    lines.refuse(group[differing[(place < 0) | ~HEX[rows[differing, column]]]])
    count = len(layout.values)
    changed = np.unique((differing * count + place)[place >= 0])
    changed = np.concatenate((np.arange(count), changed))
    row, token = changed // count, changed % count
    values, numbers = np.array(layout.values), np.array(layout.numbers, "u1")
    value = np.zeros(len(row), "u8")
    for digits in set(layout.digits):
        some = np.array(layout.digits)[token] == digits
        at = values[token[some], None] + np.arange(digits)
        value[some] = _numbers(rows[row[some, None], at])
    lines.found.append((group[row], numbers[token], value))


def _columns(
    lines: _Lines,
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
    tells = np.zeros(count, "u1")
    for bit, chosen in (
        (TELLS_GENERAL, (roles == REGISTER) & (heads == ord("R"))),
        (TELLS_FLOATING, (roles == REGISTER) & (heads == ord("F"))),
        (TELLS_STATUS, roles == STATUS),
    ):
        tells[row_of[chosen]] |= bit
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
        tells,
        time[order],
        register[kept].astype("u1")[order],
        value[kept].astype("u8")[order],
    )


assert FLOATING == 32  # _tokens counts on it
