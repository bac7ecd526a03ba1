"""Signals in a re-execution: where one interrupts the code, and where that goes on afterwards.

The record of a signal states where it interrupted the code. That address has to be reached once
before the next value is taken: in which round of a loop that loads nothing is not recorded.
"""

from __future__ import annotations

from collections.abc import Generator

from inst.formats.rec.instrumented import NEAR
from inst.formats.rec.outside import Arrival, Outside
from inst.formats.rec.signals import Signal
from inst.formats.rec.states import Left
from inst.replay.library import Reason
from inst.trace.model import Array


class Interrupted(Outside):
    """An execution that signals interrupt."""

    def _reach_signal(self, signal: Signal) -> Generator[tuple[int, Array], None, bool]:
        """Execute up to where a signal interrupted the program; return whether that is the code."""
        machine, pc = self.machine, signal.pc
        if pc is not None and self._waits_at(pc, signal.in_hook):
            return True
        machine.limit_feed(machine.feed_place)  # the next value is the handler's
        if pc is not None and self.program.is_instrumented(pc) and not signal.in_hook:
            return (yield from self._run_to(pc))  # hooks share the code that finds its own place
        stop = yield from self._run_on()
        if stop.reason is Reason.OUTSIDE:
            yield from self._leave(stop)
            may_be_glue = pc is None or signal.in_hook or self.program.is_glue(pc)
            return not self._is_outside and may_be_glue
        if stop.reason is not Reason.FEED_END:
            raise self._refusal(stop)
        return True

    def _waits_at(self, pc: int, in_hook: bool) -> bool:
        """Return whether a signal came where control is, before the next instruction of the code.

        It may have waited for the handler of the last one, or have come to the entry of glue, or to
        the hook, which the code has just called: the record of the access may be there already.
        """
        executed, place = self._resumed
        resumed = place if self.executed == executed else None
        if self.executed != self._called_glue:
            return pc == resumed
        glue = self.program.glue_at(pc)
        goes_on = glue is not None and resumed is not None and glue[0] <= resumed <= pc
        return in_hook or pc == resumed or goes_on or self.program.ends_glue(pc)

    def _enter_handler(self, place: int | None, state: bytes = b"") -> None:
        """Leave the program for the handler of a signal that came at an instruction.

        `state` are the registers of code that goes on.
        """
        stack = self.machine.register(self.program.stack_pointer)
        hooked = self._site, self._given, self._given_address, self.executed == self._called_glue
        self._left.append(Left(0, stack, state, begins=True, hooked=hooked, place=place))
        self._site = self._given = self._given_address = 0
        self._is_outside = True

    def _run_to(self, pc: int) -> Generator[tuple[int, Array], None, bool]:
        """Execute up to an address, which has to be reached once before the next value is taken.

        The records of hooks that are called before have been given. Return whether it is reached,
        and not a call of other code before it, which comes back without a value.
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
        if stop.reason is Reason.OUTSIDE:
            yield from self._leave(stop)
            return not self._is_outside
        # A load's value may come after the handler, and a call for room may have been interrupted.
        is_held_up = stop.reason is Reason.FEED_END and stop.pc < pc + NEAR
        if stop.reason is not Reason.BREAK and not is_held_up:
            raise self._refusal(stop)
        return True

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
        left = self._left[signals[-1]]
        del self._left[signals[-1] :]
        self._site, self._given, self._given_address, in_glue = left.hooked
        if left.state:
            self.machine.restore(left.state)
            self._resumed = self.executed, left.place
            self._called_glue = self.executed if in_glue else -1
            self._is_outside = False
            self.arrived(Arrival.RESUMED)
        elif self._left and self._left[-1].link:
            # Other code goes on, which may jump to where registers are as its call has left them.
            self.machine.restore(self._left[-1].state)
        return bool(left.state)
