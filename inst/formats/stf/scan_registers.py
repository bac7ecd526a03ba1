"""Register and status lines of STF, all that are spelled alike at once."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from inst.formats.stf.columns import BY_BYTES, FLOATING
from inst.formats.stf.scan_lines import (
    DECIMAL,
    HEX,
    REGISTER,
    REGISTER_LINE,
    STATUS_LINE,
    Lines,
    numbers_of,
)
from inst.trace.model import Array

TOKEN = re.compile(rb"(\w+) = (\w+)")

MANY = 4
"""Registers on a line from which on it is compared with the line before."""


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


def take_registers(lines: Lines, end: int) -> None:
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
    """Return whether no other group has lines of the same registers."""
    bank = key & 0xFF
    banks = (keys & 0xFF).tolist()
    return banks.count(bank) == 1 if bank in b"RF" else sum(b not in b"RF" for b in banks) == 1


def _tokens(lines: Lines, group: Array, layout: _Layout, width: int) -> None:
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
        lines.found.append((group, register, numbers_of(rows[:, start : start + digits])))


def _differences(lines: Lines, group: Array, layout: _Layout, width: int) -> None:
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
        value[some] = numbers_of(rows[row[some, None], at])
    lines.found.append((group[row], numbers[token], value))


assert FLOATING == 32  # _tokens counts on it
