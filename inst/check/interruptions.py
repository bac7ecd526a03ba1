"""Accesses that a signal handler separated from their records.

A store is recorded before it is executed, a load after. A handler that runs between the two has
its records on the other side: after the store's, though it ran before the store; before the
load's, though it ran after the load. Traces of this project's runtime mark such signals: by the
hook that was interrupted (`signal in stwhook`) or, beside the call of a hook, by the place in
the program; and they have `back from signal` where the handler has returned. The rules:

- at the signal, and once more when its handler has returned, the bytes of the last store before
  the signal are unknown: it may not have been executed yet, and has been when the handler returns;
- the first access after `back from signal` may have been executed before the handler ran: what it
  loads is not judged, and the bytes that it stores, as conditional stores and atomic operations do
  before they are recorded, are unknown after it;
- what the handler reads of the bytes of that access is not judged either. Whether a change is one
  of these is known when the handler has returned.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from inst.check.held import Held
from inst.trace.model import Array, Flag, Kind, Trace, among
from inst.trace.system_events import BACK

_ACCESSES = among(Kind.READ, Kind.WRITE, Kind.RESERVE)
_RETURNED = BACK
_IN_HOOK = "signal in "
"""Whether it was the hook of the access before or of the one after is not asked: a signal at the
very start or end of a hook may be taken for one of its neighbour's."""
REACH = 16
"""Bytes from an access to the end of its site, at most."""
PARTS = 32
"""Records of one instruction, at most: lmw and stmw have one for each register."""


@dataclass(slots=True)
class _Arrival:
    """An access at which a signal came, and its handlers."""

    stores: list[tuple[int, int]]
    """Address and size of what may not have been stored yet."""
    place: int
    """Where the program was, if an access may be without its record; else 0."""
    in_hook: bool
    handlers: list[tuple[int, int | None]] = field(default_factory=list)
    """Record of the signal, and of its handler's return, of each handler that came there."""
    interrupted: list[tuple[int, int]] | None = None
    """Address and size of what the access after the return touched; None: it is not known yet."""
    held: list[Held] = field(default_factory=list)

    def begin_at(
        self, record: int, stores: list[tuple[int, int]], place: int, in_hook: bool
    ) -> None:
        """Take a signal; after the return of an earlier one it interrupts the same access again."""
        self.handlers.append((record, None))
        self.stores += stores
        self.place = self.place or place
        self.in_hook = self.in_hook or in_hook

    def return_at(self, record: int) -> None:
        """Take the return of the last handler."""
        self.handlers[-1] = self.handlers[-1][0], record

    def allows(self, pc: int) -> bool:
        """Return whether an access there may have been made before the handler ran."""
        return self.in_hook or 0 < self.place - pc <= REACH

    def contains(self, record: int) -> bool:
        """Return whether a record is of one of the handlers."""
        return any(
            first < record and (last is None or record < last) for first, last in self.handlers
        )

    def touches(self, held: Held) -> bool:
        """Return whether the interrupted access is of bytes of a change."""
        return any(
            address < held.address + held.size and held.address < address + size
            for address, size in self.interrupted or ()
        )


@dataclass(slots=True)
class _Thread:
    last: Array | None = None
    """Its last accesses, of one instruction."""
    arrivals: list[_Arrival] = field(default_factory=list)
    returned: _Arrival | None = None
    """The handler is back, and no access came since."""
    over: list[_Arrival] = field(default_factory=list)
    """Those of the last piece whose interrupted access is known."""

    def unfinished(self) -> list[_Arrival]:
        """Return those whose interrupted access is not known yet."""
        return [*self.arrivals, *([self.returned] if self.returned else [])]


@dataclass(frozen=True, slots=True)
class Forget:
    """Before a row, nothing is known any more of some bytes."""

    row: int
    address: int
    size: int


@dataclass(slots=True)
class Found:
    """What signals mean for one piece of a trace."""

    forget: list[Forget] = field(default_factory=list)
    unjudged: list[int] = field(default_factory=list)


