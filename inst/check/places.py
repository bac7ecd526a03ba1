"""Between which places in the order of all threads an access was executed.

A thread takes a place by one atomic addition for all threads. So all that it did before a place
comes before what other threads do after a higher one, and what lies between two places of one
thread may have come before or after what lies between two of another, if these overlap.

The runtime reports a place with an address beside the access that orders threads: before a store
that is a release, but after a load that is an acquire and after an atomic operation. Those were
executed before the place that their records follow, and after the one before that. So may have been
what comes first in a chunk: a load is executed, and then the thread takes a chunk for its record,
which begins with a place.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from dataclasses import dataclass, field

import numpy as np

from inst.check.cells import CELL
from inst.trace.model import Array, Flag, Kind, among

FOREVER = 1 << 64
_LOADS = among(Kind.READ, Kind.RESERVE)
NEAR = 16
"""Bytes around the address of a place that belong to its access: the longest has 16."""


def _numbers() -> array[int]:
    return array("Q")


@dataclass(slots=True)
class _Runs:
    """A thread's accesses from place to place; a column each."""

    records: array[int] = field(default_factory=_numbers)
    places: array[int] = field(default_factory=_numbers)
    addresses: array[int] = field(default_factory=_numbers)
    """Of the access that a place belongs to, or that follows it; 0: none does."""
    sooner: array[int] = field(default_factory=_numbers)
    """The place after which that access was executed."""
    waits: bool = False
    """Whether nothing came after the last place yet."""

    def add(self, record: int, place: int, address: int) -> None:
        highest = self.places[-1] if self.places else 0
        sooner = highest
        if place < highest:  # a handler came between the taking of the place and its record
            sooner = 0
        elif self.places and (self.waits or self._goes_on(address)):
            sooner = self.sooner[-1]
            address = address or self.addresses[-1]
        self.waits = True
        self.records.append(record)
        self.places.append(max(place, highest))
        self.addresses.append(address)
        self.sooner.append(sooner)

    def follow(self, is_executed: bool, address: int) -> None:
        """Take what follows the last place, and whether it was executed when it was recorded."""
        if is_executed and not self.addresses[-1]:
            self.addresses[-1] = address
        self.waits = False

    def _goes_on(self, address: int) -> bool:
        """Return whether the access is the next part of the one at the place before."""
        before = self.addresses[-1]
        return bool(address and before) and 0 < abs(address - before) <= NEAR

    def span(self, record: int, cell: int, loose: bool) -> tuple[int, int]:
        at = bisect_right(self.records, record) - 1
        if at < 0:
            return 0, self.places[0] if self.places else FOREVER
        address = self.addresses[at]
        is_its = loose or (address and abs(address - cell * CELL) <= NEAR)
        start = self.sooner[at] if is_its else self.places[at]
        after = bisect_right(self.places, self.places[at], at)
        return start, self.places[after] if after < len(self.places) else FOREVER


class Places:
    """The places that the threads of a trace took so far."""

    def __init__(self) -> None:
        self._threads: dict[int, _Runs] = {}

    def take(self, rows: Array) -> None:
        """Take the places among further rows."""
        if (rows["thread"] != rows["thread"][:1]).any():
            rows = rows[np.argsort(rows["thread"], kind="stable")]
        is_order = rows["kind"] == Kind.ORDER
        wanted = is_order.copy()
        wanted[1:] |= is_order[:-1] | (rows["thread"][1:] != rows["thread"][:-1])
        wanted[:1] = True
        found, orders = rows[wanted], is_order[wanted].tolist()
        has_address = found["flags"] & int(Flag.HAS_ADDRESS) != 0
        addresses = np.where(is_order[wanted] & ~has_address, 0, found["address"]).tolist()
        columns = (found[name].tolist() for name in ("thread", "record", "value"))
        executed = _LOADS[found["kind"]] | (found["flags"] & int(Flag.ATOMIC) != 0)
        for thread, record, place, address, is_place, is_executed in zip(
            *columns, addresses, orders, executed.tolist(), strict=True
        ):
            runs = self._threads.get(thread & 0xFFFFFFFF)
            if runs is None:
                runs = self._threads[thread & 0xFFFFFFFF] = _Runs()
            if is_place:
                runs.add(record, place, address)
            elif runs.waits:
                runs.follow(is_executed, address)

    def span(self, thread: int, record: int, cell: int, loose: bool = False) -> tuple[int, int]:
        """Return the places between which a thread's access to a cell was executed.

        `loose` is that of code that is not instrumented: it may be recorded one place later.
        """
        runs = self._threads.get(thread)
        return (0, FOREVER) if runs is None else runs.span(record, cell, loose)
