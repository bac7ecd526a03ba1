"""Lines of one layout, read as one matrix of bytes: most lines of most traces.

Lines have few layouts: so many bytes, the same text at the same places, digits at the others.
A layout is learned from one line by experiment: its digits are replaced, and where
`columns.read_lines` then finds the new number in one column, and nothing else changed, those
digits are that number. All other bytes are literal, but for the text of a source. Lines of a
length are gathered into a matrix, comparisons of 8-byte words tell which of them have the
layout, and the digits of all lines of a buffer are converted at once.

Nothing here knows the grammar: a line is read as `columns` reads it, or left to `columns`.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from inst.formats.sexp import columns
from inst.formats.sexp.digits import Digits, Place, decimals, hexadecimals
from inst.formats.sexp.lines import Lines, line_bounds
from inst.trace.model import EVENT, Array

ENOUGH = 8
"""Lines that are worth a matrix."""
LONGEST = 254
"""Bytes of a line that can have a layout, newline included."""
ROUNDS = 4
"""How often layouts are learned from what is left of a buffer."""
KEYS, OF_A_KEY = 256, 8
"""Keys that layouts are remembered for, and layouts of each."""

_TELLING = 5
"""Place of a byte that differs between kinds of records of one length."""
_ROW = np.dtype(f"V{EVENT.itemsize}")
_ONES, _HIGH, _QUOTES = (np.uint64(byte * 0x0101010101010101) for byte in (1, 0x80, ord('"')))


@dataclass(frozen=True, slots=True)
class Layout:
    """What the lines of one layout have in common.

    Lines are columns of 8-byte words, the first byte lowest.
    """

    literal: Array
    """The words of a line; zero where lines may differ."""
    mask: Array
    """The bits of each word that are literal."""
    decimal: Digits
    hexadecimal: Digits
    event: Array
    """A row of EVENT; its numbers are replaced by each line's own."""
    order: int
    source: Place
    """Where the text of the source is; 0 and 0 where there is none."""
    outside: Array
    """The bits that are no text, of the words that have some."""

    def match(self, words: Array) -> Array:
        """Return which lines have all that is literal, and no quote in the text."""
        lines = words.T.copy()
        first = self.source[0] // 8
        text = lines[first : first + len(self.outside)] ^ _QUOTES
        lines &= self.mask
        same = np.logical_and.reduce(lines == self.literal, axis=0)
        if len(text):
            text |= self.outside
            zeros = text - _ONES
            zeros &= ~text
            zeros &= _HIGH
            same &= np.bitwise_or.reduce(zeros, axis=0) == 0
        return np.asarray(same)


class Layouts:
    """The layouts that a trace has had so far, by the keys of their lines."""

    def __init__(self) -> None:
        self._known: dict[int, list[Layout]] = {}

    def __getitem__(self, key: int) -> list[Layout]:
        return self._known.get(key, [])

    def add(self, key: int, layout: Layout) -> None:
        """Remember a layout, before the others; forget the one used least."""
        if len(self._known) >= KEYS:
            self._known.clear()
        self._known[key] = [layout, *self[key][: OF_A_KEY - 1]]

    def arrange(self, key: int, counts: list[int]) -> None:
        """Put those first that just had the most lines."""
        if counts != sorted(counts, reverse=True):
            order = sorted(range(len(counts)), key=counts.__getitem__, reverse=True)
            self._known[key] = [self._known[key][number] for number in order]


def read_lines(buffer: bytes, position: int, layouts: Layouts) -> Lines | None:
    """Read the whole lines from a position on; None when there are too few."""
    starts, ends = line_bounds(buffer, position)
    if len(ends) < ENOUGH:
        return columns.read_lines(buffer, position)
    lines, good = Lines.unread(starts, ends), np.zeros(len(starts), "?")
    _Matrices(buffer, lines, good).read(layouts)
    _read_rest(buffer, lines, good)
    return lines.where(good)


def _read_rest(buffer: bytes, lines: Lines, good: Array) -> None:
    """Read lines that no layout fits, put together in a buffer of their own."""
    rows = np.flatnonzero(~good)
    starts, ends = lines.starts[rows], lines.ends[rows] + 1
    pairs = zip(starts.tolist(), ends.tolist(), strict=True)
    rest = columns.read_lines(b"".join([buffer[start:end] for start, end in pairs]), 0, least=1)
    if rest is None:
        return
    lines.events[rows] = rest.events
    lines.orders[rows] = rest.orders
    moved = np.where(rest.source_starts > 0, starts - rest.starts, 0)
    lines.source_starts[rows] = rest.source_starts + moved
    lines.source_ends[rows] = rest.source_ends + moved
    good[np.delete(rows, rest.bad)] = True


@dataclass(frozen=True, slots=True)
class _Matched:
    """Lines that match a layout, and the digits of their numbers."""

    layout: Layout
    rows: Array
    decimal: Array
    hexadecimal: Array