class Interruptions:
    """The signals of one trace, piece by piece."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._threads: dict[int, _Thread] = {}

    def find(self, rows: Array) -> Found:
        """Return what the signals among the rows, and before them, leave open."""
        found = Found()
        for thread in self._threads.values():
            thread.over.clear()
        signals = self._signals(rows)
        waiting = any(each.returned for each in self._threads.values())
        if len(signals) or waiting:
            self._walk(rows, signals, found)
        if len(rows):
            self._remember(rows)
        return found

    def judge(self, held: Held) -> Iterator[Held]:
        """Yield a change unless the access that a handler interrupted explains it, or may yet."""
        thread = self._threads.get(int(held.row["thread"]))
        if thread is None:
            yield held
            return
        arrivals = (*thread.over, *thread.unfinished())
        around = [one for one in arrivals if one.contains(held.at)]
        if any(one.touches(held) for one in around):
            return
        waiting = next((one for one in around if one.interrupted is None), None)
        if waiting is None:
            yield held
        else:
            waiting.held.append(held)

    def release(self) -> Iterator[Held]:
        """Yield the changes that no interrupted access explains, as far as that is known."""
        for thread in self._threads.values():
            for arrival in thread.over:
                held, arrival.held = arrival.held, []
                for one in held:
                    yield from self.judge(one)

    def finish(self) -> Iterator[Held]:
        """Yield what handlers that never returned have read."""
        for thread in self._threads.values():
            for arrival in thread.unfinished():
                yield from arrival.held

    def _signals(self, rows: Array) -> Array:
        texts = self._trace.words.texts
        others = np.flatnonzero(rows["kind"] == Kind.OTHER)
        words = rows["detail"][others]
        known = [word for word in np.unique(words).tolist() if _is_signal(texts[word])]
        return others[np.isin(words, known)]

    def _walk(self, rows: Array, signals: Array, found: Found) -> None:
        begin = 0
        for at in [*signals.tolist(), len(rows)]:
            self._first_accesses(rows, begin, at, found)
            if at < len(rows):
                for address, size in self._signal(rows, at):
                    found.forget.append(Forget(at, address, size))
            begin = at + 1

    def _first_accesses(self, rows: Array, begin: int, end: int, found: Found) -> None:
        """Find the first access of each thread that a handler has returned to."""
        for number, thread in self._threads.items():
            arrival = thread.returned
            if arrival is None:
                continue
            own = np.flatnonzero(
                _is_access(rows[begin:end]) & (rows["thread"][begin:end] == number)
            )
            if not len(own):
                continue
            thread.returned = None
            thread.over.append(arrival)
            arrival.interrupted = []
            for row in _of_one_instruction(rows, own[:PARTS] + begin):
                if not arrival.allows(int(rows["pc"][row])):
                    continue
                touched = int(rows["address"][row]), int(rows["size"][row])
                arrival.interrupted.append(touched)
                if rows["kind"][row] == Kind.WRITE:
                    found.forget.append(Forget(row + 1, *touched))
                else:
                    found.unjudged.append(row)

    def _signal(self, rows: Array, at: int) -> Iterator[tuple[int, int]]:
        """Take a signal, or the return from one; yield what is not known from here on."""
        word = self._trace.words.texts[int(rows["detail"][at])]
        thread = self._threads.setdefault(int(rows["thread"][at]), _Thread())
        if word == _RETURNED:
            if thread.arrivals:
                thread.returned = thread.arrivals.pop()
                thread.returned.return_at(int(rows["record"][at]))
                yield from thread.returned.stores
            return
        place = int(rows["address"][at]) if int(rows["flags"][at]) & Flag.HAS_ADDRESS else 0
        in_hook = word.startswith(_IN_HOOK)
        if not (place or in_hook):
            return
        last = self._last(rows, at, thread)
        if place:
            last = [row for row in last if place <= int(row["pc"]) <= place + REACH]
        stores = [(int(row["address"]), int(row["size"])) for row in last
                  if row["kind"] == Kind.WRITE]  # fmt: skip
        arrival = thread.returned  # the same access is interrupted once more
        if arrival is None:
            arrival = _Arrival([], 0, False)
        thread.returned = None
        arrival.begin_at(int(rows["record"][at]), stores, place, in_hook)
        thread.arrivals.append(arrival)
        yield from arrival.stores

    def _last(self, rows: Array, at: int, thread: _Thread) -> list[Array]:
        """Return the last accesses of a thread before a row, those of one instruction."""
        for begin in (max(at - 4 * PARTS, 0), 0):
            near = rows[begin:at]
            own = np.flatnonzero(_is_access(near) & (near["thread"] == rows["thread"][at]))
            if len(own):
                places = own[::-1][:PARTS] + begin
                return [rows[row] for row in _of_one_instruction(rows, places)]
        return list(thread.last) if thread.last is not None else []

    def _remember(self, rows: Array) -> None:
        """Keep the last accesses of each thread for the next piece."""
        near = rows[-4 * PARTS :]
        if not (rows["thread"] != near["thread"][0]).any() and _is_access(near).sum() >= PARTS:
            rows = near  # of one thread: nearly all pieces
        for number in np.unique(rows["thread"]).tolist():
            own = np.flatnonzero(_is_access(rows) & (rows["thread"] == number))[::-1][:PARTS]
            if len(own):
                thread = self._threads.setdefault(number, _Thread())
                thread.last = rows[_of_one_instruction(rows, own)].copy()


def _is_signal(word: str) -> bool:
    return word == _RETURNED or word.split(" ", 1)[0] == "signal"


def _is_access(rows: Array) -> Array:
    """Return which rows are accesses of instructions, not of kernel and libraries."""
    found: Array = _ACCESSES[rows["kind"]] & (rows["flags"] & int(Flag.HAS_PC) != 0)
    return found


def _of_one_instruction(rows: Array, places: Array) -> list[int]:
    """Return the first of some places and those after it that are parts of its access."""
    found = rows[places]
    first, second = found[:-1], found[1:]
    low, high = (
        np.minimum(first["address"], second["address"]),
        np.maximum(first["address"], second["address"]),
    )
    beside = (high - low == first["size"]) | ((high == low) & (first["kind"] != second["kind"]))
    part = (first["pc"] == second["pc"]) & beside
    count = len(part) if part.all() else int(np.argmin(part))
    return [int(place) for place in places[: count + 1].tolist()]
