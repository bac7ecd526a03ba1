"""Text read at many places at once: cursors that move along thousands of lines together.

Each step (a literal, a number, a word) is one comparison or conversion of all the 8-byte words
at the cursors. Nothing here raises: a line that differs in the least is no longer `good`.
"""

from __future__ import annotations

import numpy as np

from inst.formats.sexp.digits import combine
from inst.trace.model import Array

WIDTH = 40
"""Bytes fetched at a cursor: what begins a field, and its digits."""

PADDING = bytes(512)
"""More than the cursor of a line that is no record can run past the end."""

_NAME = 24
"""Bytes of the longest word, and more."""

_HIGH = np.uint64(0x8080808080808080)
_ZEROS = np.uint64(0x3030303030303030)
_ONE, _THREE, _EIGHT, _64 = (np.uint64(n) for n in (1, 3, 8, 64))
_POWERS = np.array([10**n for n in range(9)], "u8")


class Text:
    """A buffer read at many places at once, as cells of WIDTH opaque bytes.

    A wide cell costs hardly more to fetch than a narrow one, and numbers more than either.
    """

    def __init__(self, buffer: bytes) -> None:
        padded = buffer + PADDING
        self._octets = np.frombuffer(padded, "u1")
        self._cells = np.ndarray((len(padded) - WIDTH,), f"V{WIDTH}", padded, strides=(1,))

    def cells(self, at: Array) -> Array:
        return self._cells[at]

    def octets(self, at: Array) -> Array:
        return self._octets.take(at)


class Cursors:
    """A place in each of many lines, moving along them together."""

    def __init__(self, text: Text, at: Array) -> None:
        self.text = text
        self.good = np.ones(len(at), "?")
        self._at = at
        self._ahead = 0
        """How far all cursors have moved after the cells fetched."""
        self._cells: Array | None = None

    @property
    def at(self) -> Array:
        return self._at + self._ahead

    @at.setter
    def at(self, at: Array) -> None:
        self._at, self._ahead, self._cells = at, 0, None

    def words(self, offset: int = 0) -> Array:
        """Return the 8 bytes at each cursor or a little after it, the first lowest."""
        if self._cells is None or self._ahead + offset + 8 > WIDTH:
            self.at = self.at
            self._cells = self.text.cells(self._at)
        place = self._ahead + offset
        return np.ndarray((len(self._at),), "<u8", self._cells, place, (WIDTH,)).copy()

    def follows(self, literal: bytes) -> Array:
        """Return for each line whether the literal is at its cursor."""
        result: Array | None = None
        for start in range(0, len(literal), 8):
            start = max(0, min(start, len(literal) - 8))
            piece = literal[start : start + 8]
            words = self.words(start)
            if len(piece) < 8:
                words &= np.uint64((1 << 8 * len(piece)) - 1)
            equal = words == np.uint64(int.from_bytes(piece, "little"))
            result = equal if result is None else result & equal
        return np.ones(len(self._at), "?") if result is None else result

    def skip(self, count: int) -> None:
        self._ahead += count

    def expect(self, literal: bytes) -> None:
        self.good &= self.follows(literal)
        self.skip(len(literal))

    def word(self, choices: tuple[str, ...]) -> Array:
        """Return which of the choices is at each cursor; 0 is none."""
        result = np.zeros(len(self._at), "u2")
        lengths = np.array([len(choice) for choice in choices])
        for number, choice in enumerate(choices[1:], 1):
            result[self.follows(choice.encode())] = number
        self.good &= result > 0
        self.at = self.at + lengths[result]
        return result

    def name(self, known: dict[bytes, int]) -> Array:
        """Return the numbers of the words at the cursors; 0 is none."""
        octets = self.text.cells(self.at).view("u1").reshape(-1, WIDTH)[:, :_NAME].copy()
        ends = (octets == ord(" ")) | (octets == ord(")"))
        lengths = np.where(ends.any(axis=1), ends.argmax(axis=1), 0)
        octets[np.arange(_NAME) >= lengths[:, None]] = 0
        words, places = np.unique(octets.view(f"S{_NAME}").reshape(-1), return_inverse=True)
        numbers = np.array([known.get(word, 0) for word in words.tolist()], "u2")
        result: Array = numbers[places]
        self.good &= result > 0
        self.at = self.at + lengths
        return result

    def number(self, hexadecimal: bool) -> Array:
        """Return the numbers at the cursors; 0x may begin a hexadecimal one."""
        if hexadecimal:
            self._skip_prefix()
        values, counts, good = _digits(self.words(), hexadecimal)
        more = np.flatnonzero(counts == _EIGHT)
        for step in (8, 16):
            more = more[self.text.octets(self._at[more] + (self._ahead + step)) >= 0x30]
            if len(more) == 0:
                break
            places = self._at[more] + (self._ahead + step)
            words = Cursors(self.text, places).words()
            rest, length, valid = _digits(words, hexadecimal)
            if hexadecimal:
                values[more] = (values[more] << (length << np.uint64(2))) | rest
            else:
                values[more] = values[more] * _POWERS[length] + rest
            counts[more] += length
            good[more] &= valid
            more = more[length == _EIGHT]
        limit = np.uint64(16 if hexadecimal else 19)
        self.good &= good & (counts > 0) & (counts <= limit)
        self.at = self.at + counts.astype("i8")
        return values

    def _skip_prefix(self) -> None:
        prefixed = self.follows(b"0x")
        if prefixed.all():
            self.skip(2)
        elif prefixed.any():
            self.at = self.at + 2 * prefixed

    def part(self, rows: Array) -> Cursors:
        """Return the cursors of some lines, to be put back with `join`."""
        return Cursors(self.text, self.at[rows])

    def join(self, rows: Array, part: Cursors) -> None:
        at = self.at
        at[rows] = part.at
        self.at = at
        self.good[rows] &= part.good


def _digits(words: Array, hexadecimal: bool) -> tuple[Array, Array, Array]:
    """Return value, count and validity of the digits that the words begin with.

    Eight characters are worked on at once in each 64-bit number. A character below `0`
    ends the digits; they are moved to the upper bytes, with zeros below them.
    """
    ends = ~((words | _HIGH) - _ZEROS) & _HIGH
    counts = np.bitwise_count((ends & -ends) - _ONE).astype("u8") >> _THREE
    width = counts << _THREE
    digits = words << (_64 - width) | _ZEROS >> width
    above_nine = ((digits | _HIGH) - np.uint64(0x3A3A3A3A3A3A3A3A)) & _HIGH
    if not hexadecimal:
        good = (above_nine | digits & _HIGH) == 0
        values = digits & np.uint64(0x0F0F0F0F0F0F0F0F)
        return combine(values, (10, 100, 10000)), counts, good
    folded = digits | np.uint64(0x2020202020202020) | _HIGH
    letters = (folded - np.uint64(0x6161616161616161)) & _HIGH
    letters &= ~(folded - np.uint64(0x6767676767676767))
    good = (above_nine & ~letters | digits & _HIGH) == 0
    values = digits & np.uint64(0x0F0F0F0F0F0F0F0F)
    values += (letters >> np.uint64(7)) * np.uint64(9)
    return combine(values, (0x10, 0x100, 0x10000)), counts, good
