"""Accesses that a signal handler separated from their records.

A store is recorded before it is executed, a load after. A handler that runs between the two has
its records on the other side: after the store's, though it ran before the store; before the
load's, though it ran after the load. Traces of this project's runtime mark such signals: by the
hook that was interrupted (`signal in stwhook`) or, beside the call of a hook, by the place in
the program; and they have `back from signal` where the handler has returned. The rules:

- at the signal, and once more when its handler has returned, the bytes of the last store before
  the signal are unknown: it may not have been executed yet, and has been when the handler returns;
- the first load after `back from signal` is not judged: it may have been executed before the
  handler ran.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

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
    """A signal whose handler runs."""

    stores: list[tuple[int, int]]
    """Address and size of what may not have been stored yet."""
    place: int
    """Where the program was, if a load may be without its record; else 0."""
    in_hook: bool

    def allows(self, pc: int) -> bool:
        """Return whether a load there may have been made before the handler ran."""
        return self.in_hook or 0 < self.place - pc <= REACH


@dataclass(slots=True)
class _Thread:
    last: Array | None = None
    """Its last accesses, of one instruction."""
    arrivals: list[_Arrival] = field(default_factory=list)
    returned: _Arrival | None = None
    """The handler is back, and no access came since."""


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
        signals = self._signals(rows)
        waiting = any(each.returned for each in self._threads.values())
        if len(signals) or waiting:
            self._walk(rows, signals, found)
        if len(rows):
            self._remember(rows)
        return found

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
        """Find the first load of each thread that a handler has returned to."""
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
            for row in _of_one_instruction(rows, own[:PARTS] + begin):
                if rows["kind"][row] != Kind.WRITE and arrival.allows(int(rows["pc"][row])):
                    found.unjudged.append(row)

    def _signal(self, rows: Array, at: int) -> Iterator[tuple[int, int]]:
        """Take a signal, or the return from one; yield what is not known from here on."""
        word = self._trace.words.texts[int(rows["detail"][at])]
        thread = self._threads.setdefault(int(rows["thread"][at]), _Thread())
        if word == _RETURNED:
            if thread.arrivals:
                thread.returned = thread.arrivals.pop()
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
        if thread.returned:  # the same access is interrupted once more
            stores += thread.returned.stores
            in_hook = in_hook or thread.returned.in_hook
            place = place or thread.returned.place
            thread.returned = None
        thread.arrivals.append(_Arrival(stores, place, in_hook))
        yield from stores

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
    part = (first["pc"] == second["pc"]) & (high - low == first["size"])
    count = len(part) if part.all() else int(np.argmin(part))
    return [int(place) for place in places[: count + 1].tolist()]
