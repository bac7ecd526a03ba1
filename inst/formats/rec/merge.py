"""The threads of a recording as one stream of records, by the order of all threads."""

from __future__ import annotations

import heapq
from collections.abc import Iterator

from inst.formats.rec.events import UNORDERED
from inst.formats.rec.execution import Pieces
from inst.formats.rec.expand import switch
from inst.formats.rec.index import Thread
from inst.formats.rec.stream import Shared, Stream
from inst.formats.rst.codes import CPU
from inst.trace.model import Array


def merged(shared: Shared, threads: list[Thread]) -> Iterator[Array]:
    """Yield the records of all threads."""
    if len(threads) == 1:
        yield from (records for _, records in Stream(shared, threads[0]).pieces())
        return
    waiting: list[tuple[int, int, _Waiting]] = []
    for thread in threads:
        heapq.heappush(waiting, (thread.order, thread.number, _Waiting(thread)))
    current = -1
    while waiting:
        order, number, one = heapq.heappop(waiting)
        for records in one.next_piece(shared):
            if number != current and records["rtype"][0] != CPU:
                yield switch(number, one.thread.tid(order))
            current = number
            yield records
        if one.order != UNORDERED:
            heapq.heappush(waiting, (max(one.order, order), number, one))


class _Waiting:
    """A thread whose next records have to wait for others'."""

    def __init__(self, thread: Thread) -> None:
        self.thread = thread
        self.order = thread.order
        """Of the next piece; UNORDERED at the end."""
        self._pieces: Pieces | None = None
        self._next: Array | None = None

    def next_piece(self, shared: Shared) -> Iterator[Array]:
        """Yield the records up to the next order of the thread."""
        if self._pieces is None:
            self._pieces = Stream(shared, self.thread).pieces()
        if self._next is not None:
            yield self._next
        self._next = None
        for order, records in self._pieces:
            if order != UNORDERED and (self.order != order):
                self.order, self._next = order, records
                return
            yield records
        self.order = UNORDERED
