"""The history of one thread: executed again up to any place in it, forwards and backwards.

All is made of forward execution from states that are kept. A place is a count of executed
instructions, those of the recording among them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

import numpy as np

from inst.debugging.places import Places
from inst.formats.rec.reexecution import Reexecution, Saved
from inst.replay.library import Reason
from inst.replay.machine import WatchedMemory
from inst.replay.model import Debugger
from inst.trace.model import Array, TraceError

STRIDE = 1 << 20
"""Instructions between states that are kept, at least."""
MOST_KEPT = 160
_WINDOW, _GROWTH, _WIDEST = 1 << 9, 8, 1 << 22
"""Instructions in which something is searched backwards: the first ones, by how many times more
next, and at most."""


class Why(Enum):
    """Why the program stands where it does."""

    STEP = "step"
    BREAKPOINT = "breakpoint"
    WATCHED = "watched"
    BEGIN = "begin"
    """Nothing is recorded before."""
    END = "end"
    """Nothing is recorded, or can be executed, after."""
    INTERRUPTED = "interrupted"


class Halt(NamedTuple):
    """Where a run has ended."""

    why: Why
    watch: WatchedMemory | None = None
    message: str = ""
    """Of what prevents going on."""


@dataclass(frozen=True, slots=True)
class Stops:
    """What ends a run."""

    breakpoints: frozenset[int] = frozenset()
    watches: tuple[WatchedMemory, ...] = ()


class History:
    """The history of one thread."""

    def __init__(
        self,
        run: Reexecution,
        places: Places,
        debugger: Debugger,
        interrupted: Callable[[], bool] = lambda: False,
    ) -> None:
        self.run = run
        self._debugger = debugger
        self.damage: TraceError | None = None
        """What is wrong with the records after the last ones."""
        self.places = places
        self.interrupted = interrupted
        self._kept: list[Saved] = []
        self._keep()
        self._goes_on = self.run.advance(0) is not None
        self._first = self.position
        if self._goes_on and not self._stands:
            self.step()

    @property
    def position(self) -> int:
        """Return how many instructions have been executed."""
        return self.run.executed

    @property
    def pc(self) -> int:
        """Return the address of the next instruction."""
        return int(self.run.machine.state.pc)

    @property
    def next_pc(self) -> int | None:
        """Return the address of the one after it, where instructions have delay slots."""
        found: int | None = getattr(self.run.machine.state, "npc", None)
        return found

    @property
    def _stands(self) -> bool:
        return self._goes_on and self.places.is_visible(self.pc)

    def step(self, watches: tuple[WatchedMemory, ...] = ()) -> Halt:
        """Execute an instruction of the program, or what stands before a watched access."""
        start, stops = self.position, Stops(watches=watches)
        try:
            while True:
                self.run.pause_at(frozenset(), watches)
                reached = self._advance(self.position + 1)
                if reached is None:
                    break
                if reached is Reason.WATCHED:
                    return self._watched(stops)
                if self.places.is_visible(self.pc):
                    return Halt(Why.STEP)
        except TraceError as error:
            return self._ended(start, error)
        return self._ended(start, self.damage)

    def resume(self, stops: Stops) -> Halt:
        """Go on until something stops it."""
        by_breakpoints = self._debugger.steps_by_breakpoints
        if by_breakpoints and self.next_pc in stops.breakpoints:
            return self.step(stops.watches)
        start = self.position
        self.run.reported = start
        try:
            while not self.interrupted():
                self.run.pause_at(stops.breakpoints, stops.watches)
                reached = self._forward(self.position + STRIDE)
                if reached is Reason.BREAK and by_breakpoints and not self._stands:
                    return self.step(stops.watches)
                if reached is Reason.BREAK:
                    return Halt(Why.BREAKPOINT)
                if reached is Reason.WATCHED:
                    return self._watched(stops)
                if reached is None:
                    return self._ended(start, self.damage)
            return self._interruption()
        except TraceError as error:
            return self._ended(start, error)

    def step_back(self, watches: tuple[WatchedMemory, ...] = ()) -> Halt:
        """Go back to where the program stood last, or to what stands after a watched access."""
        start = self.position
        place = self._last_visible(start)
        self._go(place)
        found = self._last_stop(start, Stops(watches=watches)) if watches else None
        if found:
            return self._back_at(*found)
        self._go(place)
        return Halt(Why.STEP if place < start else Why.BEGIN)

    def resume_back(self, stops: Stops) -> Halt:
        """Go back until something stops it."""
        for first, end in self._windows(self.position):
            if self.interrupted():
                self._go(end)
                return self._interruption()
            self._go(first)
            found = self._last_stop(end, stops)
            if found:
                return self._back_at(*found)
        self._go(self._first)
        return Halt(Why.BEGIN)

    def _last_stop(self, end: int, stops: Stops) -> tuple[int, Why, WatchedMemory | None] | None:
        """Return the last thing before the end of a window that stops a run from its start."""
        found: tuple[int, Why, WatchedMemory | None] | None = None
        run = self.run
        run.reported = -1
        run.machine.arrive()
        run.pause_at(stops.breakpoints, stops.watches)
        while self.position < end:
            reached = self._forward(end)
            if self.position >= end or reached is None:
                break
            if reached is Reason.BREAK:
                found = self.position, Why.BREAKPOINT, None
            elif reached is Reason.WATCHED:
                found = self.position, Why.WATCHED, self._hit(stops)
                run.pass_watched()
        return found

    def _back_at(self, place: int, why: Why, watch: WatchedMemory | None) -> Halt:
        """Be at what has stopped a run backwards."""
        self._go(place)
        if watch and self._debugger.watched_before:
            self.step()
        elif watch and not self._stands:
            self._go(self._last_visible(place))
        return Halt(why, watch)

    def _windows(self, end: int) -> Iterator[tuple[int, int]]:
        """Yield ranges of places, from an end back to the first, each before the last one."""
        width = _WINDOW
        while end > self._first:
            first = max(end - width, self._first)
            yield first, end
            end, width = first, min(width * _GROWTH, _WIDEST)

    def _watched(self, stops: Stops) -> Halt:
        """Be where a debugger expects the program to stand at an access that is watched."""
        watch = self._hit(stops)
        if not self._debugger.watched_before:
            self.step()
        elif not self.places.is_visible(self.pc):
            self._go(self._last_visible(self.position))
        return Halt(Why.WATCHED, watch)

    def _hit(self, stops: Stops) -> WatchedMemory:
        """Return what is watched of the memory of the access at which the run has stopped."""
        assert self.run.stopped is not None
        address, size, kind = self.run.stopped[4:]
        return next(
            one
            for one in stops.watches
            if one.kinds & kind
            and address < one.address + one.size
            and one.address < address + size
        )

    def _interruption(self) -> Halt:
        return Halt(Why.INTERRUPTED)

    def _ended(self, start: int, error: TraceError | None) -> Halt:
        """Go back to the last place where the program stood."""
        self._goes_on = False
        self._go(self._last_visible(max(self.position, start)))
        return Halt(Why.END, message=error.render() if error else "")

    def _last_visible(self, end: int) -> int:
        """Return the last place before one where the program may be seen to stand."""
        for first, stop in self._windows(end):
            self._go(first)
            places = np.flatnonzero(self.places.are_visible(self._executed(stop)))
            if len(places):
                return first + int(places[-1])
        return self._first

    def _executed(self, end: int) -> Array:
        """Execute up to a place; return the addresses of the instructions."""
        machine = self.run.machine
        executed = np.zeros(end - self.position + 1, "u8")
        machine.set_executed(executed)
        try:
            self._run_silently(end)
        except TraceError:
            self._goes_on = False  # its end, which has been reported
        finally:
            count = machine.executed_count
            machine.set_executed(None)
        return executed[:count]

    def _go(self, place: int) -> None:
        """Be at a place."""
        kept = self._before(place)
        if not kept.executed <= self.position <= place or not self._goes_on:
            self.run.restore(kept)
            self._goes_on = True
        self._run_silently(place)
        self._advance(place)

    def _run_silently(self, place: int) -> None:
        self.run.pause_at(frozenset(), ())
        while self.position < place:
            if self._forward(min(place, self.position + STRIDE)) is None:
                return

    def _forward(self, until: int) -> Reason | None:
        """Execute up to a place; return why it paused, None at the end of the thread."""
        latest = self._kept[bisect_right(self._kept, self.position, key=_count) - 1]
        if self.position - latest.executed >= STRIDE:
            self._keep()
        return self._advance(until)

    def _advance(self, until: int) -> Reason | None:
        stop = self.run.advance(until)
        self._goes_on = stop is not None
        return stop.reason if stop else None

    def _before(self, place: int) -> Saved:
        """Return the last state that is kept before a place, or at it."""
        return self._kept[bisect_right(self._kept, place, key=_count) - 1]

    def _keep(self) -> None:
        """Keep the present state; of too many, drop the one that is missed least."""
        saved, kept = self.run.saved(), self._kept
        place = bisect_right(kept, saved.executed, key=_count)
        kept.insert(place, saved)
        if len(kept) > MOST_KEPT:
            here = saved.executed
            gaps = [
                (kept[n + 1].executed - kept[n - 1].executed) / (1 + abs(here - kept[n].executed))
                for n in range(1, len(kept) - 1)
            ]
            del kept[1 + int(np.argmin(gaps))]


def _count(saved: Saved) -> int:
    return saved.executed
