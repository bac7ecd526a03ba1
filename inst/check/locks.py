"""Checks that locks are released by the thread that took them, and always taken in one order.

Each thread is looked at alone, so the order in which a trace interleaves its threads does not
matter. A trylock implies no order, as it does not wait.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from inst.check.happens import is_chunked
from inst.check.whole import whole_from
from inst.trace.finding import ERROR, WARNING, Check, Finding, Options, Other
from inst.trace.model import Array, Kind, Trace, among, pc_of

CODES = {
    "unlock-not-held": "A lock is released by a thread that does not hold it.",
    "lock-again": "A thread takes a lock that it holds: with an ordinary lock it deadlocks.",
    "lock-order": "Two locks are taken in one order here and in the other elsewhere: two threads "
    "that do so at the same time deadlock.",
    "lock-kept": "A program ends while one of its threads holds a lock. Only traces of this "
    "project's runtime are looked at: those of kernels stop at any moment.",
}

_KINDS = among(Kind.LOCK, Kind.TRYLOCK, Kind.UNLOCK)
MOST_HELD = 64
"""Locks held at once whose order is looked at."""


@dataclass(frozen=True, slots=True)
class Taken:
    """Where a lock was taken or released."""

    record: int
    site: str
    pc: int | None
    thread: int

    def other(self, text: str) -> Other:
        return Other(self.record, text, pc=self.pc, site=self.site)


def start(trace: Trace, options: Options) -> Check:
    """Return the check."""
    return Locks(trace)


class Locks(Check):
    """The check at work on one trace."""

    needs_all = True

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._held: dict[int, dict[int, list[Taken]]] = {}
        """Thread -> lock -> where it was taken, as often as it is held."""
        self._released: dict[int, Taken] = {}
        self._after: dict[int, dict[int, tuple[Taken, Taken]]] = {}
        """Lock -> lock taken while it was held -> where each was taken, the first time."""

    def events(self, rows: Array) -> Iterator[Finding]:
        for row in rows[_KINDS[rows["kind"]]]:
            yield from self._step(row)

    def finish(self) -> Iterator[Finding]:
        if not is_chunked(self._trace):  # a trace of something that goes on, a kernel perhaps
            return
        for thread, held in self._held.items():
            for lock, places in held.items():
                message = f"thread {thread} still holds the lock {lock:#x} at the end"
                yield self._finding("lock-kept", places[0], message, WARNING)

    def _step(self, row: Array) -> Iterator[Finding]:
        pc = pc_of(row)
        site = self._trace.sites.texts[int(row["site"])]
        here = Taken(int(row["record"]), site, pc, int(row["thread"]))
        lock, kind = int(row["address"]), int(row["kind"])
        held = self._held.setdefault(here.thread, {})
        if kind == Kind.UNLOCK:
            yield from self._release(held, lock, here)
            return
        if kind == Kind.LOCK and lock in held:
            message = f"thread {here.thread} takes the lock {lock:#x}, which it holds"
            first = held[lock][-1].other("taken here")
            yield self._finding("lock-again", here, message, others=(first,))
        elif kind == Kind.LOCK:
            yield from self._order(held, lock, here)
        held.setdefault(lock, []).append(here)

    def _release(self, held: dict[int, list[Taken]], lock: int, here: Taken) -> Iterator[Finding]:
        if lock in held:
            held[lock].pop()
            if not held[lock]:
                del held[lock]
            self._released[lock] = here
            return
        before = self._released.get(lock)
        if whole_from(self._trace) and not (before and before.thread == here.thread):
            return  # it may have been taken in what a ring has overwritten
        holders = [
            places[lock][-1].other(f"thread {thread} took it here")
            for thread, places in self._held.items()
            if lock in places
        ]
        if not holders and before:
            holders = [before.other("released before, here")]
        message = f"thread {here.thread} releases the lock {lock:#x}, which it does not hold"
        yield self._finding("unlock-not-held", here, message, others=tuple(holders))

    def _order(self, held: dict[int, list[Taken]], lock: int, here: Taken) -> Iterator[Finding]:
        for first, places in list(held.items())[-MOST_HELD:]:
            following = self._after.setdefault(first, {})
            if lock in following:
                continue
            following[lock] = (places[-1], here)
            path = self._path(lock, first)
            if path:
                yield self._inversion(first, lock, places[-1], here, path)

    def _path(self, start: int, goal: int) -> list[int]:
        """Return locks that lead from one to another, each taken while the one before is held."""
        came: dict[int, int] = {start: start}
        waiting = [start]
        while waiting:
            lock = waiting.pop()
            for following in self._after.get(lock, {}):
                if following in came:
                    continue
                came[following] = lock
                if following == goal:
                    path = [goal]
                    while path[-1] != start:
                        path.append(came[path[-1]])
                    return path[::-1]
                waiting.append(following)
        return []

    def _inversion(
        self, first: int, second: int, took: Taken, here: Taken, path: list[int]
    ) -> Finding:
        others = [took.other(f"{first:#x} taken here")]
        for before, after in itertools.pairwise(path):
            one, other = self._after[before][after]
            others += [
                one.other(f"thread {one.thread} took {before:#x} here"),
                other.other(f"and {after:#x} while it held that"),
            ]
        message = (
            f"thread {here.thread} takes the lock {second:#x} while it holds {first:#x}; "
            f"elsewhere {first:#x} is taken while {second:#x} is held"
        )
        return self._finding("lock-order", here, message, others=tuple(others))

    def _finding(
        self,
        code: str,
        here: Taken,
        message: str,
        severity: str = ERROR,
        others: tuple[Other, ...] = (),
    ) -> Finding:
        return Finding(
            code, severity, self._trace.name, here.record, message, thread=here.thread,
            pc=here.pc, site=here.site, others=others, expected=_RIGHT[code],
        )  # fmt: skip


_RIGHT = {
    "unlock-not-held": "one unlock for each lock, by the same thread",
    "lock-again": "an unlock before, or a lock that counts (trylock)",
    "lock-order": "one order for all places that hold both",
    "lock-kept": "an unlock",
}
