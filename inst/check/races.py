"""Is every pair of accesses to the same bytes, one of them a write, ordered?

Happens-before by vector clocks over lock and unlock, start and end of threads (the hints
happens_before and happens_after), atomic accesses and release stores. The accesses of one
thread between two such events are one step: each cell of memory is looked at once in it.

Threads whose runtime counts the places of such events are brought into that order first;
otherwise the order in which a trace interleaves its threads has to be that of what happened.
A trace of this project's runtime from before it counted promises no order: the check then
says that it cannot tell.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from inst.check.calls import Calls
from inst.check.happens import AFTER, BEFORE, Clocks, is_chunked
from inst.check.interleave import Interleaving
from inst.check.model import ERROR, Check, Finding, Options, Other
from inst.check.race_history import CELL, Access, History
from inst.trace.model import Array, Flag, Kind, Trace

CODES = {
    "race": "Two threads access the same bytes, at least one of them writes, and nothing orders "
    "the two accesses: which comes first is chance.",
}

_SYNCHRONISING = (int(Kind.LOCK), int(Kind.TRYLOCK), int(Kind.UNLOCK), int(Kind.HINT))
_ADDRESSED = int(Flag.HAS_ADDRESS)


def start(trace: Trace, options: Options) -> Check:
    """Return the check."""
    return Races(trace)


class Races(Check):
    """The check at work on one trace."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._clocks = Clocks()
        self._threads: list[int] = []
        """Thread ids by the clocks' numbers."""
        self._history = History()
        self._atomic = np.zeros(0, "u8")
        """Cells with atomic accesses or release stores: they order, and never race."""
        self._reported: set[tuple[int, int]] = set()
        self._chunked = False
        self._order_of = Interleaving()
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
        cells = rows["address"] >> np.uint64(3)
        ordering = np.isin(rows["kind"], _SYNCHRONISING)
        ordering |= (rows["kind"] == Kind.ORDER) & (rows["flags"] & _ADDRESSED != 0)
        if len(self._atomic):
            ordering |= access & np.isin(cells, self._atomic)
        breaks = ordering.copy()
        breaks[1:] |= ordering[:-1] | (rows["thread"][1:] != rows["thread"][:-1])
        bounds = [*np.flatnonzero(breaks).tolist(), len(rows)]
        first = 0
        for bound in bounds:
            if bound > first:
                if ordering[first]:
                    self._order(rows[first])
                else:
                    chosen = access[first:bound]
                    yield from self._step(rows[first:bound][chosen], calls[first:bound][chosen])
            first = bound

    def finish(self) -> Iterator[Finding]:
        if self._order_of.used:
            yield from self._look(self._order_of.finish())
        if self._order_of.gaps:
            self._trace.notes.append(
                f"races: places in the order of threads are missing ({self._order_of.gaps} times): "
                "the trace is not whole, and what orders two accesses may be among what it lacks"
            )
        if self._chunked:
            self._trace.notes.append(
                "races: the trace has several threads, each in chunks of its own; it does not "
                "say in which order they ran, so races were not looked for"
            )

    def _is_silent(self, rows: Array) -> bool:
        """Tell whether nothing can be said: threads are interleaved as nothing promises.

        One thread alone never races, so there is nothing to do until a second one comes.
        """
        if self._order_of.used or not is_chunked(self._trace):
            return False
        if len(rows) and not self._chunked:
            first = rows["thread"][0]
            self._actor(int(first))
            self._chunked = len(self._threads) > 1 or bool((rows["thread"] != first).any())
        return True

    def _learn_atomics(self, rows: Array) -> None:
        atomic = rows["flags"] & int(Flag.ATOMIC) != 0
        atomic |= (rows["kind"] == Kind.ORDER) & (rows["flags"] & _ADDRESSED != 0)
        words = self._trace.words.texts
        if "release" in words:
            atomic |= (rows["detail"] == words.index("release")) & (rows["kind"] == Kind.WRITE)
        if atomic.any():
            cells = rows["address"][atomic] >> np.uint64(3)
            self._atomic = np.union1d(self._atomic, cells)

    def _order(self, row: Array) -> None:
        """Let a thread leave what it knows, or take what others left."""
        thread, address, kind = int(row["thread"]), int(row["address"]), int(row["kind"])
        self._actor(thread)
        word = self._trace.words.texts[int(row["detail"])]
        if kind in (Kind.READ, Kind.WRITE, Kind.ORDER):
            address &= -CELL
        if kind == Kind.ORDER:  # an atomic access both takes and leaves
            self._clocks.take(thread, address)
            self._clocks.leave(thread, address)
        elif kind in (Kind.LOCK, Kind.TRYLOCK, Kind.READ) or word == AFTER:
            self._clocks.take(thread, address)
            if word == AFTER and int(row["value"]):
                self._history.forget(address, address + int(row["value"]), self._clocks.past)
        elif kind in (Kind.UNLOCK, Kind.WRITE) or word == BEFORE:
            self._clocks.leave(thread, address)

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
            yield from self._race(old, new, address)

    def _race(self, old: Access, new: Access, address: int) -> Iterator[Finding]:
        places = (old.pc or old.site, new.pc or new.site)
        if places in self._reported:
            return
        self._reported.add(places)
        sites = self._trace.sites.texts
        verbs = ["writes" if access.writes else "reads" for access in (old, new)]
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
