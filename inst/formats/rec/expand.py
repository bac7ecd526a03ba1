"""Accesses and orders as the RST records that the hook library `rst` writes for them."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from inst.formats.rec.columns import Accesses
from inst.formats.rec.tables import NONE, WIDE, Tables
from inst.formats.rst.codes import (
    CPU,
    EA_VALID,
    EVENT_PC,
    EVENT_RECORD,
    EVENT_SIZE,
    INSTR,
    MEMVAL,
    THREAD,
    VIRTUAL,
)
from inst.formats.rst.record import RECORD
from inst.trace.model import Array, Flag, Kind
from inst.words.access import WRITE

PAIR = np.dtype([("instr", RECORD), ("value", RECORD)])
"""What an access has whose value is known."""
_TRIPLE = np.dtype([("event", RECORD), ("pc", RECORD), ("size", RECORD)])
"""The same of an instruction of two words."""
_WORD, _LARGEST = 0xFFFFFFFF, 8


def pairs(thread: int, pc: Array, word: Array, size: Array) -> Array:
    """Return the records of instructions of a thread, without addresses and values."""
    both = np.zeros(len(pc), PAIR)
    instr, value = both["instr"], both["value"]
    instr["rtype"], instr["flags"] = INSTR, EA_VALID
    instr["half"] = (thread & 63) << 10 | (thread >> 6 & 15) << 6
    instr["word"], instr["first"] = word, pc
    value["rtype"], value["flags"] = MEMVAL, VIRTUAL | thread >> 8 & 3
    value["half"] = (thread & 255) << 8 | np.minimum(size, _LARGEST).astype("u2")
    return both


def filled(both: Array, address: Array, value: Array) -> Array:
    """Put addresses and values into such records; return these one after the other."""
    both["instr"]["second"] = both["value"]["first"] = address.astype(">u8")
    both["value"]["second"] = value
    return both.view(RECORD)


def _put_seconds(
    result: Array, places: Array, values: Array, address: Array, second: Array | None
) -> None:
    """Put the second halves of values of 16 bytes at places, as records like those of the first."""
    result[places] = values
    result["first"][places] = address.astype("u8") + np.uint64(_LARGEST)
    result["second"][places] = 0 if second is None else second


WORD = 0x51
"""The type of a record with a word of values that follow each other: in no file."""


def loose(words: Array) -> Array:
    """Return a record for each of such words."""
    records = np.zeros(len(words), RECORD)
    records["rtype"], records["second"] = WORD, words
    return records


def ranges(thread: int, kind: Kind | Array, starts: list[int] | Array, size: int | Array) -> Array:
    """Return the records of ranges that a function touches, as its wrapper reports them: their
    addresses and size are not 0."""
    found = np.zeros(2 * len(starts), RECORD)
    event, more = found[::2], found[1::2]
    event["rtype"], event["flags"], event["half"] = EVENT_RECORD, kind, Flag.HAS_ADDRESS
    event["word"], event["first"] = thread & 1023, starts
    more["rtype"], more["first"] = EVENT_SIZE, size
    return found


def frames(thread: int, starts: Array, sizes: Array) -> Array:
    """Return the records of frames, as the library writes them."""
    found = np.zeros(len(starts), RECORD)
    found["rtype"], found["flags"] = EVENT_RECORD, Kind.FRAME
    found["half"] = Flag.HAS_ADDRESS | Flag.HAS_VALUE
    found["word"], found["first"], found["second"] = thread & 1023, starts, sizes
    return found


class Recorder(Protocol):
    """Makes the records of one thread's accesses, each of which is one of some items."""

    thread: int
    counts: Array
    """Records of each item."""

    def records(
        self, item: Array, address: Array, value: Array, second: Array | None = None
    ) -> Array:
        """Return the records of accesses, which follow each other; of those of 16 bytes `second`
        has the second halves of values."""
        ...


