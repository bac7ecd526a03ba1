"""From STF records to events: accesses are derived from instruction words and registers.

The address comes from the registers before the instruction, a stored value too; a loaded
value is the destination's after it. What the trace does not record stays unknown: registers
that were not traced give no address and no value. Everything is done by columns, a batch of
instructions at a time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

import numpy as np

from inst.arch.powerpc.words.accesses import is_prefixed
from inst.arch.powerpc.words.operands import FROM_XER
from inst.arch.registry import is_little
from inst.formats.stf.columns import (
    AFTER,
    BEFORE,
    CONDITION,
    HAS_STATUS,
    LATER,
    NUMBERS,
    TIMES,
    StfColumns,
    joined,
    stated_by,
)
from inst.formats.stf.facts import FORMS, HALF, MULTIPLE, PAIR, STRING, facts_of, in_memory
from inst.formats.stf.gap import banks_in
from inst.formats.stf.record import StfRecord
from inst.formats.stf.registers import BANKS, Registers, Timeline, traced
from inst.trace.held_back import converted
from inst.trace.model import EVENT, Array, Facts, Flag, Kind
from inst.words.access import WRITE

AHEAD = 4096
"""Instructions looked at together: the first ones show which registers are traced."""
REMEMBERED = 1 << 18
"""Addresses up to which more instructions of two words are remembered."""
SYSTEM_CALL = 0x108
"""The trap type that RST has for a system call; STF names none."""
_BASIC = np.uint16(Flag.HAS_PC | Flag.HAS_WORD)
_EQUAL = np.uint64(1 << 29)
"""The bit of CCR that is set when a conditional store was done."""
_XER = NUMBERS["XER"]


class Traced(Protocol):
    """The trace that events are of."""

    digits: int
    facts: Facts
    longer: dict[int, int]

    def note(self, text: str) -> None: ...


def events(parts: Iterable[StfColumns | StfRecord], trace: Traced) -> Iterator[Array]:
    """Yield the events of a trace's parts; the last instruction of one waits for the next."""
    return converted(parts, _Deriving(trace))


class _Deriving:
    """What must be remembered from batch to batch."""

    def __init__(self, trace: Traced) -> None:
        self._trace = trace
        self._registers = Registers()
        self._waiting: StfColumns | None = None
        self._first: list[StfColumns | StfRecord] | None = []
        """What waits until enough was seen to judge; None from then on."""

    def take(self, part: StfColumns | StfRecord) -> Iterator[Array]:
        """Yield the events of what came before."""
        if self._first is None:
            yield from self._pass(part)
            return
        self._first.append(part)
        seen = sum(len(part) for part in self._first if isinstance(part, StfColumns))
        if max(seen, len(self._first)) >= AHEAD:
            yield from self._begin(self._first)

    def flush(self) -> Iterator[Array]:
        """Yield the events of what waits."""
        if self._first is not None:
            yield from self._begin(self._first)
        if self._waiting is not None:
            yield self._events(self._waiting, len(self._waiting))
            self._waiting = None

    def _begin(self, parts: list[StfColumns | StfRecord]) -> Iterator[Array]:
        """Look ahead to see whether general-purpose and floating-point registers were traced."""
        self._first = None
        general_and_floating = traced(parts)
        self._untraced = [bank for bank, is_traced in zip(BANKS, general_and_floating, strict=True)
                          if not is_traced]  # fmt: skip
        self._never_traced = tuple(self._untraced)
        if not general_and_floating[0]:
            self._trace.note(
                "the general-purpose registers were not traced: accesses have no addresses"
            )
        for part in parts:
            yield from self._pass(part)

    def _pass(self, part: StfColumns | StfRecord) -> Iterator[Array]:
        if isinstance(part, StfRecord):
            if self._waiting is not None:
                yield self._events(self._waiting, len(self._waiting))
                self._waiting = None
            self._registers.take(stated_by(part.after))
            self._untraced = list(self._never_traced)
            recorded = banks_in(part.after)
            for bank, letter in zip(BANKS, "RF", strict=True):
                if recorded is not None and letter not in recorded:
                    self._registers.forget(bank)
            return
        self._trace.facts.is_filtered |= len(part.gaps) > 0
        whole = joined(self._waiting, part) if self._waiting is not None else part
        if len(whole) > 1:
            yield self._events(whole, len(whole) - 1)
        self._waiting = whole.part(len(whole) - 1, len(whole))

    def _events(self, columns: StfColumns, count: int) -> Array:
        """Return the events of the first instructions; the others only follow them."""
        start = 0
        parts = []
        if self._untraced and self._registers.known.any():
            parts.append(self._some(columns, 0, 1))  # the state holds for one instruction
            for bank in self._untraced:
                self._registers.forget(bank)
            self._untraced, start = [], 1
        if start < count:
            parts.append(self._some(columns, start, count))
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def _some(self, columns: StfColumns, start: int, end: int) -> Array:
        mask = (1 << 4 * (self._trace.digits or 8)) - 1
        part = columns.part(start, min(end + 1, len(columns)))
        little = is_little(self._trace.facts.arch or "ppc")
        made = _Made(part, end - start, self._registers.over(part), mask, little).rows()
        self._registers.advance(columns.part(start, end))
        self._keep_longer(columns.pc[start:end], columns.word[start:end])
        return made

    def _keep_longer(self, pcs: Array, words: Array) -> None:
        """Remember instructions of two words, as many as there may be."""
        longer = self._trace.longer
        if words.dtype.itemsize > EVENT["word"].itemsize and len(longer) < REMEMBERED:
            rows = np.flatnonzero(is_prefixed(words))[::-1]
            known, last = np.unique(pcs[rows], return_index=True)  # loops execute them often
            longer.update(zip(known.tolist(), words[rows[last]].tolist(), strict=True))


