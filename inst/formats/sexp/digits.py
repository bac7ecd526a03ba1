"""Digits of fixed width in the lines of a matrix, up to eight of them worked on at once.

A line is a row of 8-byte words, the first byte lowest; all lines have their digits at the
same places. Small letters only are hexadecimal digits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from inst.trace.model import Array

Place = tuple[int, int]
"""Where in a line the digits begin and end."""


def _each(byte: int) -> np.uint64:
    """Return a word of eight such bytes."""
    return np.uint64(byte * 0x0101010101010101)


_HIGH, _UPPER, _ZEROS, _LETTER = _each(0x80), _each(0xF0), _each(0x30), _each(1)


def combine(digits: Array, bases: tuple[int, int, int]) -> Array:
    """Return the number of eight digits, one a byte, the first lowest: pairs, fours, all."""
    masks = (0x00FF00FF00FF00FF, 0x0000FFFF0000FFFF, 0x00000000FFFFFFFF)
    for step, (base, mask) in enumerate(zip(bases, masks, strict=True)):
        width = 8 << step
        digits = digits * np.uint64((base << width) + 1)
        digits >>= np.uint64(width)
        digits &= np.uint64(mask)
    return digits


@dataclass(frozen=True, slots=True)
class Digits:
    """Where in a line the digits of numbers are, cut into pieces of at most eight."""

    offsets: tuple[int, ...]
    """Of the words whose last digit is a piece's last, or of the first word."""
    shifts: Array
    masks: Array
    """By piece, as columns: what moves the last digit to the top, and the digits then."""
    zeros: Array
    """... with a character `0` for each digit."""
    shifted: bool
    """Whether any of the shifts is more than zero."""
    numbers: tuple[tuple[str, int, int], ...]
    """The numbers' names, and the first and last + 1 of their pieces, of which the last
    digits come first."""

    @classmethod
    def at(cls, places: Mapping[str, Place]) -> Digits:
        """Return the digits of numbers by name."""
        pieces: list[Place] = []
        numbers = []
        for name, (start, end) in places.items():
            parts = [(max(start, stop - 8), stop) for stop in range(end, start, -8)]
            numbers.append((name, len(pieces), len(pieces) + len(parts)))
            pieces += parts
        shifts = [8 * max(8 - end, 0) for _, end in pieces]
        masks = [(1 << 64) - (1 << 64 - 8 * (end - start)) for start, end in pieces]
        digits = np.array(masks, "u8")[:, None]
        return cls(
            tuple(max(end - 8, 0) for _, end in pieces),
            np.array(shifts, "u8")[:, None],
            digits,
            digits & _ZEROS,
            any(shifts),
            tuple(numbers),
        )

    def fetch(self, words: Array) -> Array:
        """Return a row of eight bytes for each piece: its digits' values, after zeros.

        What is no digit has no digit's value: a letter `a` counts as 0x51.
        """
        pieces = np.empty((len(self.offsets), len(words)), "u8")
        for piece, offset in zip(pieces, self.offsets, strict=True):
            piece[:] = np.ndarray((len(words),), "<u8", words, offset, words.strides[:1])
        if self.shifted:
            pieces <<= self.shifts
        pieces &= self.masks
        pieces ^= self.zeros
        return pieces

    def join(self, values: Array, base: int) -> Iterator[tuple[str, Array]]:
        """Yield each number's name and its values, given those of the pieces."""
        for name, first, last in self.numbers:
            number = values[first]
            for place in range(first + 1, last):
                number = number + values[place] * np.uint64(base ** (8 * (place - first)))
            yield name, number


def decimals(values: Array) -> tuple[Array, Array]:
    """Return the numbers of eight digits each, and which are none; the values are used up."""
    wrong = values + _each(0x80 - 10)
    wrong |= values
    wrong &= _HIGH
    return combine(values, (10, 100, 10_000)), wrong != 0


def hexadecimals(values: Array) -> tuple[Array, Array]:
    """Return the numbers of eight digits each, and which are none; the values are used up."""
    letters = values >> np.uint64(6)
    letters &= _LETTER
    values -= letters * np.uint64(ord("a") ^ ord("0"))
    # What is no digit leaves the low half of a byte, before or after this is added.
    wrong = letters << np.uint64(2)
    wrong += values
    wrong += _each(16 - 10)
    wrong |= values
    wrong &= _UPPER
    letters *= np.uint64(10)
    values += letters
    return combine(values, (16, 256, 65_536)), wrong != 0
