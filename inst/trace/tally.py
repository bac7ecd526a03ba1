"""Events as statistics need them: distinct ones with how often each came, and what they touched.

Most events of a trace differ from others in nothing but their addresses and values. A format
whose reader knows the distinct ones need not make each of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from inst.trace.model import Array, Flag, Kind, Trace, among

MEMORY = among(Kind.READ, Kind.WRITE, Kind.RESERVE)
"""Which kinds of events are accesses of memory."""


@dataclass(frozen=True, slots=True)
class Tally:
    """Events that follow each other."""

    events: Array
    """Rows of EVENT: each stands for itself, or for as many events as `times` has. Addresses,
    values, threads and records of those that stand for others mean nothing."""
    times: Array | None
    threads: Array
    """The thread of each event, or distinct threads with the events of each in `of_thread`."""
    of_thread: Array | None
    address: Array
    """Of the accesses of memory whose address is known, in order."""
    size: Array


@runtime_checkable
class Tallied(Protocol):
    """A trace whose reader knows which events differ in nothing but addresses and values."""

    def tallies(self) -> Iterator[Tally]:
        """Yield the events as statistics need them."""
        ...


def tallies(trace: Trace) -> Iterator[Tally]:
    """Yield the events of any trace as statistics need them."""
    return trace.tallies() if isinstance(trace, Tallied) else map(tally_of, trace.events())


def tally_of(events: Array) -> Tally:
    """Return events, each of which stands for itself."""
    known = touching(events)
    threads = events["thread"]
    return Tally(events, None, threads, None, events["address"][known], events["size"][known])


def touching(events: Array) -> Array:
    """Return which events are accesses of memory whose address is known."""
    return np.asarray(MEMORY[events["kind"]] & (events["flags"] & int(Flag.HAS_ADDRESS) != 0))