class _Made:
    """The events of some instructions."""

    def __init__(
        self, columns: StfColumns, count: int, held: Timeline, mask: int, little: bool
    ) -> None:
        self._columns, self._held, self._count, self._little = columns, held, count, little
        self._mask = np.uint64(mask)
        words, places = np.unique(columns.word[:count], return_inverse=True)
        self._facts = facts_of(words)[places]

    def rows(self) -> Array:
        """Return the events."""
        facts = self._facts
        pieces = self._pieces()
        source = np.repeat(np.arange(self._count), pieces)
        order = np.arange(len(source)) - np.repeat(np.cumsum(pieces) - pieces, pieces)
        rows = np.zeros(len(source), EVENT)
        rows["record"] = rows["id"] = source + self._columns.first
        rows["pc"], words = self._columns.pc[source], self._columns.word[source]
        rows["flags"], rows["kind"] = _BASIC, int(Kind.INSTRUCTION)
        if words.dtype.itemsize > rows["word"].dtype.itemsize:
            longer = is_prefixed(words)
            words = np.where(longer, 0, words)
            rows["flags"][longer] = int(Flag.HAS_PC)
        rows["word"] = words
        traps = facts["system"][source] != 0
        self._accesses(rows, source, order, facts["what"][source] != 0)
        self._branches(rows, source, facts["branch"][source] != 0)
        self._system_calls(rows, source, traps & (order == 0))
        rows["flags"][traps & (order == 1)] |= np.uint16(Flag.TRAPPED)
        return rows

    def _pieces(self) -> Array:
        """Return how many events each instruction is."""
        facts = self._facts
        pieces = np.where(facts["system"] != 0, 2, 1)
        multiple = np.flatnonzero(facts["multiple"])
        if len(multiple):
            some = facts[multiple]
            length = some["length"].copy()
            from_status = np.flatnonzero(length == FROM_XER)
            rows = multiple[from_status]
            held, _ = self._held.at(np.full(len(rows), _XER), TIMES * rows + BEFORE)
            length[from_status] = (held & np.uint64(0x7F)).astype("i8")
            self._facts["length"][multiple] = length
            words = (length + 3) // 4
            words = np.where(some["multiple"] == MULTIPLE, 32 - some["number"], words)
            pieces[multiple] = np.where(some["multiple"] == PAIR, 2, words)
        return pieces

    def _accesses(self, rows: Array, source: Array, order: Array, chosen: Array) -> None:
        at = np.flatnonzero(chosen)
        facts, source, order = self._facts[source[at]], source[at], order[at]
        address, known = self._addresses(facts, source)
        several = facts["multiple"] != 0
        size = facts["size"].copy()
        string, pair = facts["multiple"] == STRING, facts["multiple"] == PAIR
        size[string] = np.minimum(4, facts["length"][string] - 4 * order[string])
        size[pair] = HALF
        step = np.where(pair, HALF, 4)
        address = address + np.where(several, step * order, 0).astype("u8") & self._mask
        value, high, stated = self._values(facts, source, order, size)
        writes = facts["what"] == WRITE
        reserves = facts["reserve"] != 0
        kind = np.where(writes, int(Kind.WRITE), int(Kind.READ))
        kind[reserves & ~writes & ~stated] = int(Kind.RESERVE)
        flags = rows["flags"][at]
        flags[known] |= np.uint16(Flag.HAS_ADDRESS)
        failed = reserves & writes
        failed[failed] = self._failed(source[failed])
        flags[reserves & ~failed] |= np.uint16(Flag.ATOMIC)
        stated &= ~failed
        flags[stated] |= np.uint16(Flag.HAS_VALUE)
        rows["kind"][at] = np.where(failed, int(Kind.INSTRUCTION), kind)
        rows["flags"][at] = flags
        rows["address"][at] = np.where(known, address, np.uint64(0))
        rows["size"][at] = np.where(failed, 0, size)
        rows["value"][at] = np.where(stated, value, np.uint64(0))
        rows["value_high"][at] = np.where(stated, high, np.uint64(0))

    def _addresses(self, facts: Array, source: Array) -> tuple[Array, Array]:
        total, known = facts["displacement"].astype("u8"), np.ones(len(source), "?")
        relative = np.flatnonzero(facts["relative"])
        total[relative] += self._columns.pc[source[relative]]
        for name in ("base", "index"):
            there = np.flatnonzero(facts[name] >= 0)
            value, stated = self._held.at(facts[name][there], TIMES * source[there] + BEFORE)
            total[there] += value
            known[there] &= stated
        return total & self._mask & (-facts["align"]).astype("u8"), known

    def _values(
        self, facts: Array, source: Array, order: Array, size: Array
    ) -> tuple[Array, Array, Array]:
        """Return what memory holds, low and high, and where that is known."""
        number = facts["number"] + np.where(facts["multiple"] != 0, order, 0) & 31
        register = np.maximum(facts["bank"], 0) + number
        time = TIMES * source + np.where(facts["what"] == WRITE, BEFORE, AFTER)
        value, known = self._held.at(register, time)
        known &= (facts["bank"] >= 0) & (size > 0)
        high = np.zeros(len(value), "u8")
        wide = np.flatnonzero(size == 16)
        if len(wide):
            high[wide] = value[wide]
            second = np.maximum(facts["bank"], 0)[wide] + (number[wide] + 1 & 31)
            value[wide], there = self._held.at(second, time[wide])
            known[wide] &= there
        if self._little:
            turned = np.flatnonzero(facts["form"] == FORMS.index("ascending"))
            value[turned], high[turned] = high[turned], value[turned]
        string = np.flatnonzero(facts["multiple"] == STRING)
        value[string] >>= (32 - 8 * size[string]).astype("u8")
        return in_memory(value, size, facts["form"]), high, known

    def _failed(self, source: Array) -> Array:
        """Return which conditional stores were not done by the status line after them."""
        following = source + 1
        there = following < len(self._columns)
        stated = np.zeros(len(source), "?")
        has_lines = self._columns.has_lines[following[there]]
        stated[there] = has_lines & HAS_STATUS != 0
        times = TIMES * following + BEFORE
        gaps = self._columns.gaps
        if len(gaps):  # the status line of a missing instruction is with the gap
            place = np.minimum(np.searchsorted(gaps["row"], source), len(gaps) - 1)
            within = gaps["row"][place] == source
            stated = np.where(within, gaps["condition"][place], stated)
            times = np.where(within, TIMES * source + LATER, times)
        held, known = self._held.at(np.full(len(source), CONDITION), times)
        return np.asarray(stated & known & (held & _EQUAL == 0))

    def _branches(self, rows: Array, source: Array, chosen: Array) -> None:
        """A branch was taken when the next instruction is elsewhere; that is its target."""
        following, there = self._columns.following(self._count)
        at = np.flatnonzero(chosen & there[source])
        target = following[source[at]]
        taken = target != rows["pc"][at] + np.uint64(4) & self._mask
        at, target = at[taken], target[taken]
        rows["flags"][at] |= np.uint16(Flag.TAKEN | Flag.HAS_ADDRESS)
        rows["address"][at] = target

    def _system_calls(self, rows: Array, source: Array, chosen: Array) -> None:
        at = np.flatnonzero(chosen)
        call, known = self._held.at(np.zeros(len(at), "i8"), TIMES * source[at] + BEFORE)
        rows["kind"][at], rows["word"][at] = int(Kind.TRAP), 0
        flags = np.uint16(Flag.HAS_PC | Flag.HAS_ADDRESS)
        rows["flags"][at] = np.where(known, flags | np.uint16(Flag.HAS_VALUE), flags)
        rows["address"][at], rows["value"][at] = SYSTEM_CALL, call
