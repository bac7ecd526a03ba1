"""The record types of our own: events that other formats have and RST has no record for.

An EVENT record is followed by EVENT_PC and EVENT_SIZE when their columns hold anything. Its
word and site are numbers that EVENT_TEXT records before it spell, 16 bytes a record; a site that
is a place in the program's code needs none (`placed`): value_high has it, and site its digits.
"""

from __future__ import annotations

import numpy as np

from inst.formats.rst.codes import EVENT_PC, EVENT_RECORD, EVENT_SIZE, EVENT_TEXT, IS_SITE, LAST
from inst.formats.rst.record import RstBatch
from inst.formats.rst.table import SIZE
from inst.trace.model import Array, Flag, Kind, Trace, Vocabulary

TEXT_LIMIT = 1 << 16
"""Bytes of one text."""


class Texts:
    """The words and sites that EVENT_TEXT records spell, by the writer's numbers.

    A number may get another text: an event has the one that was spelled last before it. The
    run-time library has the low half of a place in 64-bit code as a site's number.
    """

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._part = b""
        self._last: dict[tuple[int, bytes], bytes] = {}
        """The record that spelled a number last, if one was enough: writers repeat them."""
        self._current: set[bytes] = set()
        """Those records: a batch that has no others changes nothing."""
        self.words: dict[int, int] = {0: 0}
        self.sites: dict[int, int] = {0: 0}
        self._placed: dict[int, int] = {}
        """This reader's numbers of sites that are places in the code."""
        self._changes: dict[int, list[tuple[int, int, int]]] = {0: [], IS_SITE: []}
        """Of words and of sites, what got another text in the batch taken last: the row from which
        on it has that, the writer's number, and this reader's number of the text before."""

    @property
    def vocabulary(self) -> list[str]:
        """Return the words by this reader's numbers."""
        return self._trace.words.texts

    def take(self, batch: RstBatch) -> None:
        rows = np.flatnonzero(batch.raw["rtype"] == EVENT_TEXT)
        records: list[bytes] = batch.raw.take(rows).view(f"V{SIZE}").tolist()
        for changes in self._changes.values():
            changes.clear()
        if not self._part and self._current.issuperset(records):
            return
        for row, record in zip(rows.tolist(), records, strict=True):
            key = record[1] & IS_SITE, record[4:8]
            if self._part or self._last.get(key) != record:
                self._take(key, record, row)

    def words_of(self, numbers: Array, rows: Array) -> Array:
        """Return this reader's numbers of the words of events at rows of the batch taken last."""
        return self._as_changed(_numbered(numbers, self.words), numbers, rows, 0)

    def sites_of(self, numbers: Array, rows: Array) -> Array:
        """Return the same of their sites."""
        return self._as_changed(_numbered(numbers, self.sites), numbers, rows, IS_SITE)

    def sites_at(self, places: Array, digits: Array) -> Array:
        """Return this reader's numbers of the sites at places in the code, by their texts."""
        distinct, first, where = np.unique(places, return_index=True, return_inverse=True)
        for place, width in zip(distinct.tolist(), digits[first].tolist(), strict=True):
            if place not in self._placed:
                _define(self._placed, place, f"0x{place:0{min(width, 16)}x}", self._trace.sites)
        return _numbered(distinct, self._placed)[where]

    def _as_changed(self, known: Array, numbers: Array, rows: Array, kind: int) -> Array:
        for row, number, before in reversed(self._changes[kind]):
            known[(numbers == number) & (rows < row)] = before
        return known

    def _take(self, key: tuple[int, bytes], record: bytes, row: int) -> None:
        is_whole = not self._part
        if len(self._part) < TEXT_LIMIT:
            self._part += record[8:].partition(b"\0")[0]
        if record[1] & LAST:
            text, self._part = self._part.decode("utf-8", "surrogateescape"), b""
            number = int.from_bytes(record[4:8], "big")
            if record[1] & IS_SITE:
                numbers, known = self.sites, self._trace.sites
            else:
                numbers, known = self.words, self._trace.words
            before = numbers.get(number)
            _define(numbers, number, text, known)
            if before is not None and before != numbers[number]:
                self._changes[record[1] & IS_SITE].append((row, number, before))
            self._current.discard(self._last.pop(key, b""))
            if is_whole and numbers.get(number):
                self._last[key] = record
                self._current.add(record)


def _define(numbers: dict[int, int], number: int, text: str, known: Vocabulary) -> None:
    """Remember what a writer's number means, as many as there may be texts."""
    if number in numbers or len(numbers) < known.limit:
        numbers[number] = known.number(text)
    else:
        known.refused += 1


def fill_own(result: Array, batch: RstBatch, sources: Array, texts: Texts) -> None:
    """Take the columns of EVENT records, and of the EVENT_PC and EVENT_SIZE after them."""
    codes = batch.raw["rtype"]
    rows = np.flatnonzero(codes[sources] == EVENT_RECORD)
    at = sources[rows]
    for column in ("pc", "word", "size", "value_high", "site"):
        result[column][rows] = 0
    for column in ("kind", "flags", "address", "value"):
        result[column][rows] = batch.column("event", column, at)
    result["flags"][rows] &= np.uint16(~Flag.STATED & 0xFFFF)
    result["kind"][rows[result["kind"][rows] > max(Kind)]] = Kind.OTHER  # of a later version
    result["cpu"][rows] = batch.column("event", "cpuid", at)
    result["detail"][rows] = texts.words_of(batch.column("event", "detail", at), at)
    for code, name, columns in (
        (EVENT_PC, "event_pc", ("word", "pc")),
        (EVENT_SIZE, "event_size", ("size", "value_high")),
    ):
        following = np.minimum(at + 1, len(codes) - 1)
        there = (at + 1 < len(codes)) & (codes[following] == code)
        at = np.where(there, following, at)
        for column in columns:
            result[column][rows[there]] = batch.column(name, column, following[there])
        if code == EVENT_PC:
            _take_ids(result, batch, rows[there], following[there])
        else:
            _take_sites(result, batch, texts, rows[there], following[there])


def _take_sites(result: Array, batch: RstBatch, texts: Texts, rows: Array, at: Array) -> None:
    """Take the sites that EVENT_SIZE records have."""
    sites, placed = (batch.column("event_size", one, at) for one in ("site", "placed"))
    result["site"][rows] = texts.sites_of(sites, at)
    here = np.flatnonzero(placed)
    if len(here):
        there = rows[here]
        result["site"][there] = texts.sites_at(result["value_high"][there], sites[here])
        result["value_high"][there] = 0


def _take_ids(result: Array, batch: RstBatch, rows: Array, at: Array) -> None:
    """Take the ids that EVENT_PC records have; 0 is one only where it is stated."""
    ids, stated = batch.column("event_pc", "id", at), batch.column("event_pc", "stated", at) != 0
    valid = stated | (ids != 0)
    result["id"][rows[valid]] = ids[valid]
    result["flags"][rows[stated]] |= np.uint16(Flag.STATED)


def _numbered(numbers: Array, known: dict[int, int]) -> Array:
    """Return this reader's numbers for the writer's; 0 for one that was never spelled."""
    distinct, places = np.unique(numbers, return_inverse=True)
    return np.array([known.get(number, 0) for number in distinct.tolist()], "u8")[places]
