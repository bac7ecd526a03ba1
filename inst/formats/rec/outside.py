"""Control outside of the instrumented code: where it has left that, and how it comes back.

Control leaves the instrumented code by calls of other code, and comes back in one of two ways: at
the return address, or in a function that the other code calls, which may do the same again.
Calls of glue, which runs hooks, come back at once.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from enum import Enum

from inst.formats.rec.contexts import Contexts
from inst.formats.rec.events import UNORDERED
from inst.formats.rec.execution import Execution, Pieces
from inst.formats.rec.expand import ranges
from inst.formats.rec.instrumented import NEAR, Program
from inst.formats.rec.states import Hooked, Left
from inst.replay.executed import Observation
from inst.replay.library import Reason
from inst.replay.machine import Stop
from inst.trace.model import Kind

LEAVES = (Reason.OUTSIDE, Reason.SYSTEM_CALL)
"""Why an execution stops whose control leaves the code."""
NO_CODE = 0x40
"""Where a function returns to whose caller is not instrumented, if it does not read that."""


class Arrival(Enum):
    """How control comes back."""

    ENTRY = "entry"
    """In a function: nothing is known but what is recorded."""
    RETURN = "return"
    """From a call, which has changed what calls may change."""
    RESUMED = "resumed"
    """From a signal's handler, with all registers as they were, or from the system, which changes
    what is recorded."""


class Outside(Execution):
    """An execution that knows which calls have left the code."""

    def __init__(self, program: Program, thread: int, observation: Observation | None) -> None:
        super().__init__(program, thread, observation)
        self._thread = thread
        self._left: list[Left] = []
        """Calls and signals that have not returned, the last one last."""
        self._contexts = Contexts()
        """Those of contexts that do not run."""
        pointer = program.words.recorded.thread_pointers.get(program.target.bits, "")
        self._constant = self.machine.bits_of([pointer])
        """What no state restores: the thread pointer is recorded where it arrives in code that uses
        it, and has one value."""
        self._killed = self.machine.bits_of(program.killed) | self._constant
        self._is_outside = True
        self._hooked = Hooked()
        self._resumed: tuple[int, int | None] = (-1, None)
        """How much had been executed when the last handler returned, and where its signal came."""
        self._called_glue = -1
        """How much had been executed when code called an entry of glue last."""
        self._fed = -1
        """The access of a hook's last record that has a value for a load."""
        self.is_cut = False
        """The last that was recorded is missing, since it may not be whole."""
        self._arrived: Callable[[Arrival], None] = lambda _arrival: None

    def call_at_arrivals(self, function: Callable[[Arrival], None]) -> None:
        """Call a function whenever control has come back to the code."""
        self._arrived = function
        self.machine.stop_at_calls()

    def _leave(self, stop: Stop) -> Pieces:
        """Go on after a call of glue, or wait where control comes back from other code, or the
        system."""
        machine, program = self.machine, self.program
        if stop.reason is Reason.SYSTEM_CALL:
            self._call_system(stop)
            return
        if program.is_glue(stop.pc):
            self._hooked = Hooked(self._return_from_glue())
            self._called_glue = self.executed
            return
        self._forget_calls()
        machine.add_other(stop.pc)
        link = self._link()
        if link != stop.pc and program.is_instrumented(link):
            stack = machine.register(program.stack_pointer)
            self._forget_calls(stack)
            self._left.append(Left(link, stack, machine.saved()))
            yield from self._called(stop.pc, self._left[-1])
        self._is_outside = True

    def _call_system(self, stop: Stop) -> None:
        """Wait where control comes back from a system call, or from a handler meanwhile."""
        machine = self.machine
        place = self.program.entries.get(self.program.first_item(stop.pc), -1)
        if not stop.pc <= place < stop.pc + NEAR:  # the glue after the call stands between
            raise self._refusal(stop)
        stack = machine.register(self.program.stack_pointer)
        self._forget_calls(stack)
        self._left.append(Left(stop.pc, stack, machine.saved(), to_system=True))
        self._is_outside = True

    def _forget_calls(self, stack: int = 0) -> None:
        """Forget the calls that were left by a jump: those of functions that have called others
        since, or have ended.

        A call is made with a stack pointer now; the machine has made others by itself.
        """
        stack = max(stack, self.machine.take_highest())
        while self._left and self._left[-1].link and self._left[-1].stack <= stack:
            self._left.pop()

    def _called(self, function: int, left: Left) -> Pieces:
        """Yield what a function reads that has been called, if its arguments state it."""
        call = self.program.calls.get((left.link, function))
        if call is None or not call.reads + call.writes:
            return
        size, *_ = self._arguments((call.size,))
        if size:
            yield from self._ranges(Kind.READ, self._arguments(call.reads), size)
            left.writes, left.size = self._arguments(call.writes), size

    def _arguments(self, numbers: tuple[int, ...]) -> tuple[int, ...]:
        names = self.program.parameters
        return tuple(self.machine.register(names[number]) for number in numbers)

    def _ranges(self, kind: Kind, starts: tuple[int, ...], size: int) -> Pieces:
        known = [start for start in starts if start]
        if known:
            yield from self._flushed()
            yield UNORDERED, ranges(self._thread, kind, known, size)

    def _link(self) -> int:
        """Return where a call that has just been made returns to."""
        return self.machine.register(self.program.link) + self.program.beyond_link

    def _return_from_glue(self) -> int:
        """Go on after a call of glue; return where that is."""
        link = self._link()
        self.machine.go_to(link)
        self._restore_link(link)
        self._set_buffer()
        return link

    @contextlib.contextmanager
    def _on_trial(self, breakpoints: list[int]) -> Iterator[None]:
        """Execute to learn what comes; nothing changes. What was executed has been flushed."""
        machine, memory = self.machine, self.machine.keep_memory()
        machine.set_breakpoints(breakpoints)
        with machine.unreported():
            yield
        machine.return_memory(memory)
        self._aim(self._aimed)

    def _passes(self, stop: Stop) -> bool:
        """Return whether the code goes on by itself from where it has stopped on trial."""
        if stop.reason is Reason.OUTPUT_FULL:
            self.machine.output_count = 0
            return True
        if stop.reason is Reason.OUTSIDE and self.program.is_glue(stop.pc):
            self._return_from_glue()
            return True
        return self._provides(stop)

    def _runs_on(self, instructions: int) -> bool:
        """Return whether so many are executed before a value is taken or the code is left."""
        left = instructions
        with self._on_trial([]):
            while left > 0:
                stop = self.machine.run_unwatched(left)
                left -= max(stop.executed, 1)
                if stop.reason is not Reason.LIMIT and not self._passes(stop):
                    break
        return left <= 0

    def _restore_link(self, link: int) -> None:
        """Set the link register as glue does that returns to `link`."""
        machine, program = self.machine, self.program
        kept = program.kept_link(link)
        if kept is None:
            return
        value = machine.register(kept.register)
        if kept.place is not None:
            width, order = program.target.bits // 8, program.target.byte_order
            found = machine.read(value + kept.place, width)
            assert found is not None, "a site has just stored it"
            machine.set_register(kept.register, value + kept.frame)
            value = int.from_bytes(found, order)  # type: ignore[arg-type]
        machine.set_register(program.link, value)

    def _forget_frames(self, stack: int) -> None:
        """Forget what left the code from frames that a jump has left: those below a stack pointer.

        A handler may begin on a stack of its own, which lies anywhere.
        """
        if self._left and self._left[-1].begins:
            self._left[-1] = replace(self._left[-1], begins=False)
            return
        while self._left and self._left[-1].stack < stack:
            self._left.pop()

    def _set_aside(self) -> list[Left]:
        """Keep the calls that have not returned if the last one has left the context; return them
        then."""
        calls = self._left
        if not calls or calls[-1].link not in self.program.switches:
            return []
        self._contexts.put(calls)
        self._left = []
        return calls

    def _goes_on_in_context(self, pc: int, stack: int) -> bool:
        """Return whether another context goes on at an address, after the call that has left it.

        The calls that have not returned are that context's then.
        """
        calls = self._contexts.going_on(stack) if pc in self.program.entries else []
        if not calls or not self._returns_before(calls[-1], pc):
            return False
        self._contexts.take(stack)
        self._set_aside()
        self._left = calls
        return True

    def _returned(self, pc: int | None, value: int | None = None) -> int:
        """Return which call that has left the code has returned before this address; or -1.

        `value` is what was recorded there; there is none where a signal came.
        """
        if pc is None or not self.program.is_instrumented(pc):
            return -1
        number = len(self._left)
        while number:
            number -= 1
            left = self._left[number]
            if not left.link:
                if value is None:
                    break  # its handler was interrupted
                continue
            if left.to_system and value is None:
                continue  # glue may state ranges before the first value
            is_entered = pc in self.program.entries and value != left.stack
            if not is_entered and self._returns_before(left, pc):
                return number
        return -1

    def _returns_before(self, left: Left, pc: int) -> bool:
        """Return whether an address is the first that takes a value after a call, or before it."""
        return left.link <= pc <= self.program.first_item(left.link)

    def _return_to(self, number: int) -> Pieces:
        """Go on after a call that has left the code.

        Calls and signals that have left it since did not return: an exception or a jump went to
        their own function.
        """
        left = self._left[number]
        del self._left[number:]
        self.machine.restore(left.state, self._constant if left.to_system else self._killed)
        self.machine.go_to(left.link)
        self._is_outside = False
        self._arrived(Arrival.RESUMED if left.to_system else Arrival.RETURN)
        yield from self._ranges(Kind.WRITE, left.writes, left.size)
