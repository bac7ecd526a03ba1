"""Which changes of memory another thread may have made, in no order that the trace records.

The accesses of several threads are replayed in the order of their places. That is one order in
which they can have happened: a store stands where its run began, though it may have been executed
at any time up to the thread's next place, and an atomic load may have been executed before a
store that stands before it. So a change is certain only if, by their places,

- the access that touched the bytes last came before the one that read them, or is of the same
  thread; and
- no other thread has written to the word at a time that overlaps that from the one to the other.

A change for which that does not hold is counted, and so are all later ones of the word.
What came up to `REACH` events later is looked at, and of what came before at least as many.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

import numpy as np

from inst.check.cells import CELL, LONGEST, is_range, parts_of
from inst.check.held import Held
from inst.check.places import Places
from inst.trace.model import Array, Kind, among

REACH = 1 << 18
"""Events after a read that are looked at before it is judged."""
STEPS = 64
"""Accesses to a word that are looked at to find which touched its bytes last."""
_REGIONS = among(Kind.INIT, Kind.FREE, Kind.SET)
_TOUCH = np.dtype(
    [("cell", "u8"), ("number", "i8"), ("record", "u8"), ("thread", "u4"), ("mask", "u1"),
     ("writes", "?"), ("loose", "?")]
)  # fmt: skip
_REGION = np.dtype(
    [("low", "u8"), ("high", "u8"), ("number", "i8"), ("record", "u8"), ("thread", "u4")]
)


class _Word:
    """The accesses to a cell, in the order of the replay."""

    def __init__(self, touches: Array) -> None:
        self.touches = touches
        written = touches[touches["writes"]]
        self.writes: dict[int, Array] = {
            thread: written[written["thread"] == thread]
            for thread in np.unique(written["thread"]).tolist()
        }
        """The writes of each thread."""

    def place(self, record: int) -> int:
        """Return which touch is the first of a record; -1 if none is known."""
        of_record = self.touches["record"] == record
        return int(of_record.argmax()) if of_record.any() else -1


class Unordered:
    """The accesses that were replayed last, and changes that wait to be judged by them."""

    def __init__(self, big_endian: bool) -> None:
        self._big_endian = big_endian
        self._places = Places()
        self._number = 0
        self._tables: deque[tuple[int, Array, Array]] = deque()
        """Number of the row after each, what touched cells, and what touched more."""
        self._is_cut = False
        """Whether what came before these tables is among several threads, too."""
        self._held: deque[tuple[int, Held]] = deque()
        self._words: set[int] = set()
        """Cells that threads have used without an order."""
        self.reads = 0
        """Changes that are not certain."""

    def take(self, rows: Array, several: bool) -> None:
        """Take rows that are replayed; one thread's are not needed if there never was another."""
        self._places.take(rows)
        if several and len(rows):
            end = self._number + len(rows)
            touches, regions = self._touches(rows), self._regions(rows)
            self._tables.append((end, touches, regions))
            while self._tables[0][0] + 4 * REACH < end:
                self._tables.popleft()
                self._is_cut = True
        self._number += len(rows)

    def _touches(self, rows: Array) -> Array:
        parts = parts_of(rows, self._big_endian)
        if (parts.row[1:] < parts.row[:-1]).any():
            parts = parts.take(np.argsort(parts.row, kind="stable"))
        found = np.zeros(len(parts.cell), _TOUCH)
        found["cell"], found["mask"], found["writes"] = parts.cell, parts.mask, ~parts.reads
        found["number"] = parts.row + self._number
        found["record"], found["thread"] = rows["record"][parts.row], rows["thread"][parts.row]
        found["loose"] = is_range(rows)[parts.row]
        return found

    def _regions(self, rows: Array) -> Array:
        wide = (rows["kind"] == Kind.WRITE) & (rows["size"] > LONGEST)
        at = np.flatnonzero(_REGIONS[rows["kind"]] | wide)
        found = np.zeros(len(at), _REGION)
        found["low"], found["high"] = rows["address"][at], rows["address"][at] + rows["size"][at]
        found["number"] = at + self._number
        found["record"], found["thread"] = rows["record"][at], rows["thread"][at]
        return found

    def hold(self, held: Held) -> None:
        """Take a change that waits for what comes after it."""
        self._held.append((self._number, held))

    def due(self, is_whole: bool) -> Iterator[Held]:
        """Yield the changes that are certain, once enough of what came after them is known.

        Where the order `is_whole` no more, because of places that are missing, none is.
        """
        if self._held and self._held[0][0] + 2 * REACH <= self._number:
            yield from self._judge(self._number - REACH, is_whole)

    def finish(self, is_whole: bool) -> Iterator[Held]:
        """Yield those of the other changes that are certain."""
        yield from self._judge(self._number, is_whole)

    def _judge(self, until: int, is_whole: bool) -> Iterator[Held]:
        judged: list[Held] = []
        while self._held and self._held[0][0] <= until:
            judged.append(self._held.popleft()[1])
        words = self._find(judged)
        regions = [np.zeros(0, _REGION), *(table[2] for table in self._tables)]
        wide = np.concatenate(regions)
        for held in judged:
            certain = is_whole and held.cell not in self._words
            if certain and self._is_certain(held, words, wide):
                yield held
            else:
                self._words.add(held.cell)
                self.reads += 1

    def _find(self, judged: list[Held]) -> dict[int, _Word]:
        """Return what is known of the cells of changes, but of those that are not judged again."""
        cells = np.array(sorted({held.cell for held in judged} - self._words), "u8")
        if len(cells) == 0 or not self._tables:
            return {}
        found = [table[np.isin(table["cell"], cells)] for _, table, _ in self._tables]
        touches = np.concatenate(found)
        touches = touches[np.argsort(touches["cell"], kind="stable")]
        kept, starts = np.unique(touches["cell"], return_index=True)
        parts = np.split(touches, starts[1:]) if len(kept) else []
        return {cell: _Word(part) for cell, part in zip(kept.tolist(), parts, strict=True)}

    def _is_certain(self, held: Held, words: dict[int, _Word], wide: Array) -> bool:
        word = words.get(held.cell)
        place = -1 if word is None else word.place(held.at)
        if word is None or place < 0:
            return False
        start, end = self._places.span(held.reader, held.at, held.cell)
        number = int(word.touches["number"][place])
        if self._is_written_after(held, word, number, end):
            return False
        for last in self._last(held, word, place):
            if last is None:
                return False
            when, thread, record, loose = last
            began, ended = self._places.span(thread, record, held.cell, loose)
            if thread != held.reader and ended > start:
                return False
            if self._is_written_before(held, word, thread, (when, began)):
                return False
            if self._is_region(held, wide, thread, (when, began), (number, end)):
                return False
        return True

    def _span(self, touch: Array) -> tuple[int, int]:
        thread, record, cell = int(touch["thread"]), int(touch["record"]), int(touch["cell"])
        return self._places.span(thread, record, cell, bool(touch["loose"]))

    def _last(
        self, held: Held, word: _Word, place: int
    ) -> Iterator[tuple[int, int, int, bool] | None]:
        """Yield what touched the bytes of a change last: number, thread, record, and whether it is
        of uninstrumented code; or None, if that is not known."""
        mask = held.mask
        for touch in word.touches[max(place - STEPS, 0) : place][::-1]:
            if int(touch["mask"]) & mask:
                yield (int(touch["number"]), int(touch["thread"]), int(touch["record"]),
                       bool(touch["loose"]))  # fmt: skip
                mask &= ~int(touch["mask"])
            if not mask:
                return
        if place > STEPS or (self._is_cut and int(held.row["size"]) < CELL):
            yield None
        else:
            yield -1, held.other, held.record, False

    def _is_written_after(self, held: Held, word: _Word, number: int, end: int) -> bool:
        """Return whether another thread's write that comes after a read may have come before it."""
        for thread, writes in word.writes.items():
            at = int(np.searchsorted(writes["number"], number, side="right"))
            # of one that follows its place, the span begins earlier than that of one before it
            for write in writes[at : at + 2] if thread != held.reader else ():
                if self._span(write)[0] < end:
                    return True
        return False

    def _is_written_before(self, held: Held, word: _Word, last: int, when: tuple[int, int]) -> bool:
        """Return whether a third thread's write that comes before the last access to the bytes
        may have come after it."""
        number, began = when
        for thread, writes in word.writes.items():
            at = int(np.searchsorted(writes["number"], number))
            if thread not in (held.reader, last) and at and self._span(writes[at - 1])[1] > began:
                return True
        return False

    def _is_region(
        self, held: Held, wide: Array, last: int, when: tuple[int, int], read: tuple[int, int]
    ) -> bool:
        """Return whether another thread may have written a stretch of memory in between."""
        touches = (wide["low"] < held.address + held.size) & (wide["high"] > held.address)
        for region in wide[touches & (wide["thread"] != held.reader)]:
            thread, number = int(region["thread"]), int(region["number"])
            began, ended = self._places.span(thread, int(region["record"]), held.cell, True)
            if number < when[0] and thread != last and ended > when[1]:
                return True
            if when[0] <= number < read[0] and number != when[0]:
                return True
            if number > read[0] and began < read[1]:
                return True
        return False