class Pairs:
    """Makes the records of one thread's accesses, whose values are all known."""

    def __init__(
        self,
        thread: int,
        pc: Array,
        words: Array,
        what: Array,
        size: Array,
        *,
        is_big: bool = False,
    ) -> None:
        """Take the instructions as `Words.prefix` says; `is_big` says how memory is ordered."""
        self.thread = thread
        is_long, is_wide = words > _WORD, size == WIDE
        self.counts = np.where(is_long | is_wide, 3, 2)
        self._pairs = pairs(thread, pc, words & _WORD, size)
        self._wide = is_wide & ~is_long
        self._long = np.cumsum(is_long) - 1 if is_long.any() else None
        """Which row of those of two words each item is, if there are any."""
        self._is_long, self._is_big = is_long, is_big
        self._triples = _triples(thread, *(one[is_long] for one in (pc, what, size)))
        self._all_pairs = not (self.counts > 2).any()

    def records(
        self, item: Array, address: Array, value: Array, second: Array | None = None
    ) -> Array:
        """Return an INSTR and a MEMVAL64 for each access, two for those of 16 bytes; an INSTR has
        no room for two words, so an EVENT, EVENT_PC and EVENT_SIZE for those."""
        if self._all_pairs:
            return filled(self._pairs.take(item), address, value)
        counts = self.counts[item]
        ends = np.cumsum(counts)
        found = np.empty(int(ends[-1]) if len(ends) else 0, RECORD)
        begins, is_long = ends - counts, self._is_long[item]
        rows = np.flatnonzero(~is_long)
        some = filled(self._pairs.take(item[rows]), address[rows], value[rows]).reshape(-1, 2)
        found[begins[rows]], found[begins[rows] + 1] = some[:, 0], some[:, 1]
        wide = np.flatnonzero(self._wide[item])
        values = found[begins[wide] + 1]
        halves = None if second is None else second[wide]
        _put_seconds(found, begins[wide] + 2, values, address[wide], halves)
        if is_long.any():
            self._put_triples(found, begins, np.flatnonzero(is_long), item, address, value, second)
        return found

    def _put_triples(
        self,
        found: Array,
        begins: Array,
        rows: Array,
        item: Array,
        address: Array,
        value: Array,
        second: Array | None,
    ) -> None:
        """Put the records of instructions of two words: of 16 bytes the less significant half of
        the number comes first, as it does in little-endian memory."""
        assert self._long is not None
        some, first = self._triples.take(self._long[item[rows]]), value[rows]
        more = np.zeros_like(first) if second is None else second[rows]
        swapped = self._is_big & (some["size"]["first"] == WIDE)
        some["event"]["first"] = address[rows]
        some["event"]["second"] = np.where(swapped, more, first)
        some["size"]["second"] = np.where(swapped, first, more)
        found[(begins[rows][:, None] + np.arange(3)).reshape(-1)] = some.view(RECORD)


def _triples(thread: int, pc: Array, what: Array, size: Array) -> Array:
    """Return the records of accesses of instructions of two words, without addresses and values."""
    found = np.zeros(len(pc), _TRIPLE)
    event = found["event"]
    event["rtype"], event["half"] = EVENT_RECORD, Flag.HAS_ADDRESS | Flag.HAS_VALUE | Flag.HAS_PC
    event["flags"] = np.where(what & WRITE, Kind.WRITE, Kind.READ)
    event["word"] = thread & 1023
    found["pc"]["rtype"], found["pc"]["first"] = EVENT_PC, pc
    found["size"]["rtype"], found["size"]["first"] = EVENT_SIZE, size
    return found


class Expander:
    """Makes the records of one thread's accesses."""

    def __init__(self, tables: Tables, thread: int) -> None:
        self.thread = thread
        self._valued = tables.kind != NONE
        self._wide = self._valued & (tables.size == WIDE)
        self.counts = 1 + self._valued.astype("i8") + self._wide
        """Records of each item."""
        self._all_valued = bool((self.counts == 2).all())
        self._some_wide = bool(self._wide.any())
        self._pair = pairs(thread, tables.pc, tables.word, tables.size)
        self._instr, self._value = (self._pair[name].copy() for name in ("instr", "value"))

    def expanded(self, accesses: Accesses) -> Array:
        """Return the records of accesses."""
        return self.records(accesses.item, accesses.address, accesses.value, accesses.second)

    def records(
        self, item: Array, address: Array, value: Array, second: Array | None = None
    ) -> Array:
        """Return an INSTR for each access, and a MEMVAL64 for each value, or for each half of one
        of 16 bytes."""
        if self._all_valued:
            return filled(self._pair.take(item), address, value)
        counts = self.counts[item]
        ends = np.cumsum(counts)
        result = np.empty(int(ends[-1]) if len(ends) else 0, RECORD)
        places = ends - counts
        result[places] = self._instr[item]
        result["second"][places] = address
        rows = np.flatnonzero(self._valued[item])
        values = places[rows] + 1
        result[values] = self._value[item[rows]]
        result["first"][values], result["second"][values] = address[rows], value[rows]
        if self._some_wide:
            rows = np.flatnonzero(self._wide[item])
            halves = None if second is None else second[rows]
            _put_seconds(result, places[rows] + 2, self._value[item[rows]], address[rows], halves)
        return result


def switch(thread: int, tid: int) -> Array:
    """Return the records that name the thread of those after them."""
    records = np.zeros(2, RECORD)
    records["rtype"] = CPU, THREAD
    records["word"][0], records["first"][1] = thread & 1023, tid
    return records


def beginning(thread: int, tid: int, order: int) -> Array:
    """Return the records that begin a chunk of a thread."""
    records = np.zeros(3, RECORD)
    records[:2] = switch(thread, tid)
    records["rtype"][2], records["flags"][2] = EVENT_RECORD, Kind.ORDER
    records["half"][2], records["word"][2] = Flag.HAS_VALUE, thread & 1023
    records["second"][2] = order
    return records
