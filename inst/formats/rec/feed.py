"""What re-execution takes from the records of a thread: values of loads, and all else between."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

import numpy as np

from inst.formats.rec.events import UNORDERED
from inst.formats.rec.expand import WORD
from inst.formats.rec.instrumented import Program
from inst.formats.rec.signals import Signal, may_be_signals, signal_of
from inst.formats.rec.stated import Stated, stated
from inst.formats.rst.codes import EVENT_RECORD, EVENT_TEXT, INSTR, MARKER, MEMVAL, REGVAL, TAKEN
from inst.formats.rst.record import decode
from inst.formats.rst.registers import named_registers
from inst.replay.machine import SIZE
from inst.trace.model import Array, Flag, Kind
from inst.words.access import BOTH, READ


@dataclass(slots=True)
class Others:
    """Records that stand before a value of the feed, and that no execution gives."""

    place: int
    order: int
    records: Array
    pc: int
    """Of the access that a hook wrote; 0 for other records."""
    is_fed: bool
    """That is a load, whose value the feed has."""
    signal: Signal | None
    registers: dict[str, int] = field(default_factory=dict)
    """Of a signal: those of the code that it interrupted."""

    @property
    def address(self) -> int:
        """Return the address of an access."""
        return int(self.records["second" if self.records["rtype"][0] == INSTR else "first"][0])

    @property
    def begins_access(self) -> bool:
        """Return whether it orders an access, before the record of which a hook writes it."""
        kinds, flags = self.records["flags"], self.records["half"]
        is_order = (self.records["rtype"] == EVENT_RECORD) & (kinds == Kind.ORDER)
        return bool((is_order & (flags & Flag.HAS_ADDRESS != 0)).any())


@dataclass(slots=True)
class _Held:
    """A piece of the records that were taken, of which something may be left."""

    place: object
    """Where it is."""
    values: int
    others: int


class Feed:
    """Values that have not been taken yet, with the instructions that take them, and the others."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self.pcs, self.values = np.zeros(0, "u8"), np.zeros(0, "u8")
        """A word that any instruction takes which is the next to take one has the address 0."""
        self.others: list[Others] = []
        self.given = 0
        """How many of the others have been given."""
        self._first_gap: int | None = None
        """Which of the others is the first gap; -1: one before them."""
        self._registers: dict[int, dict[str, int]] = {}
        """Of code that signals interrupted, by the row of its event among those taken last."""
        self._end = 0
        """How many these are."""
        self._held: list[_Held] = []
        """What the values and the others are of."""

    def __len__(self) -> int:
        return len(self.pcs)

    @property
    def next(self) -> Others | None:
        """Return the first of the others that have not been given."""
        return self.others[self.given] if self.given < len(self.others) else None

    def next_signal(self) -> int:
        """Return the signal that comes next, if only events at its place come before it; or -1."""
        for number in range(self.given, len(self.others)):
            one = self.others[number]
            if one.pc or one.place != self.others[self.given].place:
                break
            if one.signal:
                return number
        return -1

    def orders_access(self, number: int) -> bool:
        """Return whether what is given before one of the others orders an access to come."""
        return any(one.begins_access for one in self.others[self.given : number])

    @property
    def is_after_gap(self) -> bool:
        """Return whether a gap has been given: values may be missing since."""
        return self._first_gap is not None and self._first_gap < self.given

    @property
    def waits(self) -> bool:
        """Return whether the last records are registers, of a signal whose event is to come."""
        return bool(self._registers.get(self._end))

    def next_access(self) -> int:
        """Return the first access of a hook that has not been given; -1 if there is none."""
        places = range(self.given, len(self.others))
        return next((place for place in places if self.others[place].pc), -1)

    @property
    def has_gap(self) -> bool:
        """Return whether any gap was taken."""
        return self._first_gap is not None

    def set_gap(self) -> None:
        """State that there was a gap before all that is taken."""
        self._first_gap = -1

    def left(self, taken: int) -> tuple[list[object], int, int]:
        """Return where the pieces are of which something is left, and how many of their values and
        of their others are not; `taken` is as for `take`."""
        self._drop(taken, self.given)
        held = [one.place for one in self._held]
        values = sum(one.values for one in self._held) - (len(self) - taken)
        others = sum(one.others for one in self._held) - (len(self.others) - self.given)
        return held, values, others

    def _drop(self, taken: int, given: int) -> None:
        """Forget pieces of which nothing is left, but for the last one."""
        values = sum(one.values for one in self._held) - (len(self) - taken)
        others = sum(one.others for one in self._held) - (len(self.others) - given)
        done = 0
        for one in self._held[:-1]:
            values, others = values - one.values, others - one.others
            if values < 0 or others < 0:
                break
            done += 1
        del self._held[:done]

    def take(self, order: int, records: Array, taken: int, place: object = None) -> None:
        """Take records; `taken` of the values have been taken out since the last ones."""
        self._drop(taken, self.given)
        records = self._without_registers(records)
        found = stated(records, self._program)
        codes, instr, pcs = found.codes, found.heads, found.pcs
        what, _ = self._program.words.lookup(found.instructions, self._program.arch)
        group = np.cumsum(codes == INSTR) - 1
        valued = np.flatnonzero(found.valued & (group >= 0))
        owner = group[valued]
        is_second = (what & BOTH == BOTH) & (records["flags"][instr] & TAKEN != 0)
        is_load = (what & READ != 0) & ~is_second & self._program.are_instrumented(pcs)
        feed = valued[is_load[owner]]
        base = len(self.pcs) - taken
        if self._first_gap is not None:
            self._first_gap = max(self._first_gap - self.given, -1)
        del self.others[: self.given]
        before = len(self.pcs) - taken, len(self.others)
        self.given = 0
        for one in self.others if taken else ():
            one.place -= taken
        is_word = codes == WORD
        feed = np.sort(np.concatenate([feed, np.flatnonzero(is_word)]))
        values = found.values[feed]
        is_word = is_word[feed]
        counts = np.ones(len(feed), "i8")
        recorded = feed[~is_word]
        if len(recorded):
            counts[~is_word] = self._counts(records, recorded, instr[group[recorded]])
        if (counts != 1).any():
            values, feed = _bytes(values, counts), np.repeat(feed, counts)
            is_word = np.repeat(is_word, counts)
        own = np.zeros(len(feed), "u8")
        own[~is_word] = pcs[group[feed[~is_word]]]
        self.pcs = np.concatenate([self.pcs[taken:], own])
        self.values = np.concatenate([self.values[taken:], values])
        self._take_others(order, records, found, is_load, feed, base)
        self._held.append(_Held(place, len(self) - before[0], len(self.others) - before[1]))

    def _without_registers(self, records: Array) -> Array:
        """Take the registers of code that signals interrupted out of records."""
        is_register = records["rtype"] == REGVAL
        waiting = self._registers.pop(self._end, {})
        self._registers = {0: waiting} if waiting else {}
        places = np.cumsum(~is_register)[is_register].tolist()
        for place, record in zip(places, records[is_register], strict=True):
            named = named_registers(decode(record.tobytes()), self._program.arch)
            self._registers.setdefault(place, {}).update(named)
        self._end = len(records) - len(places)
        return records[~is_register] if places else records

    def _counts(self, records: Array, values: Array, instr: Array) -> Array:
        """Return how many values of the feed recorded values are: string loads take bytes."""
        words = records["word"][instr].astype("i8")
        by_bytes = self._program.words.recorded.loads_bytes(words)
        return np.where(by_bytes, records["half"][values] & SIZE, 1)

    def _take_others(
        self,
        order: int,
        records: Array,
        found: Stated,
        is_load: Array,
        feed: Array,
        base: int,
    ) -> None:
        codes, group = found.codes, np.cumsum(found.codes == INSTR) - 1
        access = (codes == INSTR) | (codes == MEMVAL)
        rest = np.flatnonzero(codes != WORD)
        places = base + np.searchsorted(feed, rest)
        starts = np.ones(len(rest), bool)
        starts[1:] = (
            (np.diff(rest) != 1)
            | (codes[rest[1:]] == INSTR)
            | (access[rest[:-1]] & ~access[rest[1:]])
        )
        signals = may_be_signals(records)
        for row in np.flatnonzero(np.isin(rest, signals)).tolist() if len(signals) else ():
            first = row
            while first and codes[rest[first - 1]] == EVENT_TEXT:
                first -= 1
            starts[first] = True
            starts[row + 2 : row + 3] = True
        cuts = [*np.flatnonzero(starts).tolist(), len(rest)]
        registers: dict[str, int] = {}
        for first, end in itertools.pairwise(cuts):
            some = records[rest[first:end]]
            row = int(rest[first])
            pc = int(found.pcs[group[row]]) if codes[row] == INSTR else 0
            begins = order if not first and rest[0] == 0 else UNORDERED
            signal = None
            if len(some) > 1 and some["rtype"][-2] == EVENT_RECORD and some["flags"][-2] == 0:
                signal = signal_of(some[:-1])
            is_fed = bool(pc and is_load[group[row]])
            if self._first_gap is None and (some["rtype"] == MARKER).any():
                self._first_gap = len(self.others)
            other = Others(int(places[first]), begins, some, pc, is_fed, signal)
            registers |= self._registers.get(row, {})
            if signal:  # an order may come between, where a chunk of events begins
                other.registers, registers = registers, {}
            self.others.append(other)
        if registers:
            self._registers[self._end] = registers | self._registers.get(self._end, {})
        assert order == UNORDERED or (len(rest) and rest[0] == 0), "an order begins a piece"


def _bytes(values: Array, counts: Array) -> Array:
    """Return values divided into so many bytes each, big-endian; those of one stay as they are."""
    number = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
    size = np.repeat(counts, counts)
    shifted = np.repeat(values, counts) >> (8 * (size - 1 - number)).astype("u8")
    return np.asarray(np.where(size > 1, shifted & np.uint64(0xFF), shifted))
