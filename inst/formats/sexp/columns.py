"""Regular s-expression lines as columns: thousands of records a numpy operation.

Producers write one record a line, with single blanks, keyed throughout or condensed
throughout. Such lines have few shapes, and all lines of one shape are read at once: a
cursor a line, and for every literal or number of the shape one comparison or conversion
of all the 8-byte words at the cursors. A line that differs in the least is left to the
general reader, which alone decides what is an error; nothing here raises.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from inst.formats.sexp.cursors import Cursors, Text
from inst.formats.sexp.dialects import read_dialects
from inst.formats.sexp.lines import (
    LEAST,
    MEMORY_ORDERS,
    NUMBERS,
    WORD_CHOICES,
    Lines,
    known_words,
    line_bounds,
)
from inst.formats.sexp.table import KINDS, SexpField, SexpKind
from inst.trace.model import Array, Flag, Kind

_COLUMNS = {"location": "address"}
"""Fields that have a column of another name."""


def _is_regular(kind: SexpKind) -> bool:
    """Return whether the kind's fields are numbers, and words of closed sets."""
    closed = {("mem-write", "mem-order"), *WORD_CHOICES}
    types = [field.type for field in kind.fields if (kind.name, field.key) not in closed]
    return bool(kind.fields) and set(types) <= {"hex", "int"}


SHAPES = tuple(kind for kind in KINDS.values() if _is_regular(kind))


def read_lines(buffer: bytes, position: int, least: int = LEAST) -> Lines | None:
    """Read the whole lines from a position on; None when there are too few."""
    starts, ends = line_bounds(buffer, position)
    if len(ends) < least:
        return None
    lines, good = Lines.unread(starts, ends), np.zeros(len(starts), "?")
    text = Text(buffer)
    for rows, kind, keyed in _shapes(text, starts, least):
        good[rows] = _Shape(text, lines, rows, kind, keyed).read()
    if not good.all():
        read_dialects(buffer, lines, good, least)
    _refuse_texts(buffer, lines, good)
    return lines.where(good)


def _shapes(text: Text, starts: Array, least: int) -> Iterator[tuple[Array, SexpKind, bool]]:
    """Yield the lines of each shape that are many enough, by how they begin."""
    cursors = Cursors(text, starts)
    left = len(starts)
    for kind in SHAPES:
        if left < least:
            return
        begins = cursors.follows(f"({kind.name} ".encode())
        if np.count_nonzero(begins) < least:
            continue
        rows = np.flatnonzero(begins)
        left -= len(rows)
        keyed = text.octets(starts[rows] + len(kind.name) + 2) == ord("(")
        for some, spelling in ((rows[keyed], True), (rows[~keyed], False)):
            # In condensed tlbi records what a number means depends on the operation.
            if len(some) >= least and (spelling or kind.name != "tlbi"):
                yield some, kind, spelling


def _refuse_texts(buffer: bytes, lines: Lines, good: Array) -> None:
    """Leave lines with strings that need the general reader to it."""
    if not lines.source_starts.any():
        return
    octets = np.frombuffer(buffer, "u1")
    for special in (b"\\", b"\0"):
        if special in buffer:
            places = np.flatnonzero(octets == special[0])
            rows = np.searchsorted(lines.ends, places)
            good[rows[rows < len(good)]] = False
    if good.all() and buffer.count(b'"') == 2 * np.count_nonzero(lines.source_starts):
        return
    quotes = np.flatnonzero(octets == ord('"'))
    inside = np.searchsorted(quotes, lines.source_ends) - np.searchsorted(
        quotes, lines.source_starts
    )
    good &= inside == 0


