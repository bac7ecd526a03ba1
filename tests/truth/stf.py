"""A small reader of STF traces of the oracle's own: accesses from registers, by the word."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from truth.emulator import Array
from truth.machine import Manner, MemoryWord, memory_word
from truth.rst import EVENT

_INSTRUCTION = re.compile(
    r"(?:XER = ([0-9a-f]+)\n)?PCN = ([0-9a-f]+) OPC = ([0-9a-f]{8}|[0-9a-f]{16}) MNC = (\S+)\n"
    r"((?:[RF]\d\d = .*\n)*)\n*"
)
_REGISTER = re.compile(r"([RF]\d\d) = ([0-9a-f]+)")
_REVERSED = {534, 662, 790, 918, 532, 660}
_SINGLE = {535, 567, 663, 695}
_FLOATING = _SINGLE | {599, 631, 727, 759, 983, 855, 887}
_VECTOR_BITS = {103: 16, 359: 16, 231: 16, 487: 16, 39: 2, 71: 4, 167: 2, 199: 4}
_WITHOUT_VALUES = {
    20,
    84,
    52,
    116,
    1014,
    12,
    76,
    140,
    332,
    364,
    524,
    588,
    652,
    716,
    781,
    813,
    909,
    941,
}
"""Reservations, dcbz, and accesses of VSX registers, which are none of STF's; so are those of the
primary opcodes 57 and 61."""
_DISPLACEMENTS = {56: 0xFFF0, 57: 0xFFFC, 58: 0xFFFC, 61: 0xFFFC, 62: 0xFFFC}


@dataclass(frozen=True, slots=True)
class _Instruction:
    pc: int
    word: int
    length: int
    """Bytes by the status register."""
    after: dict[str, int]
    later: dict[str, int]


def read_events(path: Path) -> Iterator[Array]:
    """Yield the accesses of a trace as one batch of rst.EVENT.

    A file with anything else than instructions in the classic spelling is an error.
    """
    header, general, floating, text = path.read_text().split("\n", 3)
    if not header.startswith("||OPTIONS: "):
        raise ValueError(f"{path} has no header")
    registers = {name: int(value, 16) for name, value in _REGISTER.findall(general + floating)}
    if len(registers) != 64:
        raise ValueError(f"{path} does not begin with all registers")
    rows: list[tuple[int, ...]] = []
    mask = (1 << 4 * len(general.split()[2])) - 1
    text = re.sub(r"(?m)^ +\n", "", text).lstrip("\n")
    first = text.index("PCN")
    registers |= _stated(text[:first])
    for instruction in _instructions(text, first):
        after = registers | instruction.after
        rows += _accesses(instruction, registers, after, mask)
        registers = after | instruction.later
    yield np.array(rows, EVENT)


def _stated(lines: str) -> dict[str, int]:
    return {name: int(value, 16) for name, value in _REGISTER.findall(lines)}


def _instructions(text: str, at: int) -> Iterator[_Instruction]:
    """Yield the instructions; a second R line is what the next one needs."""
    while at < len(text):
        matched = _INSTRUCTION.match(text, at)
        if not matched:
            raise ValueError(f"STF in another form: {text[at : at + 100]!r}")
        length, pc, word, _, lines = matched.groups()
        second = re.search(r"\nR", lines)
        cut = second.start() + 1 if second else len(lines)
        yield _Instruction(
            int(pc, 16), int(word, 16), int(length or "0", 16), _stated(lines[:cut]),
            _stated(lines[cut:]),
        )  # fmt: skip
        at = matched.end()


def _accesses(
    instruction: _Instruction, before: dict[str, int], after: dict[str, int], mask: int
) -> Iterator[tuple[int, ...]]:
    """Yield the rows of one instruction as EVENT has them; STF numbers no threads."""
    word = instruction.word
    known = memory_word("powerpc", word)
    if known is None:
        raise ValueError(f"{word:#x} at {instruction.pc:#x} accesses no memory")
    extended = word >> 1 & 0x3FF if word >> 26 == 31 else -1
    if word >> 32:
        address = _longer_address(word, instruction.pc, before) & mask
    else:
        address = _address(word, extended, before) & mask
    held = before if known.store else after
    target = word >> 21 & 31
    alone = word >> 32 == 0
    stores = known.store and not alone
    for offset, size, value, has_value in _parts(instruction, extended, known, held, target):
        what = word if alone else 0, size, stores, has_value
        yield instruction.pc, address + offset & mask, value, *what, 0


def _address(word: int, extended: int, registers: dict[str, int]) -> int:
    primary, base = word >> 26, word >> 16 & 31
    total = registers[f"R{base:02d}"] if base else 0
    if extended < 0:
        low = word & _DISPLACEMENTS.get(primary, 0xFFFF)
        if primary == 61 and word & 3 == 1:  # lxv, stxv
            low &= 0xFFF0
        total += low - (low >> 15 << 16)
    elif extended not in (597, 725):
        total += registers[f"R{word >> 11 & 31:02d}"]
    return total & -_VECTOR_BITS.get(extended, 1)


def _longer_address(word: int, pc: int, registers: dict[str, int]) -> int:
    displacement = (word >> 32 & 0x3FFFF) << 16 | word & 0xFFFF
    displacement -= displacement >> 33 << 34
    base = word >> 16 & 31
    if word >> 52 & 1:
        return pc + displacement
    return displacement + (registers[f"R{base:02d}"] if base else 0)


def _is_of_vsx(word: int) -> bool:
    """Return whether a value's register is none of STF's, or there is no value."""
    primary = word >> 26
    return primary in (57, 61) or (primary == 31 and word >> 1 & 0x3FF in _WITHOUT_VALUES)


def _parts(
    instruction: _Instruction,
    extended: int,
    known: MemoryWord,
    held: dict[str, int],
    target: int,
) -> Iterator[tuple[int, int, int, bool]]:
    """Yield offset, size, value in memory and whether that is known."""
    primary, kind = instruction.word >> 26 & 63, instruction.word >> 55 & 7
    if instruction.word >> 32 and not kind and primary not in (41, 57, 61):
        for offset in range(0, known.size, 16):  # no register of STF has the value
            yield offset, min(known.size, 16), 0, False
    elif primary in (46, 47) or extended in (597, 725, 533, 661):
        length = instruction.length if extended in (533, 661) else known.size
        for offset in range(0, length, 4):
            value = held[f"R{target + offset // 4 & 31:02d}"] & 0xFFFFFFFF
            rest = length - offset
            if rest >= 4:
                yield offset, 4, value, True
                continue
            for n in range(rest):
                yield offset + n, 1, value >> (24 - 8 * n) & 255, True
    elif known.manner == Manner.BULK or known.size == 16 or _is_of_vsx(instruction.word):
        yield 0, known.size, 0, False
    else:
        yield 0, known.size, _value(extended, primary, known.size, held, target), True


def _value(extended: int, primary: int, size: int, held: dict[str, int], target: int) -> int:
    if extended in _FLOATING or primary in range(48, 56):
        value = held[f"F{target:02d}"]
        if extended in _SINGLE or primary in (48, 49, 52, 53):
            (number,) = struct.unpack(">d", value.to_bytes(8, "big"))
            return int(np.float64(number).astype(np.float32).view("u4"))
    else:
        value = held[f"R{target:02d}"]
    value &= (1 << 8 * size) - 1
    return int.from_bytes(value.to_bytes(size, "big"), "little") if extended in _REVERSED else value
