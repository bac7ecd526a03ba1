"""Signals in a re-execution: where one interrupts the code, and where that goes on afterwards.

The record of a signal states where it interrupted the code, and the registers there. Where that
address is reached several times before the next value is taken, in a loop that loads nothing, these
tell which time it was.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping

from inst.formats.rec.execution import Pieces
from inst.formats.rec.feed import Others
from inst.formats.rec.instrumented import NEAR
from inst.formats.rec.outside import LEAVES, Arrival, Outside
from inst.formats.rec.states import Hooked, Left
from inst.replay.library import Reason
from inst.replay.rounds import Rounds
from inst.trace.model import Array


class Interrupted(Outside):
    """An execution that signals interrupt."""

    def _reach_signal(
        self, one: Others, *, is_later: bool
    ) -> Generator[tuple[int, Array], None, bool]:
        """Execute up to where a signal interrupted the program; return whether that is the code.

        `is_later`: it came to a hook which had begun to write of an access, so not to one for a
        load that has been given already.
        """
        machine, signal = self.machine, one.signal
        assert signal is not None
        pc, is_code = signal.pc, False
        if pc is not None:  # hooks share the code that finds its own place
            is_code = self.program.is_instrumented(pc) and not signal.in_hook
            is_here = self._waits_at(pc, signal.in_hook)
            if is_here and not (is_code and one.registers) and not (is_later and self._is_done()):
                return True
        machine.limit_feed(machine.feed_place)  # the next value is the handler's
        if pc is not None and is_code:
            return (yield from self._run_to(pc, one.registers))
        stop = yield from self._run_on()
        while is_later and stop.reason is Reason.OUTSIDE and self.program.is_glue(stop.pc):
            if not self._is_near(self._link()):
                break
            self._return_from_glue()
            stop = yield from self._run_on()
        if stop.reason in LEAVES:
            yield from self._leave(stop)
            may_be_glue = pc is None or signal.in_hook or self.program.is_glue(pc)
            may_be_glue &= not signal.returns  # a handler returns to other code
            return not self._is_outside and may_be_glue
        if stop.reason is not Reason.FEED_END:
            raise self._refusal(stop)
        return True

    def _run_left_out(self, final: bool) -> Generator[tuple[int, Array], None, bool]:
        """Execute up to right after the last of the loads whose values were left out, or up to
        where control leaves the code before it; return whether more has to be there for that."""
        machine = self.machine
        machine.hold(1)
        stop = yield from self._run_on()
        machine.hold(0)
        if stop.reason is Reason.FEED_END and machine.left_out == 1:
            yield from self._flushed()
            stop = yield from self._executed(1)
        if stop.reason is Reason.FEED_END and not (final and not self.is_cut):
            yield from self._flushed()
            return True
        if stop.reason in LEAVES:
            yield from self._leave(stop)
        elif stop.reason is not Reason.LIMIT:
            raise self._refusal(stop)
        return False

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

    def _is_done(self) -> bool:
        """Return whether the hook that has been called last has written of its load already."""
        pc = int(self.machine.state.pc)
        return not self._hooked.site and self.executed != self._resumed[0] and self._is_near(pc)

    def _is_near(self, link: int) -> bool:
        """Return whether a call that returns to an address is of the last load that was given."""
        return link - NEAR <= self._fed < link

    def _enter_handler(self, place: int | None, state: bytes = b"") -> None:
        """Leave the program for the handler of a signal that came at an instruction.

        `state` are the registers of code that goes on.
        """
        self._forget_calls()
        stack = self.machine.register(self.program.stack_pointer)
        in_glue = self.executed == self._called_glue
        self._left.append(
            Left(0, stack, state, begins=True, hooked=self._hooked, in_glue=in_glue, place=place)
        )
        self._hooked = Hooked()
        self._is_outside = True

    def _run_to(
        self, pc: int, registers: Mapping[str, int]
    ) -> Generator[tuple[int, Array], None, bool]:
        """Execute up to where a signal interrupted the code: an address, and the registers there.

        The records of hooks that are called before have been given. Return whether it is reached,
        and not a call of other code before it, which comes back without a value.
        """
        self._aim(pc)
        executed = self.executed
        stop = yield from self._run_on()
        while stop.reason is Reason.OUTSIDE and self.program.is_glue(stop.pc):
            self._return_from_glue()
            stop = yield from self._run_on()
        if stop.reason is Reason.BREAK:
            yield from self._flushed()
            ahead = self._rounds_ahead(registers)
            self._aim(None)
            yield from self._run_rounds(ahead)
            return True
        self._aim(None)
        if stop.reason in LEAVES:
            yield from self._leave(stop)
            return not self._is_outside
        # A load's value may come after the handler, and a call for room may have been interrupted:
        # also by several signals, and then control is at the first load after it already.
        stands = executed == self.executed == self._resumed[0] and pc <= stop.pc
        if stop.reason is not Reason.FEED_END or (stop.pc >= pc + NEAR and not stands):
            raise self._refusal(stop)
        return True

    def _rounds_ahead(self, registers: Mapping[str, int]) -> int:
        """Return how many instructions it is to the round of a loop in which the signal came.

        Control is where it came. Between two rounds with the same registers nothing would differ,
        since nothing is loaded, so the registers tell the round. The first one that has most of
        them is it, if all that the loop has changed are among them: others may hold what nothing
        reads, and is not known.
        """
        rounds, pc = Rounds(self.machine, registers), int(self.machine.state.pc)
        with self._on_trial([pc]):
            self.machine.arrive()
            while self._passes(self.machine.run_rounds(rounds.address)):
                pass
        if not rounds.is_unique and not self._stands_still(rounds.found):
            raise self._error(
                f"a signal interrupted a loop at {self._at(pc)} that loads nothing: in which of "
                "its rounds is not recorded"
            )
        return rounds.found

    def _stands_still(self, ahead: int) -> bool:
        """Return whether a round of a loop changes nothing, so many instructions ahead."""
        machine = self.machine
        with self._on_trial([]):
            while ahead and self._passes(stop := machine.run_unwatched(ahead)):
                ahead -= stop.executed
            before, count, pc = machine.saved(), machine.output_count, int(machine.state.pc)
            machine.run_unwatched(1)
            if machine.state.pc != pc:
                machine.set_breakpoints([pc])
                machine.run_unwatched()
            return machine.saved() == before and machine.output_count == count

    def _run_rounds(self, instructions: int) -> Pieces:
        """Execute so many instructions of a loop that loads nothing."""
        end = self.executed + instructions
        while self.executed < end:
            stop = yield from self._executed(end - self.executed)
            if stop.reason is Reason.OUTPUT_FULL:
                yield from self._flushed()
            elif stop.reason is not Reason.LIMIT and not self._passes(stop):
                raise self._refusal(stop)

    def _goes_on(self) -> bool:
        """Return from a handler; return whether the code goes on that its signal interrupted."""
        signals = [n for n, one in enumerate(self._left) if not one.link]
        if not signals:
            return False
        left = self._left[signals[-1]]
        del self._left[signals[-1] :]
        self._hooked = left.hooked
        if left.state:
            self.machine.restore(left.state, self._constant)
            self._resumed = self.executed, left.place
            self._called_glue = self.executed if left.in_glue else -1
            self._is_outside = False
            self._arrived(Arrival.RESUMED)
        elif self._left and self._left[-1].link:
            # Other code goes on, which may jump to where registers are as its call has left them.
            self.machine.restore(self._left[-1].state, self._constant)
        return bool(left.state)
