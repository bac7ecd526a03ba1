"""What the chunks of a recording hold: whose they are, and in which order to read them.

A thread's blocks lie in heads: runs in one chunk, the first of which has an order. Its events lie
in parts: records of one chunk that begin with THREAD. Both are read by their orders.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field

import numpy as np

from inst.formats.rec.layout import SEGMENTS, TABLES, File
from inst.formats.rst.codes import CPU, EVENT_RECORD, POSITION, STRCONT, STRDESC, THREAD
from inst.formats.rst.record import RECORD
from inst.formats.rst.table import SIZE
from inst.trace.model import Array, Kind

MOST = 1 << 62
"""Greater than any order."""


@dataclass(frozen=True, slots=True)
class Head:
    """Blocks of a thread in one chunk."""

    order: int
    chunk: int
    first: int
    """Its first run in the chunk's table."""
    end: int
    """The run after its last."""
    start: int
    """The byte in the chunk at which it begins."""


@dataclass(frozen=True, slots=True)
class Part:
    """Events of a thread in one chunk: rows of records."""

    order: int
    chunk: int
    start: int
    end: int
    tid: int
    """The kernel's number of the thread."""


@dataclass(slots=True)
class Thread:
    """Where everything of a thread is, by order."""

    number: int
    heads: list[Head] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)
    chunks: dict[int, list[int]] = field(default_factory=dict)
    """The numbers of its heads in a chunk."""

    def settle(self) -> None:
        """Bring all into order, once it is known."""
        self.heads.sort(key=lambda head: head.order)
        self.parts.sort(key=lambda part: part.order)
        for number, head in enumerate(self.heads):
            self.chunks.setdefault(head.chunk, []).append(number)

    @property
    def order(self) -> int:
        """Return the order of its first record."""
        return min(each[0].order for each in (self.heads, self.parts) if each)

    def tid(self, order: int) -> int:
        """Return the kernel's number of the thread that had this one's place at an order."""
        if not self.parts:
            return self.number
        place = bisect_right(self.parts, order, key=lambda part: part.order)
        return self.parts[max(place - 1, 0)].tid


@dataclass(slots=True)
class Index:
    """The content of a recording."""

    threads: dict[int, Thread] = field(default_factory=dict)
    tables: int | None = None
    """The chunk with the tables."""
    strings: list[str] = field(default_factory=list)
    """What the producer states."""
    start: Array = field(default_factory=lambda: np.zeros(0, RECORD))
    """The records that begin the trace."""
    unwritten: int = 0
    """Chunks that a killed program reserved and did not write."""

    def thread(self, number: int) -> Thread:
        """Return what is known of a thread."""
        return self.threads.setdefault(number, Thread(number))


def read_index(file: File) -> Index:
    """Go through the chunks of a file."""
    index, next_ = Index(), 0
    for number in file.numbers:
        if number >= next_:
            next_ = take_chunk(file, number, index)
    for thread in index.threads.values():
        thread.settle()
    return index


def take_chunk(file: File, number: int, index: Index) -> int:
    """Take what a chunk holds; return the next chunk which is none of the same tables."""
    magic = file.chunk(number, 0, 16)
    if number and magic.startswith(TABLES):
        size = int.from_bytes(magic[8:], "big")
        index.tables = number if index.tables is None else index.tables
        return number + -(-(size + 16) // file.layout.chunk)
    if number and magic.startswith(SEGMENTS):
        _take_segments(file, number, index)
    elif number and not magic[:1].strip(b"\0"):
        index.unwritten += 1
    else:
        _take_events(file, number, index)
    return number + 1


def _take_segments(file: File, number: int, index: Index) -> None:
    runs = file.runs(number)
    if not len(runs):
        index.unwritten += 1
        return
    orders = runs["order"].astype("i8")
    firsts = np.flatnonzero(orders)
    if not len(firsts) or firsts[0] != 0 or (orders < 0).any() or (orders >= MOST).any():
        raise file.damage("a first run without an order", number, 16)
    threads = runs["thread"].astype("i8")
    owner = np.repeat(threads[firsts], np.diff(np.append(firsts, len(runs))))
    wrong = np.flatnonzero(owner != threads)
    if len(wrong):
        raise file.damage("a run that continues another thread's", number, 16 + 16 * int(wrong[0]))
    for first, end in zip(firsts.tolist(), [*firsts[1:].tolist(), len(runs)], strict=True):
        start = int(runs["start"][first])
        head = Head(int(orders[first]), number, first, end, start)
        index.thread(int(threads[first])).heads.append(head)


def records_of(file: File, number: int) -> Array:
    """Return the records of a chunk of events."""
    data = file.chunk(number)
    return np.frombuffer(data, RECORD, len(data) // SIZE)


def _take_events(file: File, number: int, index: Index) -> None:
    records = records_of(file, number)
    codes = records["rtype"]
    begins = np.flatnonzero(codes == THREAD)
    begins = np.array([row - 1 for row in begins.tolist() if row and codes[row - 1] == CPU], "i8")
    first = int(begins[0]) if len(begins) else len(records)
    if number == 0:
        written = records[1:first]
        index.start = written[written["rtype"] != 0]
        index.strings = _strings(index.start)
    elif first != 0:
        if not codes[1:].any():  # the program was killed when it began the chunk
            index.unwritten += 1
            return
        raise file.damage("events that begin without their thread", number)
    for start, end in zip(begins.tolist(), [*begins[1:].tolist(), len(records)], strict=False):
        thread, order = _owner(file, number, records[start:end], start)
        index.thread(thread).parts.append(
            Part(order, number, start, end, int(records["first"][start + 1]))
        )


def _owner(file: File, number: int, records: Array, row: int) -> tuple[int, int]:
    """Return the thread and the order of a part."""
    cpu = int(records["word"][0]) & 1023
    orders = records[2:3]
    order = 0
    if len(orders) and orders["rtype"][0] == EVENT_RECORD and orders["flags"][0] == Kind.ORDER:
        order = int(orders["second"][0])
    if order >= MOST:
        raise file.damage("an order that is too high", number, SIZE * (row + 2))
    places = np.flatnonzero(records["rtype"] == POSITION)
    if not len(places):
        return cpu, order
    threads = records["word"][places]
    if threads[0] & 1023 != cpu or (threads != threads[0]).any():
        wrong = int(places[np.flatnonzero((threads != threads[0]) | (threads & 1023 != cpu))[0]])
        raise file.damage("an event of another thread", number, SIZE * (row + wrong))
    return int(threads[0]), order


def _strings(records: Array) -> list[str]:
    found, part = [], b""
    for row in np.flatnonzero(np.isin(records["rtype"], (STRDESC, STRCONT))).tolist():
        data = records[row : row + 1].tobytes()
        part += data[1:].partition(b"\0")[0]
        if data[0] == STRDESC:
            found.append(part.decode("utf-8", "backslashreplace"))
            part = b""
    return found
