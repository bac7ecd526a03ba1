"""States taken while a recording is executed from its beginning."""

from __future__ import annotations

from collections.abc import Callable

from inst.formats.rec.reexecution import Reexecution
from inst.formats.rec.states import State
from inst.formats.rec.trace import RecTrace
from inst.replay.executed import Executed, Steps
from inst.replay.machine import Machine

WINDOW = 4 << 20
"""Bytes of blocks that are in memory at a time, and are read to go on from a state."""
SMALLEST = 2
"""Instructions between two states, at least."""


class StateTaker(Steps):
    """Takes a state each time that so many instructions have been executed.

    A state is passed on an instruction after the next one was taken: it has what is loaded up to
    there, since that instruction is executed after a window, too.
    """

    def __init__(self, trace: RecTrace, size: int, passed: Callable[[State], None]) -> None:
        super().__init__()
        self.observing = False
        self.at = self._size = size
        self._trace, self._pass = trace, passed
        self._before: State | None = None
        """The last state but one, until it is passed on."""
        self._last = State(0, 0, window=WINDOW)
        trace.window = WINDOW
        self._finished: list[int] = []

    def take(self, executed: Executed) -> None:
        """Take executed instructions, of which there are none: nothing is observed."""

    def reached(self, machine: Machine) -> None:
        """Take a state, or pass on the one before it."""
        self._add_all()
        if self._before:
            self._pass(self._before)
            self._before = None
            self.at = self._last.executed + self._size
            return
        self._before, self._last = self._last, self._taken(machine)
        self.at = self.done + 1

    def ended(self, thread: int) -> None:
        """Keep what a thread has loaded."""
        self._add_memory(thread)
        self._finished.append(thread)

    def finish(self) -> None:
        """Pass on the last states."""
        self._add_all()
        self._before = self._before or self._last
        self._pass(self._before)
        if self._before is not self._last:
            self._pass(self._last)

    def _taken(self, machine: Machine) -> State:
        """Return the present state, from which a window begins."""
        registers, finished = machine.registers_and_pc(), [*self._finished]
        state = State(self.done, self._trace.passed, registers, finished=finished, window=WINDOW)
        assert self._trace.reading
        for number, one in self._trace.reading.running.items():
            again = self._execution(number)
            thread = again and again.state(
                number, is_current=again.machine is machine, order=one.order, at=one.at
            )
            if again and thread:
                state.threads.append(thread)
                again.machine.begin_window()
        return state

    def _execution(self, number: int) -> Reexecution | None:
        assert self._trace.reading
        one = self._trace.reading.running.get(number)
        return one.stream.again if one and one.stream else None

    def _add_all(self) -> None:
        reading = self._trace.reading  # None: there is damage before all instructions
        for number in reading.running if reading else ():
            self._add_memory(number)

    def _add_memory(self, number: int) -> None:
        """Add what a thread has loaded since the last state to that, and to the one before it."""
        again = self._execution(number)
        if again is None:
            return
        firsts, own = again.machine.firsts(), again.own_memory()[1]
        for thread in self._last.threads:
            if thread.number == number:
                thread.set_memory(*firsts)
        for thread in self._before.threads if self._before else ():
            if thread.number == number:
                thread.add_memory(*firsts, (own.start, own.stop))