class _Matrices:
    """Reads the lines of a buffer that have layouts."""

    def __init__(self, buffer: bytes, lines: Lines, good: Array) -> None:
        self._lines, self._good = lines, good
        # The words of a line may reach beyond its newline, and it may be an empty one.
        has_room = len(buffer) - lines.ends[-1] > 8
        self._padded = buffer if has_room else buffer + bytes(8)
        self._has_escapes = b"\\" in buffer or b"\0" in buffer
        self._matched: list[_Matched] = []

    def read(self, layouts: Layouts) -> None:
        """Read what known layouts fit, and learn more as long as enough lines are left."""
        left: dict[int, Array] = {}
        for key, rows in self._groups():
            left[key], counts = self._match(rows, key & 0xFF, layouts[key])
            layouts.arrange(key, counts)
        for _ in range(ROUNDS):
            left = {key: rows for key, rows in left.items() if len(rows) >= ENOUGH}
            if not left:
                break
            examples = [self._line(int(rows[0])) for rows in left.values()]
            for key, layout in zip(list(left), learn(examples), strict=True):
                rows = left.pop(key)
                if layout is not None:
                    layouts.add(key, layout)
                    left[key], _ = self._match(rows, key & 0xFF, [layout])
        if self._matched:
            self._take()

    def _groups(self) -> Iterator[tuple[int, Array]]:
        """Yield each key that enough rows have; its low byte is the length of their lines."""
        starts = self._lines.starts
        lengths = np.minimum(self._lines.ends - starts + 1, LONGEST + 1).astype("u2")
        octets = np.frombuffer(self._padded, "u1")
        keys = octets[starts + _TELLING].astype("u2") << np.uint16(8) | lengths
        order = np.argsort(keys, kind="stable")
        bounds = [0, *(np.flatnonzero(np.diff(keys[order])) + 1).tolist(), len(order)]
        for first, last in itertools.pairwise(bounds):
            key = int(keys[order[first]])
            if last - first >= ENOUGH and key & 0xFF <= LONGEST:
                yield key, order[first:last]

    def _line(self, row: int) -> bytes:
        return self._padded[self._lines.starts[row] : self._lines.ends[row] + 1]

    def _match(
        self, rows: Array, length: int, layouts: Sequence[Layout]
    ) -> tuple[Array, list[int]]:
        """Keep the lines that the layouts fit; return the others, and how many each fits."""
        counts = [0] * len(layouts)
        words = self._words(rows, length) if layouts else np.zeros(0)
        for number, layout in enumerate(layouts):
            if len(rows) < ENOUGH:
                break
            if layout.source[1] and self._has_escapes:
                continue
            match = layout.match(words)
            counts[number] = int(np.count_nonzero(match))
            if counts[number] == len(rows):
                self._keep(layout, rows, words)
                return rows[:0], counts
            if counts[number]:
                self._keep(layout, rows[match], words.compress(match, axis=0))
                rows, words = rows[~match], words.compress(~match, axis=0)
        return rows, counts

    def _words(self, rows: Array, length: int) -> Array:
        """Return the lines as rows of 8-byte words."""
        size = length + -length % 8
        count = len(self._padded) - size + 1
        cells = np.ndarray((count,), f"V{size}", self._padded, strides=(1,))
        return cells[self._lines.starts[rows]].view("<u8").reshape(len(rows), size // 8)

    def _keep(self, layout: Layout, rows: Array, words: Array) -> None:
        pieces = layout.decimal.fetch(words), layout.hexadecimal.fetch(words)
        self._matched.append(_Matched(layout, rows, *pieces))

    def _take(self) -> None:
        """Put lines that match into their rows; they are good if their digits are digits."""
        tens = _converted(decimals, [each.decimal for each in self._matched])
        sixteens = _converted(hexadecimals, [each.hexadecimal for each in self._matched])
        lines = self._lines
        for each, ten, sixteen in zip(self._matched, tens, sixteens, strict=True):
            layout, rows = each.layout, each.rows
            events = np.repeat(layout.event, len(rows))
            for column, values in layout.decimal.join(ten[0], 10):
                events[column] = values
            for column, values in layout.hexadecimal.join(sixteen[0], 16):
                events[column] = values
            lines.events.view(_ROW)[rows] = events.view(_ROW)
            lines.orders[rows] = layout.order
            if layout.source[1]:
                starts = lines.starts[rows]
                lines.source_starts[rows] = starts + layout.source[0]
                lines.source_ends[rows] = starts + layout.source[1]
            self._good[rows] = ~(ten[1].any(axis=0) | sixteen[1].any(axis=0))


def _converted(
    convert: Callable[[Array], tuple[Array, Array]], tables: list[Array]
) -> Iterator[tuple[Array, Array]]:
    """Yield the numbers of many tables of digits, and which are none; convert all at once."""
    values, wrong = convert(np.concatenate([table.reshape(-1) for table in tables]))
    end = 0
    for table in tables:
        start, end = end, end + table.size
        yield values[start:end].reshape(table.shape), wrong[start:end].reshape(table.shape)


_DIGITS = re.compile(rb"(?<=[ xX])[0-9a-f]+(?=[ )])")
_TRIED = {
    16: (b"0" * 16, b"fedcba9876543210", b"1a2b3c4d5e6f7089"),
    10: (b"0" * 19, b"9876543210987654321", b"1234567890123456789"),
}
"""By base, what the digits of a line are replaced by."""
_COLUMNS = ("id", "thread", "pc", "address", "size", "value", "value_high", "word", "cpu")
"""Columns whose digits may vary; `flags` have a say in how the rest of a line is read."""

Answer = tuple[int, ...]
"""What is read of a line: a row of EVENT, the order, and where in the line the source is."""
Found = dict[Place, tuple[str, int]]
"""The numbers of a line: where their digits are, and what they are, column and base."""


def learn(lines: Sequence[bytes]) -> list[Layout | None]:
    """Return the layouts of lines; None for those that `columns` leaves."""
    places = [[match.span() for match in _DIGITS.finditer(line)] for line in lines]
    answers = list(_answers(lines))
    usual = [
        {place: _usual_base(line, place) for place in some}
        for line, some in zip(lines, places, strict=True)
    ]
    found = _numbers(lines, answers, usual)
    # Bare hexadecimal digits without a letter among them look decimal.
    other = [
        {place: 16 for place, base in some.items() if base == 10 and place not in known}
        for some, known in zip(usual, found, strict=True)
    ]
    more = _numbers(lines, answers, other)
    return [
        None if answer is None else _layout(line, answer, one | another)
        for line, answer, one, another in zip(lines, answers, found, more, strict=True)
    ]


def _usual_base(line: bytes, place: Place) -> int:
    """Return 16 where 0x precedes, or a letter is among the digits."""
    start, end = place
    return 10 if line[start - 1] == ord(" ") and line[start:end].isdigit() else 16


def _numbers(
    lines: Sequence[bytes], answers: list[Answer | None], bases: list[dict[Place, int]]
) -> list[Found]:
    """Return which digits of each line are numbers of the given bases."""
    trials = [
        (line[:start] + digits[: end - start] + line[end:], int(digits[: end - start], base))
        for line, some in zip(lines, bases, strict=True)
        for (start, end), base in some.items()
        for digits in _TRIED[base]
    ]
    tried = _answers([line for line, _ in trials])
    pairs = zip((number for _, number in trials), tried, strict=True)
    found: list[Found] = []
    for answer, some in zip(answers, bases, strict=True):
        found.append({})
        for place, base in some.items():
            column = _column(answer, list(itertools.islice(pairs, len(_TRIED[base]))))
            if column and column not in dict(found[-1].values()):
                found[-1][place] = column, base
    return found


def _answers(lines: Sequence[bytes]) -> Iterator[Answer | None]:
    """Yield what `columns` reads of each line, if it does."""
    read = columns.read_lines(b"".join(lines), 0, least=1)
    if read is None:
        return
    bad = set(read.bad.tolist())
    has_text = read.source_starts > 0
    firsts = np.where(has_text, read.source_starts - read.starts, 0)
    lasts = np.where(has_text, read.source_ends - read.starts, 0)
    rest = np.stack([read.orders, firsts, lasts], axis=1).tolist()
    for row, (event, more) in enumerate(zip(read.events.tolist(), rest, strict=True)):
        yield None if row in bad else (*event, *more)


def _column(answer: Answer | None, tried: list[tuple[int, Answer | None]]) -> str | None:
    """Return the column that has each number tried, if all else is as it was."""
    if answer is None:
        return None
    for column in _COLUMNS:
        place = EVENT.names.index(column) if EVENT.names else 0
        before, after = answer[:place], answer[place + 1 :]
        if all(found == (*before, number, *after) for number, found in tried):
            return column
    return None


def _layout(line: bytes, answer: Answer, numbers: Found) -> Layout:
    """Return the layout of a line, given what is read of it."""
    *event, order, start, end = answer
    tens, sixteens = (
        Digits.at({column: place for place, (column, base) in numbers.items() if base == wanted})
        for wanted in (10, 16)
    )
    source, after = (start, end), (len(line), len(line) + -len(line) % 8)
    mask = _words_without(line, [*numbers, source, after])
    outside = _words_without(line, [source])[start // 8 : -(-end // 8)]
    literal = np.frombuffer(line + bytes(-len(line) % 8), "<u8")[:, None] & mask
    row = np.array(tuple(event), EVENT)
    return Layout(literal, mask, tens, sixteens, row, order, source, outside)


def _words_without(line: bytes, places: list[Place]) -> Array:
    """Return a column of words for a line, with all bits set except at some places."""
    mask = bytearray(b"\xff" * (len(line) + -len(line) % 8))
    for start, end in places:
        mask[start:end] = bytes(end - start)
    return np.frombuffer(mask, "<u8")[:, None]
