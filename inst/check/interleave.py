"""The events of several threads, brought into an order in which they can have happened.

This project's runtime gives each thread chunks of its own. ORDER events at the start of each
chunk and before each lock, hint and atomic access carry places in one count that all threads
share: 1, 2, 3 ... What a thread did after one of them comes after all lower places. Each
run of events between two places waits here until the lower ones were seen. At most a chunk of
each thread waits: a chunk is no further than that from those that were written with it.

A place that comes after a higher one of the same thread (an interrupt came between the taking of
the lower one and its record) belongs to what the higher one begins: none waits for it.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Iterator

import numpy as np

from inst.check.whole import whole_from
from inst.trace.model import EVENT, Array, Kind, Trace, joined

PATIENCE = 1 << 21
"""Events that wait at most; then the lowest place that is there goes first."""
LONGEST_RUN = 1 << 16
"""Events of a thread without a place that are held back in case more of them follow."""


_Run = tuple[int, Array]
"""The place of a run of events, and these."""


class Interleaving:
    """What waits for lower places, thread by thread."""

    def __init__(self, trace: Trace | None = None) -> None:
        """Begin with the first place of a trace's whole part; without a trace with place 1."""
        self._trace = trace
        self._queues: dict[int, deque[_Run]] = {}
        self._heads: dict[int, int] = {}
        """Place -> the thread whose queue begins with it."""
        self._highest: dict[int, int] = {}
        """Thread -> the highest of its places that was read."""
        self._passed: set[int] = set()
        """Places that none waits for."""
        self._next = 1
        """The lowest place that has not come."""
        self._open: Array = np.zeros(0, EVENT)
        """The run that was read last: it may go on in the next batch."""
        self._waiting = 0
        self.used = False
        """Whether the trace has places at all; without them events pass as they come."""
        self.gaps = 0
        """How often a place was missing, and the order is that of the places there are."""
        self.missing = 0
        """How many places these were that never came."""
        self.late = False
        """Whether one came twice, or after it was gone past."""

    def take(self, rows: Array) -> Array:
        """Take a batch as the file has it; return what may now come, in order."""
        if not self.used and (rows["kind"] == Kind.ORDER).any():
            self.used = True
            self._next = whole_from(self._trace) + 1 if self._trace else 1
        if not self.used or len(rows) == 0:
            return rows
        rows = joined([self._open, rows])
        starts = rows["kind"] == Kind.ORDER
        starts[0] = True
        starts[1:] |= rows["thread"][1:] != rows["thread"][:-1]
        bounds = [*np.flatnonzero(starts).tolist(), len(rows)]
        if len(rows) - bounds[-2] < LONGEST_RUN:
            bounds.pop()
        self._open = joined([rows[bounds[-1] :]])
        if self._is_next(rows[: bounds[-1]]):
            return rows[: bounds[-1]]
        ready: list[Array] = []
        for first, bound in itertools.pairwise(bounds):
            ready += self._put(rows[first:bound])
        return self._released(ready)

    def finish(self) -> Array:
        """Return all that still waits, in order."""
        rows, self._open = self._open, np.zeros(0, EVENT)
        ready = list(self._put(rows)) if len(rows) else []
        return self._released([*ready, *self._force(0)])

    def _is_next(self, rows: Array) -> bool:
        """Return whether nothing waits and rows of one thread have the next places; go past them.

        Most traces have one thread, and many runs.
        """
        if self._waiting or len(rows) == 0 or (rows["thread"] != rows["thread"][0]).any():
            return False
        places = rows["value"][rows["kind"] == Kind.ORDER]
        if (places != np.arange(self._next, self._next + len(places), dtype="u8")).any():
            return False
        self._next += len(places)
        return True

    def _released(self, ready: list[Array]) -> Array:
        ready += self._force(PATIENCE)
        return joined(ready) if ready else np.zeros(0, EVENT)

    def _put(self, run: Array) -> Iterator[Array]:
        """Queue a run after those of its thread, and yield what can come now."""
        thread = int(run["thread"][0])
        queue = self._queues.setdefault(thread, deque())
        queue.append(self._with_its_place(thread, joined([run])))
        self._waiting += len(run)
        if len(queue) == 1:
            yield from self._offer(thread)
        yield from self._advance()

    def _with_its_place(self, thread: int, run: Array) -> _Run:
        """Return a run with the place that it waits for; 0 if it comes with the one before."""
        if run["kind"][0] != Kind.ORDER:
            return 0, run
        place, highest = int(run["value"][0]), self._highest.get(thread, 0)
        self._highest[thread] = max(place, highest)
        if place < highest:
            if place >= self._next:
                self._passed.add(place)
            return 0, run
        return place, run

    def _advance(self) -> Iterator[Array]:
        while self._is_passed() or self._next in self._heads:
            if self._next in self._heads:
                yield from self._offer(self._heads.pop(self._next))

    def _is_passed(self) -> bool:
        """Go past a place that none waits for; return whether it was one."""
        if self._next not in self._passed:
            return False
        self._passed.discard(self._next)
        self._next += 1
        return True

    def _offer(self, thread: int) -> Iterator[Array]:
        """Yield a thread's runs up to the first that has to wait for lower places."""
        queue = self._queues[thread]
        while queue:
            place = queue[0][0]
            if place:
                while self._is_passed():
                    pass
                if place > self._next and place not in self._heads:
                    self._heads[place] = thread
                    return
                if place != self._next:
                    self.gaps += 1
                    self.late = True
                self._next = max(self._next, place + 1)
            _, run = queue.popleft()
            self._waiting -= len(run)
            yield run

    def _force(self, patience: int) -> Iterator[Array]:
        """Go on without places that are missing: a filter or the program's end took them."""
        while self._heads and self._waiting > patience:
            self.gaps += 1
            self.missing += min(self._heads) - self._next
            self._next = min(self._heads)
            yield from self._advance()