class _Shape:
    """Reads the lines of one kind in one spelling into their rows."""

    def __init__(self, text: Text, lines: Lines, rows: Array, kind: SexpKind, keyed: bool) -> None:
        self.lines, self.rows, self.kind, self.keyed = lines, rows, kind, keyed
        self.cursors = Cursors(text, lines.starts[rows] + len(kind.name) + 2)
        self.close = b")" if keyed else b""
        """What ends the field before; read together with what begins the next one."""
        self.tail = self.close
        """What ends a source."""
        self.flags = np.zeros(len(rows), "u2")

    def read(self) -> Array:
        """Return which of the lines are regular records."""
        cursors, keyed = self.cursors, self.keyed
        if keyed:
            cursors.expect(b"(id ")
        self._put("id", cursors.number(False))
        cursors.expect(b") (tid " if keyed else b" ")
        self._put("thread", cursors.number(False))
        if self.kind.kind in (Kind.READ, Kind.WRITE):
            self.lines.events["size"][self.rows] = 8
        for field in self.kind.fields:
            if field.key == "level":
                continue  # of old traces: such lines are left to the general reader
            if (self.kind.name, field.key) in _BARE and keyed:
                self._bare(field)
            elif field.optional and keyed:
                self._optional(field)
            else:
                self._required(field)
        for field in self.kind.extra:
            self._optional(field)
        self._source()
        cursors.expect(self.close + b")\n")
        self._put("kind", int(self.kind.kind))
        self._put("flags", self.flags)
        return cursors.good

    def _put(self, column: str, values: Array | int) -> None:
        self.lines.events[column][self.rows] = values

    def _required(self, field: SexpField) -> None:
        begin = f" ({field.key} ".encode() if self.keyed else b" "
        self.cursors.expect(self.close + begin)
        if field.key == "mem-order":
            self.lines.orders[self.rows] = self.cursors.word(MEMORY_ORDERS)
            return
        if field.type == "word":
            self._word(field, self.rows, self.cursors)
            return
        column = _COLUMNS.get(field.key, field.key)
        self._put(column, self.cursors.number(field.type == "hex"))
        self.flags |= _FLAGS.get(column, np.uint16(0))

    def _bare(self, field: SexpField) -> None:
        """Read a word that has no key even where the others have."""
        self.cursors.expect(self.close + b" ")
        self._word(field, self.rows, self.cursors)
        self.close = b""

    def _word(self, field: SexpField, rows: Array, cursors: Cursors) -> None:
        """Read a word; the kind of a dsb takes the place of the dsb, and isb has none."""
        if field.optional:
            cursors.good &= self.lines.orders[rows] == NUMBERS["dsb"]
        self.lines.orders[rows] = cursors.name(known_words(WORD_CHOICES[self.kind.name, field.key]))

    def _optional(self, field: SexpField) -> None:
        """Read a keyed field where it is there."""
        literal = self.close + f" ({field.key} ".encode()
        some = np.flatnonzero(self.cursors.follows(literal))
        if len(some) == 0:
            return
        part = self.cursors.part(some)
        part.skip(len(literal))
        if field.type == "word":
            self._word(field, self.rows[some], part)
        else:
            self.lines.events[field.key][self.rows[some]] = part.number(field.type == "hex")
        if not self.close:
            part.expect(b")")
        self.cursors.join(some, part)
        self.flags[some] |= _FLAGS.get(field.key, np.uint16(0))

    def _source(self) -> None:
        literal = self.close + (b" (src " if self.keyed else b" ")
        some = np.flatnonzero(self.cursors.follows(literal))
        if len(some) == 0:
            return
        at = self.cursors.at[some] + len(literal)
        first = Cursors(self.cursors.text, at).words()
        quoted = first & np.uint64(0xFF) == ord('"')
        hexadecimal = first & np.uint64(0xFFFF) == np.uint64(0x7830)
        self._texts(some[quoted], at[quoted])
        for which, base in ((hexadecimal, True), (~hexadecimal & ~quoted, False)):
            rows = some[which]
            if len(rows):
                part = Cursors(self.cursors.text, at[which])
                self.lines.events["pc"][self.rows[rows]] = part.number(base)
                self._end_source(part)
                self.cursors.join(rows, part)
                self.flags[rows] |= np.uint16(Flag.HAS_PC)

    def _texts(self, some: Array, at: Array) -> None:
        """Take what is between the quotes; the line's end states where the second is."""
        if len(some) == 0:
            return
        rows = self.rows[some]
        part = Cursors(self.cursors.text, self.lines.ends[rows] - len(self.tail) - 2)
        part.good &= part.at > at
        self.lines.source_starts[rows] = at + 1
        self.lines.source_ends[rows] = np.maximum(part.at, at + 1)
        part.expect(b'"')
        self._end_source(part)
        self.cursors.join(some, part)

    def _end_source(self, part: Cursors) -> None:
        """Read what ends a source, unless it is what ends the field before."""
        if self.tail != self.close:
            part.expect(self.tail)


_BARE = frozenset({("barrier", "barrier"), ("tlbi", "op")})
_FLAGS = {"address": np.uint16(Flag.HAS_ADDRESS), "value": np.uint16(Flag.HAS_VALUE)}
