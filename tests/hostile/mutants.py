"""Mutants of files: cut, with bits flipped, numbers replaced, parts removed and repeated."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

NUMBERS = (0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF,
           1 << 62, 1 << 63, (1 << 64) - 1)  # fmt: skip
"""What breaks arithmetic: the ends of the ranges of fields."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A changed file, and what was changed."""

    name: str
    data: bytes


def cuts(data: bytes, places: Sequence[int]) -> Iterator[Mutant]:
    """Yield the file cut at each place and a byte before and after it."""
    wanted = {place + step for place in places for step in (-1, 0, 1)}
    for place in sorted(wanted):
        if 0 <= place < len(data):
            yield Mutant(f"cut at {place}", data[:place])


def changed(data: bytes, places: Sequence[int], seed: int, count: int) -> Iterator[Mutant]:
    """Yield `count` mutants with one change each, at places drawn from those given."""
    chance = random.Random(seed)
    for number in range(count):
        place = chance.choice(places)
        kind = chance.choice(_CHANGES)
        yield Mutant(f"{kind.__name__} {seed}/{number} at {place}", kind(data, place, chance))


def _flip(data: bytes, place: int, chance: random.Random) -> bytes:
    return data[:place] + bytes([data[place] ^ 1 << chance.randrange(8)]) + data[place + 1 :]


def _byte(data: bytes, place: int, chance: random.Random) -> bytes:
    return data[:place] + bytes([chance.randrange(256)]) + data[place + 1 :]


def _number(data: bytes, place: int, chance: random.Random) -> bytes:
    width = chance.choice((2, 4, 8))
    value = chance.choice(NUMBERS) & (1 << 8 * width) - 1
    start = place - place % width
    order = "little" if chance.random() < 0.5 else "big"
    return data[:start] + value.to_bytes(width, order) + data[start + width :]  # type: ignore[arg-type]


def _remove(data: bytes, place: int, chance: random.Random) -> bytes:
    return data[:place] + data[place + chance.randrange(1, 9) :]


def _repeat(data: bytes, place: int, chance: random.Random) -> bytes:
    end = place + chance.randrange(1, 33)
    return data[:end] + data[place:end] * chance.randrange(1, 4) + data[end:]


def _clear(data: bytes, place: int, chance: random.Random) -> bytes:
    size = chance.randrange(1, 65)
    return data[:place] + bytes(len(data[place : place + size])) + data[place + size :]


_CHANGES = (_flip, _byte, _number, _number, _remove, _repeat, _clear)
