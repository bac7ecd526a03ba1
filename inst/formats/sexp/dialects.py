"""Lines of any dialect as columns: keyed or not field by field, old names, capitals, extensions.

`columns` reads lines that spell every field alike, which is faster; what it leaves comes
here, in as many steps as a field has spellings. A line that differs in the least is left, too,
to the general reader.
"""

from __future__ import annotations

import numpy as np

from inst.formats.sexp.cursors import Cursors, Text
from inst.formats.sexp.lines import NUMBERS, WORD_CHOICES, Lines, known_words
from inst.formats.sexp.table import (
    ADDRESS_KEYS,
    KIND_ALIASES,
    KINDS,
    TLBI_BY_ADDRESS,
    WORDS,
    SexpField,
    SexpKind,
)
from inst.trace.model import Array, Flag, Kind

_TEXTS = ("image", "producer")
"""Kinds that facts are taken from, one by one."""
_KINDS = {name: kind for name, kind in KINDS.items() if name not in _TEXTS} | {
    alias: KINDS[name] for alias, name in KIND_ALIASES.items()
}
_WHAT = {kind.name.lower().encode(): int(kind) + 1 for kind in Kind}
"""What an `event` may be; 0 is none of them."""
_BY_ADDRESS = np.array([NUMBERS[word] for word in sorted(TLBI_BY_ADDRESS)])
_ORDERS = {word.encode(): NUMBERS[word] for word in WORDS["mem-order"]}
_LEADING = ((SexpField("id", "int"), ("id",)), (SexpField("thread", "int"), ("tid", "thread")))

_EXTENSIONS = ("address", "size", "value", "pc", "word", "high", "cpu", "flags")
"""In the order in which producers write them; `detail` is text and left out."""
_COLUMNS = dict.fromkeys(ADDRESS_KEYS, "address") | {
    "tid": "thread", "addr": "value", "high": "value_high",
}  # fmt: skip
"""Keys whose column has another name."""
_FLAGS = {
    "address": np.uint16(Flag.HAS_ADDRESS), "value": np.uint16(Flag.HAS_VALUE),
    "pc": np.uint16(Flag.HAS_PC), "word": np.uint16(Flag.HAS_WORD),
}  # fmt: skip
_OPENED, _QUOTED = ord("("), ord('"')


def read_dialects(buffer: bytes, lines: Lines, good: Array, least: int) -> None:
    """Read lines that are not good yet into their rows, where that many are of a kind."""
    rows = np.flatnonzero(~good)
    if len(rows) < least:
        return
    text, original = Text(buffer.lower()), Text(buffer)
    quotes = np.flatnonzero(np.frombuffer(buffer, "u1") == _QUOTED)
    left = Cursors(text, lines.starts[rows])
    for name, kind in _KINDS.items():
        some = rows[left.follows(f"({name} ".encode())]
        if len(some) >= least:
            lines.events[some] = 0
            for column in (lines.orders, lines.source_starts, lines.source_ends):
                column[some] = 0
            cursors = Cursors(text, lines.starts[some] + len(name) + 1)
            good[some] = _AnySpelling(lines, some, kind, cursors, original, quotes).read()


