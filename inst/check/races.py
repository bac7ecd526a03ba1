"""Checks that any two accesses to the same bytes are ordered if one of them is a write.

Happens-before by vector clocks over lock and unlock, start and end of threads (the hints
happens_before and happens_after), atomic accesses and release stores. The accesses of one
thread between two such events are one step: each cell of memory is looked at once in it.

Where the recording paused (`gap`), what orders threads may be missing: all that comes before in the
trace counts as ordered with all that comes after.

Threads whose runtime counts the places of such events are brought into that order first;
otherwise the order in which a trace interleaves its threads has to be the real one.
Traces of older versions of this project's runtime promise no order, and OpenMP's library orders
threads without a record where its functions have no wrappers: the check then reports that the
order is unknown.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np

from inst.check.calls import Calls
from inst.check.happens import AFTER, ALLOCATES, BEFORE, Clocks, is_chunked
from inst.check.interleave import Interleaving
from inst.check.race_alone import Alone, Step
from inst.check.race_history import CELL, LARGEST, Access, History, freed
from inst.check.uninstrumented import Uninstrumented
from inst.trace.ending import running_threads
from inst.trace.finding import ERROR, Check, Finding, Options, Other
from inst.trace.model import Array, Flag, Kind, Trace, among

CODES = {
    "race": "Two threads access the same bytes, at least one of them writes, and nothing orders "
    "the two accesses: which comes first is chance.",
    "use-after-free": "An instruction reads or writes memory that was freed with the C library "
    "before: what is there belongs to another user, or will.",
}

_SYNCHRONISING = among(Kind.LOCK, Kind.TRYLOCK, Kind.UNLOCK, Kind.HINT, Kind.GAP)
_ACCESSES = (int(Kind.READ), int(Kind.WRITE), int(Kind.ORDER))
"""Ordering events that are accesses, or stand before one: cells have an order, not bytes."""
_ADDRESSED = int(Flag.HAS_ADDRESS)


def start(trace: Trace, options: Options) -> Check:
    """Return the check."""
    return Races(trace)


class Races(Check):
    """The check at work on one trace."""

    needs_all = True

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._clocks = Clocks()
        self._threads: list[int] = []
        """Thread ids by the clocks' numbers."""
        self._alone: Alone | None = Alone(0)
        """What the only thread did so far; none once `_history` has it."""
        self._history = History({}, {})
        self._atomic = np.zeros(0, "u8")
        """Words with atomic accesses or release stores: they never race."""
        self._by_events = np.zeros(0, "u8")
        """Those of them that ORDER events order; others are ordered by accesses."""
        self._reported: set[tuple[int, int]] = set()
        self._sizes: dict[int, int] = {}
        """Blocks of memory that were given, by their start, with their size."""
        self._gone: list[Finding] = []
        """Uses of memory that was freed; the program's own allocator may use it."""
        self._allocates = False
        self._unordered = False
        """Whether there are several threads, whose order is not known."""
        self._order_of = Interleaving(trace)
        self._calls = Calls(trace)

    def events(self, rows: Array) -> Iterator[Finding]:
        ordered = self._order_of.take(rows)
        if not self._is_silent(ordered):
            yield from self._look(ordered)

    def _look(self, rows: Array) -> Iterator[Finding]:
        if len(rows) == 0:
            return
        self._learn_atomics(rows)
        calls = self._calls.column(rows)
        access = (rows["kind"] == Kind.READ) | (rows["kind"] == Kind.WRITE)
        words = rows["address"] >> np.uint64(2)
        ordering = _SYNCHRONISING[rows["kind"]]
        ordering |= (rows["kind"] == Kind.ORDER) & (rows["flags"] & _ADDRESSED != 0)
        if len(self._atomic):
            atomic = access & np.isin(words, self._atomic) & (rows["size"] <= LARGEST)
            access &= ~atomic
            ordering |= atomic & ~np.isin(words, self._by_events)
        if self._take_alone(rows, calls, access, ordering):
            return
        breaks = ordering.copy()
        breaks[1:] |= ordering[:-1] | (rows["thread"][1:] != rows["thread"][:-1])
        bounds = [*np.flatnonzero(breaks).tolist(), len(rows)]
        first = 0
        for bound in bounds:
            if bound > first:
                if ordering[first]:
                    yield from self._order(rows[first])
                else:
                    chosen = access[first:bound]
                    yield from self._step(rows[first:bound][chosen], calls[first:bound][chosen])
            first = bound

    def _take_alone(self, rows: Array, calls: Array, access: Array, ordering: Array) -> bool:
        """Take a batch without looking for races, as long as there is one thread.

        Return False where that is over: another thread comes, or memory is used that was freed.
        """
        acting = np.flatnonzero(access | ordering)
        if self._alone is None or len(acting) == 0:
            return self._alone is not None
        thread = int(rows["thread"][acting[0]])
        number = self._actor(thread)
        if number == 0 and bool((rows["thread"] == thread).all()):
            steps, leaves, sizes = self._steps_of(rows, np.flatnonzero(ordering))
            left = np.zeros(len(rows), "i8")
            left[leaves] = 1
            times = self._clocks.actor(thread).time + np.cumsum(left) - left
            if self._alone.take(rows, calls, access, ordering, times, steps):
                self._sizes |= sizes
                self._publish(thread, rows[leaves])
                return True
        self.leave_alone()
        return False

    def leave_alone(self) -> None:
        """Put what the only thread did so far into tables, with which others are compared."""
        if self._alone is not None:
            self._history, self._alone = self._alone.history(), None

    def _publish(self, thread: int, rows: Array) -> None:
        """Publish the clock of the only thread at each of its events that do so."""
        cells = rows["address"] & np.uint64((1 << 64) - CELL)
        places = np.where(np.isin(rows["kind"], _ACCESSES), cells, rows["address"])
        for place, is_gap in zip(places.tolist(), rows["kind"] == Kind.GAP, strict=True):
            if is_gap:
                self._clocks.meet()
            else:
                self._clocks.leave(thread, place)

    def _steps_of(self, rows: Array, at: Array) -> tuple[list[Step], list[int], dict[int, int]]:
        """Return what ordering events mean for memory, which of them publish the thread's clock,
        and the sizes of blocks that they give."""
        steps: list[Step] = []
        leaves: list[int] = []
        sizes: dict[int, int] = {}
        words = self._trace.words.texts
        columns = (rows[name][at].tolist() for name in ("kind", "address", "detail", "value"))
        places = zip(*(rows[name][at].tolist() for name in ("record", "pc", "site")), strict=True)
        for row, where, kind, address, detail, value in zip(
            at.tolist(), places, *columns, strict=True
        ):
            word = words[detail]
            takes, publishes = _order_of(kind, word)
            if takes and word == AFTER and kind not in _ACCESSES and value:
                known = sizes.get(address, self._sizes.get(address, 1))
                sizes[address] = known if value + 1 & 0xFFFFFFFF == 0 else value
                steps.append(Step(row, address, sizes[address], None))
            if publishes:
                leaves.append(row)
                size = sizes.get(address, self._sizes.get(address))
                if word == BEFORE and kind not in _ACCESSES and size is not None:
                    steps.append(Step(row, address, size, where))
            self._allocates |= word == ALLOCATES
        return steps, leaves, sizes

    def finish(self) -> Iterator[Finding]:
        if self._order_of.used:
            rest = self._order_of.finish()
            if not self._is_silent(rest):
                yield from self._look(rest)
        uninstrumented = Uninstrumented.of(self._trace.facts)
        if not self._allocates and not uninstrumented:
            yield from self._gone
        if uninstrumented.has_functions and len(self._threads) > 1 and not self._unordered:
            self._trace.notes.append(
                "races: left-out functions in the program are not instrumented: they may order "
                "threads without a record, so what is reported may be no race, and their own "
                "accesses are not checked"
            )
        order = self._order_of  # the program may end between the taking of a place and its event
        if order.late or order.missing > running_threads(self._trace.facts):
            self._trace.notes.append(
                f"races: places in the order of threads are missing ({order.gaps} times): "
                "the trace is not whole, and what orders two accesses may be among what it lacks"
            )
        if self._unordered:
            self._trace.notes.append(
                f"races: {uninstrumented.openmp} orders threads without a record, so races were "
                "not looked for"
                if uninstrumented.openmp
                else "races: the trace has several threads, each in chunks of its own; it does not "
                "say in which order they ran, so races were not looked for"
            )

    def _is_silent(self, rows: Array) -> bool:
        """Return whether races cannot be decided: no order of the threads is promised, or OpenMP's
        library orders them by functions that have no wrappers.

        One thread alone never races, so there is nothing to do until a second one comes.
        """
        has_order = self._order_of.used or not is_chunked(self._trace)
        if has_order and not Uninstrumented.of(self._trace.facts).openmp:
            return False
        if len(rows) and not self._unordered:
            first = rows["thread"][0]
            self._actor(int(first))
            self._unordered = len(self._threads) > 1 or bool((rows["thread"] != first).any())
        return True

    def _learn_atomics(self, rows: Array) -> None:
        orders = (rows["kind"] == Kind.ORDER) & (rows["flags"] & _ADDRESSED != 0)
        atomic = orders | (rows["flags"] & int(Flag.ATOMIC) != 0)
        words = self._trace.words.texts
        if "release" in words:
            atomic |= (rows["detail"] == words.index("release")) & (rows["kind"] == Kind.WRITE)
        if atomic.any():
            self._atomic = np.union1d(self._atomic, _words(rows[atomic]))
        # The access that an ORDER event concerns follows it, and has a size.
        followed = orders & (rows["detail"] != 0)
        if followed.any():
            accesses = np.zeros(len(rows), bool)
            accesses[1:] = followed[:-1] & (rows["address"][1:] == rows["address"][:-1])
            concerned = _words(rows[followed | accesses])
            self._atomic, self._by_events = (
                np.union1d(self._atomic, concerned),
                np.union1d(self._by_events, concerned),
            )

    def _order(self, row: Array) -> Iterator[Finding]:
        """Publish a thread's clock, or join those that others published."""
        thread, address, kind = int(row["thread"]), int(row["address"]), int(row["kind"])
        self._actor(thread)
        word = self._trace.words.texts[int(row["detail"])]
        takes, leaves = _order_of(kind, word)
        place = address & -CELL if kind in _ACCESSES else address
        if takes:
            self._clocks.take(thread, place)
            if word == AFTER and kind not in _ACCESSES and int(row["value"]):
                self._given(address, int(row["value"]))
        if kind == Kind.GAP:
            self._clocks.meet()
        elif leaves:
            if word == BEFORE and kind not in _ACCESSES and address in self._sizes:
                yield from self._given_back(row, self._sizes[address])
            self._clocks.leave(thread, place)
        self._allocates |= word == ALLOCATES

    def _given(self, address: int, size: int) -> None:
        """An allocator gives a block; a size of all ones is the one that the block had before."""
        if size + 1 & 0xFFFFFFFF == 0:
            size = self._sizes.get(address, 1)
        self._sizes[address] = size
        self._history.forget(address, address + size, self._clocks.past)

    def _given_back(self, row: Array, size: int) -> Iterator[Finding]:
        number = self._actor(int(row["thread"]))
        clock = self._clocks.actor(int(row["thread"])).clock
        where = (int(row["record"]), int(row["pc"]), int(row["site"]))
        access = freed(int(row["address"]), size, number, clock[number], where)
        for old, new, address in self._history.free(access, clock):
            yield from self._race(old, new, address)

    def _actor(self, thread: int) -> int:
        number = self._clocks.actor(thread).number
        if number == len(self._threads):
            self._threads.append(thread)
        return number

    def _step(self, rows: Array, calls: Array) -> Iterator[Finding]:
        if len(rows) == 0:
            return
        number = self._actor(int(rows["thread"][0]))
        clock = self._clocks.actor(int(rows["thread"][0])).clock
        for old, new, address in self._history.step(rows, calls, number, clock):
            if old.frees and clock.get(old.thread, 0) >= old.time:
                self._use(old, new, address)
            else:
                yield from self._race(old, new, address)

    def _race(self, old: Access, new: Access, address: int) -> Iterator[Finding]:
        places = (old.pc or old.site, new.pc or new.site)
        if places in self._reported:
            return
        self._reported.add(places)
        sites = self._trace.sites.texts
        verbs = [_verb(access) for access in (old, new)]
        one, other = self._threads[old.thread], self._threads[new.thread]
        message = (
            f"thread {other} {verbs[1]} {address:#x}, which thread {one} {verbs[0]} with nothing "
            "that orders the two"
        )
        yield Finding(
            "race", ERROR, self._trace.name, new.record, message, thread=other, pc=new.pc or None,
            site=sites[new.site],
            expected="a lock that both hold, or happens_before and happens_after between them",
            others=(*self._calls.others(new.calls, f"thread {other} was called"),
                    Other(old.record, f"thread {one} {verbs[0]} it here", pc=old.pc or None,
                          site=sites[old.site]),
                    *self._calls.others(old.calls, f"thread {one} was called")),
        )  # fmt: skip

    def _use(self, old: Access, new: Access, address: int) -> None:
        """Store a use of memory that was freed: the end of the trace shows whose it is."""
        places = (old.pc or old.site, new.pc)
        if places in self._reported:
            return
        self._reported.add(places)
        sites = self._trace.sites.texts
        one, other = self._threads[old.thread], self._threads[new.thread]
        self._gone.append(Finding(
            "use-after-free", ERROR, self._trace.name, new.record,
            f"thread {other} {_verb(new)} {address:#x}, which was freed", thread=other,
            pc=new.pc, site=sites[new.site], expected="an access before the block is freed",
            others=(*self._calls.others(new.calls, f"thread {other} was called"),
                    Other(old.record, f"thread {one} freed it here", pc=old.pc or None,
                          site=sites[old.site])),
        ))  # fmt: skip


@cache
def _order_of(kind: int, word: str) -> tuple[bool, bool]:
    """Return whether an ordering event takes in the clocks that others published at its address,
    and whether it publishes its thread's."""
    if kind == Kind.ORDER:  # without a word in old traces: it does both
        return word not in ("release", "relaxed"), word not in ("acquire", "relaxed")
    if kind == Kind.GAP:  # all threads publish theirs, and take in all
        return False, True
    takes = kind in (Kind.LOCK, Kind.TRYLOCK, Kind.READ) or word == AFTER
    return takes, not takes and (kind in (Kind.UNLOCK, Kind.WRITE) or word == BEFORE)


def _verb(access: Access) -> str:
    return "frees" if access.frees else "writes" if access.writes else "reads"


def _words(rows: Array) -> Array:
    """Return the words of 4 bytes that rows are about; a row without a size is about one."""
    first = rows["address"] >> np.uint64(2)
    size = np.clip(rows["size"], 1, LARGEST)
    count = (rows["address"] + size - np.uint64(1) >> np.uint64(2)) - first
    parts = [first[count >= n] + np.uint64(n) for n in range(LARGEST // 4 + 1)]
    found: Array = np.concatenate(parts)
    return found
