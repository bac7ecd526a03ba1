"""The threads of a recording as one stream of records, by the order of all threads."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from typing import Any

from inst.formats.rec.events import UNORDERED
from inst.formats.rec.execution import Pieces
from inst.formats.rec.expand import switch
from inst.formats.rec.index import Thread
from inst.formats.rec.stream import Shared, Stream
from inst.formats.rec.stretch import Stretch
from inst.formats.rst.codes import CPU

_FIRST = -1
"""What the thread waits for that is the next one: less than any order."""


def merged(shared: Shared, threads: list[Thread]) -> Iterator[Any]:
    """Yield the records of all threads, or stretches of these."""
    going = [_Waiting(shared, one) for one in threads if one.number not in shared.finished]
    if len(threads) == 1:
        for one in going:
            yield from one.all_pieces()
        return
    waiting = [(one.next, one.thread.number, one) for one in going]
    heapq.heapify(waiting)
    current = -1
    while waiting:
        _, number, one = heapq.heappop(waiting)
        for records in one.next_piece():
            if number != current and not _names_thread(records):
                yield switch(number, one.thread.tid(one.at))
            current = number
            yield records
        if one.order != UNORDERED:
            one.at = one.next = max(one.order, one.at)
            heapq.heappush(waiting, (one.next, number, one))


def _names_thread(records: Any) -> bool:
    """Return whether records, or a stretch, begin with one that names their thread."""
    return records.names_thread if isinstance(records, Stretch) else records["rtype"][0] == CPU


class _Waiting:
    """A thread whose next records have to wait for others'."""

    def __init__(self, shared: Shared, thread: Thread) -> None:
        self._shared, self.thread = shared, thread
        self.stream: Stream | None = None
        """Once it has begun."""
        state = shared.resumed.get(thread.number)
        self.order = state.order if state else thread.order
        """Of the next piece; UNORDERED at the end."""
        self.at = state.at if state else thread.order
        self.next = _FIRST if state and state.is_current else self.at
        """What it waits for in the order of all threads."""
        self._pieces: Pieces | None = None
        self._next: Any = None

    def all_pieces(self) -> Iterator[Any]:
        """Yield all records."""
        for _, records in self._begun():
            yield records
        self._shared.end(self.thread.number)

    def _begun(self) -> Pieces:
        if self._pieces is None:
            self._shared.running[self.thread.number] = self
            self.stream = Stream(self._shared, self.thread)
            self._pieces = self.stream.pieces()
        return self._pieces

    def next_piece(self) -> Iterator[Any]:
        """Yield the records up to the next order of the thread."""
        pieces = self._begun()
        if self._next is not None:
            yield self._next
        self._next = None
        for order, records in pieces:
            if order != UNORDERED and (self.order != order):
                self.order, self._next = order, records
                return
            yield records
        self.order = UNORDERED
        self._shared.end(self.thread.number)
