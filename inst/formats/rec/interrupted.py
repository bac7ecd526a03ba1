"""Signals in a re-execution: where one interrupts the code, and where that goes on afterwards.

The record of a signal states where it interrupted the code. That address has to be reached once
before the next value is taken: in which round of a loop that loads nothing is not recorded.
"""

from __future__ import annotations

from collections.abc import Generator

from inst.formats.rec.execution import Pieces
from inst.formats.rec.outside import Arrival, Outside
from inst.formats.rec.states import Left
from inst.replay.library import Reason
from inst.trace.model import Array


class Interrupted(Outside):
    """An execution that signals interrupt."""

    def _reach_signal(self, pc: int | None) -> Generator[tuple[int, Array], None, bool]:
        """Execute up to where a signal interrupted the program; return whether that is the code."""
        machine, program = self.machine, self.program
        if pc is not None and program.is_instrumented(pc):
            yield from self._run_to(pc)
            return True
        machine.limit_feed(machine.feed_place)  # the next value is the handler's
        stop = yield from self._run_on()
        if stop.reason is Reason.OUTSIDE:
            yield from self._leave(stop)
            return not self._is_outside
        if stop.reason is not Reason.FEED_END:
            raise self._refusal(stop)
        return True

    def _enter_handler(self, state: bytes = b"") -> None:
        """Leave the program for a handler; `state` are the registers of code that goes on."""
        stack = self.machine.register(self.program.stack_pointer)
        self._left.append(Left(0, stack, state))
        self._is_outside = True

    def _run_to(self, pc: int) -> Pieces:
        """Execute up to an address, which has to be reached once before the next value is taken.

        The records of hooks that are called before have been given.
        """
        self._aim(pc)
        stop = yield from self._run_on()
        while stop.reason is Reason.OUTSIDE and self.program.is_glue(stop.pc):
            self._return_from_glue()
            stop = yield from self._run_on()
        if stop.reason is Reason.BREAK and self._comes_again():
            raise self._error(
                f"a signal interrupted a loop at {pc:#x} that loads nothing: in which of its "
                "rounds is not recorded"
            )
        self._aim(None)
        if stop.reason not in (Reason.BREAK, Reason.FEED_END):
            raise self._refusal(stop)

    def _comes_again(self) -> bool:
        """Return whether an address is reached again before the next value is taken."""
        machine, memory = self.machine, self.machine.keep_memory()
        assert self._aimed is not None
        machine.set_breakpoints([self._aimed])
        with machine.unreported():
            first = machine.run_unwatched(1)
            again = machine.run_unwatched() if first.reason is Reason.LIMIT else first
        machine.return_memory(memory)
        return again.reason is Reason.BREAK

    def _goes_on(self) -> bool:
        """Return from a handler; return whether the code goes on that its signal interrupted."""
        signals = [n for n, one in enumerate(self._left) if not one.link]
        if not signals:
            return False
        state = self._left[signals[-1]].state
        del self._left[signals[-1] :]
        if state:
            self.machine.restore(state)
            self._is_outside = False
            self.arrived(Arrival.RESUMED)
        return bool(state)
