"""Which thread holds which lock, and happens-before: vector clocks over a trace's threads.

A clock counts, for each thread, how much of its past is known. Unlock and `happens_before`
leave a thread's clock at an address; lock and `happens_after` take in what lies there.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from inst.trace.model import Trace

BEFORE, AFTER = "happens_before", "happens_after"
ALLOCATES = "allocator_traced"
"""Hint of the runtime: the functions that give memory are instrumented themselves."""
RAW = "uninitialised"
"""Hint of the runtime: a block was given whose contents mean nothing; its value is the size."""


def is_chunked(trace: Trace) -> bool:
    """Return whether the records of different threads stand in chunks, whatever their order.

    This project's runtime writes them so; the trace records the runtime's version.
    """
    return any(text.startswith(("runtime=", "inst=")) for text in trace.facts.strings)


@dataclass(slots=True)
class Actor:
    """A thread: its clock, and the locks it holds with the record that took each."""

    number: int
    """Dense, from 0."""
    clock: dict[int, int] = field(default_factory=dict)
    held: dict[int, int] = field(default_factory=dict)

    @property
    def time(self) -> int:
        return self.clock[self.number]


class Clocks:
    """The threads of a trace and what they have left at addresses."""

    def __init__(self) -> None:
        self.actors: dict[int, Actor] = {}
        self._left: dict[int, dict[int, int]] = {}
        self.past: dict[int, int] = {}
        """Of each thread, by number: the last of its times that is over, for all to see."""
        self._met: dict[int, int] = {}
        """What every thread knows, also one that is seen first from now on."""

    def actor(self, thread: int) -> Actor:
        known = self.actors.get(thread)
        if known is None:
            number = len(self.actors)
            known = self.actors[thread] = Actor(number, {**self._met, number: 1})
        return known

    def leave(self, thread: int, address: int) -> None:
        """Let others that come to the address know all that the thread did so far."""
        actor = self.actor(thread)
        left = self._left.setdefault(address, {})
        _join(left, actor.clock)
        self.past[actor.number] = actor.time
        actor.clock[actor.number] += 1

    def meet(self) -> None:
        """Let all threads know all that any of them did so far."""
        for actor in self.actors.values():
            self.past[actor.number] = actor.time
        self._met = dict(self.past)
        for actor in self.actors.values():
            _join(actor.clock, self._met)
            actor.clock[actor.number] += 1

    def take(self, thread: int, address: int) -> None:
        """Let the thread know what was left at the address."""
        left = self._left.get(address)
        if left:
            _join(self.actor(thread).clock, left)


def _join(clock: dict[int, int], other: dict[int, int]) -> None:
    for number, time in other.items():
        if clock.get(number, 0) < time:
            clock[number] = time
