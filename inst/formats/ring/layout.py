"""The layout of rings in memory (`runtime/include/inst/ring.h`), and which records are whole.

All numbers are big-endian words of 32 bits: the targets whose programs run without an operating
system are 32-bit SPARC and PowerPC.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inst.errors import InstError
from inst.formats.ring import MAGIC
from inst.trace.model import Array

VERSION = 1
HEAD = np.dtype(
    [
        ("magic", "S8"),
        ("version", ">u4"),
        ("build", ">u4"),
        ("machine", ">u4"),
        ("records", ">u4"),
        ("next", ">u4"),
        ("high", ">u4"),
        ("cpu", ">u4"),
        ("cpus", ">u4"),
        ("starts", ">u4"),
        ("unreported", ">u4"),
        ("reserved", ">u4", 4),
    ]
)
"""struct inst_ring, 64 bytes."""
SLOT = np.dtype([(name, ">u4") for name in ("claim", "pc", "address", "high", "low", "done")])
"""struct inst_ring_record, 24 bytes."""
ABSENT = 0xFFFFFFFF
"""The claim of a record that is not there, of rings that come as lines of text."""
_NUMBER = 0xFFFFFF
"""The bits of a record's number that `done` has."""
_MOST_CPUS, MOST_RECORDS = 16, 1 << 20


@dataclass(frozen=True, slots=True)
class Head:
    """What the head of a ring states."""

    build: int
    machine: int
    records: int
    next: int
    high: int
    cpu: int
    cpus: int
    starts: int
    unreported: int

    @property
    def size(self) -> int:
        """Return the bytes of the ring."""
        return HEAD.itemsize + self.records * SLOT.itemsize


@dataclass(frozen=True, slots=True)
class Ring:
    """A ring, and which of its records can be read."""

    head: Head
    total: int
    """Records that were begun since the ring was cleared."""
    first: int
    """The number of the oldest record that is not overwritten; those below are lost."""
    whole: Array
    """For each record from `first` on whether it is complete (bool)."""
    slots: Array
    """The records from `first` on (`SLOT`)."""
    cut: int
    """How many of them lie beyond the end of the memory that was read."""

    @property
    def absent(self) -> Array:
        """Return for each record from `first` on whether it is not among those of a text (bool)."""
        found: Array = ~self.whole & (self.slots["claim"] == ABSENT)
        return found

    @property
    def overwritten(self) -> int:
        """Return how many records were lost before they were read."""
        return self.first + int(np.count_nonzero(self.absent))

    @property
    def torn(self) -> int:
        """Return how many records were begun and not ended, or written over in part."""
        return int(np.count_nonzero(~self.whole & ~self.absent)) - self.cut


def read_head(data: bytes, name: str) -> Head:
    """Return what the first 64 bytes of a ring state; raise InstError where that is impossible."""
    if len(data) < HEAD.itemsize:
        raise InstError(
            f"{name}: a ring has a head of {HEAD.itemsize} bytes, and {len(data)} are here"
        )
    row = np.frombuffer(data, HEAD, 1)[0]
    if data[:8] != MAGIC:
        raise InstError(
            f"{name}: the ring has not been written to: it begins with {data[:8].hex(' ')} instead "
            f"of {MAGIC.hex(' ')}",
            hint="the program has not come to its first access, or its memory was changed since",
        )
    if row["version"] != VERSION:
        raise InstError(
            f"{name}: a ring of version {row['version']}, and this inst reads version {VERSION}",
            hint="read it with the inst that linked the program",
        )
    records, cpus = int(row["records"]), int(row["cpus"])
    is_power = records > 0 and records & (records - 1) == 0
    has_cpus = 0 < cpus <= _MOST_CPUS and row["cpu"] < cpus
    if not is_power or records > MOST_RECORDS or not has_cpus:
        raise InstError(
            f"{name}: the head of the ring is damaged: {records} records, processor {row['cpu']} "
            f"of {cpus}",
            hint=f"records are a power of 2 up to {MOST_RECORDS}, processors up to {_MOST_CPUS}",
        )
    fields = ("build", "machine", "records", "next", "high", "cpu", "cpus", "starts", "unreported")
    return Head(*(int(row[field]) for field in fields))


def read_ring(data: bytes, name: str) -> Ring:
    """Return a ring whose memory may be cut at its end; raise InstError for a damaged head."""
    head = read_head(data, name)
    room = (min(len(data), head.size) - HEAD.itemsize) // SLOT.itemsize
    there = np.zeros(head.records, SLOT)
    there[:room] = np.frombuffer(data, SLOT, room, HEAD.itemsize)
    total = _total(head, there["claim"])
    first = max(total - head.records, 0)
    numbers = np.arange(first, total, dtype="u8")
    places = (numbers % np.uint64(head.records)).astype("i8")
    slots, low = there[places], numbers.astype("u4")
    here = places < room
    whole = here & (slots["claim"] == low) & (slots["done"] & _NUMBER == low & _NUMBER)
    return Ring(head, total, first, whole, slots, int(np.count_nonzero(~here)))


def _total(head: Head, claims: Array) -> int:
    """Return how many records were begun: `next` may lag behind."""
    number, low = head.high << 32 | head.next, head.next
    for _ in range(head.records):
        if int(claims[low % head.records]) != low:
            break
        number, low = number + 1, (low + 1) & 0xFFFFFFFF
    return number


def read_rings(data: bytes, name: str) -> list[Ring]:
    """Return the rings of all processors but those that recorded nothing."""
    first = read_head(data, name)
    rings = [read_ring(data[: first.size], name)]
    for cpu in range(1, first.cpus):
        part = data[cpu * first.size : (cpu + 1) * first.size]
        if part[:8] == MAGIC:
            rings.append(read_ring(part, f"{name}: processor {cpu}"))
    return rings