class _AnySpelling:
    """Reads the lines of one kind into their rows; a cursor is at the blank before a field."""

    def __init__(
        self,
        lines: Lines,
        rows: Array,
        kind: SexpKind,
        cursors: Cursors,
        original: Text,
        quotes: Array,
    ) -> None:
        self.lines, self.rows, self.kind, self.cursors = lines, rows, kind, cursors
        self.original, self.quotes = original, quotes
        self.flags = np.zeros(len(rows), "u2")
        self.kinds = np.full(len(rows), int(kind.kind), "u2")
        self.sourced = np.zeros(len(rows), "?")

    def read(self) -> Array:
        """Return which of the lines are records that are understood."""
        if self.kind.kind in (Kind.READ, Kind.WRITE):
            self.lines.events["size"][self.rows] = 8
        for field, keys in _LEADING:
            self._field(field, keys)
        self._source(early=True)
        for field in self.kind.fields:
            if field.key != "level":  # of old traces: such lines are left to the general reader
                self._field(field, (field.key, *filter(None, (field.older,))))
        for field in self.kind.extra:
            self._keyed(field, field.key)
        known = {field.key for field in (*self.kind.fields, *self.kind.extra)}
        for key in _EXTENSIONS:
            if key not in known:
                self._keyed(SexpField(key, "extension"), key)
        self._source(early=False)
        self.cursors.expect(b")")
        self._some(self.cursors.follows(b"\r"), 1)
        self.cursors.expect(b"\n")
        self.lines.events["kind"][self.rows] = self.kinds
        self.lines.events["flags"][self.rows] = self.flags
        return self.cursors.good

    def _some(self, chosen: Array, count: int) -> None:
        rows = np.flatnonzero(chosen)
        if len(rows):
            part = self.cursors.part(rows)
            part.skip(count)
            self.cursors.join(rows, part)

    def _field(self, field: SexpField, keys: tuple[str, ...]) -> None:
        """Read a field where it is keyed, and where it is not."""
        wanted = np.ones(len(self.rows), "?")
        if (self.kind.name, field.key) == ("tlbi", "value"):
            wanted = np.isin(self.lines.orders[self.rows], _BY_ADDRESS)
        elif field.optional and field.key == "kind":
            wanted = self.lines.orders[self.rows] == NUMBERS["dsb"]
        found = np.zeros(len(self.rows), "?")
        for key in keys:
            found |= self._keyed(field, key, wanted)
        words = self.cursors.words()
        second = words >> np.uint64(8) & np.uint64(0xFF)
        bare = wanted & ~found & (words & np.uint64(0xFF) == ord(" "))
        bare &= (second != _OPENED) & (second != _QUOTED)
        if field.optional and field.type == "word":
            bare &= second > ord("9")  # a number is the source
        if bare.any():
            self._take(np.flatnonzero(bare), 1, field, field.key)
        if not field.optional or (field.key == "value" and self.kind.name == "tlbi"):
            self.cursors.good &= ~wanted | found | bare

    def _keyed(self, field: SexpField, key: str, wanted: Array | None = None) -> Array:
        """Read a field where it has that key; return where."""
        literal = f" ({key} ".encode()
        there = self.cursors.follows(literal)
        there = there if wanted is None else there & wanted
        if there.any():
            self._take(np.flatnonzero(there), len(literal), field, key, close=b")")
        return there

    def _take(
        self, some: Array, skipped: int, field: SexpField, key: str, close: bytes = b""
    ) -> None:
        part = self.cursors.part(some)
        part.skip(skipped)
        column = _COLUMNS.get(key, key)
        if field.type == "word":
            self._word(some, part, field)
        elif field.type == "extension":
            self.lines.events[column][self.rows[some]] = self._extension(part, column, some)
        else:
            self.lines.events[column][self.rows[some]] = part.number(field.type == "hex")
        if column != "flags":
            self.flags[some] |= _FLAGS.get(column, np.uint16(0))
        if close:
            part.expect(close)
        self.cursors.join(some, part)

    def _word(self, some: Array, part: Cursors, field: SexpField) -> None:
        if field.key == "what":
            numbers = part.name(_WHAT)
            self.kinds[some] = np.maximum(numbers, 1) - 1
            return
        names = (self.kind.name, field.key)
        known = known_words(WORD_CHOICES[names]) if names in WORD_CHOICES else _ORDERS
        self.lines.orders[self.rows[some]] = part.name(known)

    def _extension(self, part: Cursors, column: str, some: Array) -> Array:
        """Return numbers that are hexadecimal only after 0x, in small letters."""
        at = part.at
        prefixed = part.follows(b"0x")
        values = np.zeros(len(at), "u8")
        for which, base in ((prefixed, True), (~prefixed, False)):
            rows = np.flatnonzero(which)
            if len(rows):
                one = part.part(rows)
                one.skip(2 * base)
                one.good &= ~one.follows(b"0x")
                values[rows] = one.number(base)
                part.join(rows, one)
        part.good &= self._as_written(at, part.at)
        if column == "flags":
            self.flags[some] = (values & np.uint64(0xFFFF)).astype("u2")
        return values

    def _as_written(self, begins: Array, ends: Array) -> Array:
        """Return where there are no capitals between two places, at most 18 bytes apart."""
        cells = [
            text.cells(begins).view("u1").reshape(len(begins), -1)[:, :18]
            for text in (self.cursors.text, self.original)
        ]
        within = np.arange(18) < (ends - begins)[:, None]
        return np.asarray(~((cells[0] != cells[1]) & within).any(axis=1), bool)

    def _source(self, *, early: bool) -> None:
        """Read where the record came from: after the thread in the oldest traces, or last."""
        words = self.cursors.words()
        string = (words & np.uint64(0xFFFF) == np.uint64(0x2220)) & ~self.sourced
        self._texts(np.flatnonzero(string), 2)
        if early:
            return
        keyed = self.cursors.follows(b" (src ") & ~self.sourced
        after = self.cursors.words(6) & np.uint64(0xFF)
        self._texts(np.flatnonzero(keyed & (after == _QUOTED)), 7, b")")
        self._numbers(np.flatnonzero(keyed & (after != _QUOTED)), 6, b")")
        words = self.cursors.words()
        second = words >> np.uint64(8) & np.uint64(0xFF)
        digit = (second >= ord("0")) & (second <= ord("9")) & (words & np.uint64(0xFF) == ord(" "))
        self._numbers(np.flatnonzero(digit & ~self.sourced), 1, b"")

    def _numbers(self, some: Array, skipped: int, close: bytes) -> None:
        if not len(some):
            return
        part = self.cursors.part(some)
        part.skip(skipped)
        part.good &= self.flags[some] & np.uint16(Flag.HAS_PC) == 0
        prefixed = part.follows(b"0x")
        for which, base in ((prefixed, True), (~prefixed, False)):
            rows = np.flatnonzero(which)
            if len(rows):
                one = part.part(rows)
                self.lines.events["pc"][self.rows[some[rows]]] = one.number(base)
                part.join(rows, one)
        if close:
            part.expect(close)
        self.cursors.join(some, part)
        self.flags[some] |= np.uint16(Flag.HAS_PC)
        self.sourced[some] = True

    def _texts(self, some: Array, skipped: int, close: bytes = b"") -> None:
        """Take what is before the next quote of the line."""
        if not len(some):
            return
        part = self.cursors.part(some)
        begins = part.at + skipped
        places = np.searchsorted(self.quotes, begins)
        limit = self.lines.ends[self.rows[some]]
        ends = np.append(self.quotes, limit.max() + 1)[places]
        part.good &= ends < limit
        ends = np.minimum(ends, limit)
        self.lines.source_starts[self.rows[some]] = begins
        self.lines.source_ends[self.rows[some]] = ends
        part.at = ends + 1
        if close:
            part.expect(close)
        self.cursors.join(some, part)
        self.sourced[some] = True
