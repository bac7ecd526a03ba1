"""Re-execution of one thread: its records with the accesses that were not recorded.

A recording for re-execution has the values of loads, and registers where control comes from code
that is not instrumented. The program's instructions are executed again from there: a load takes
its value from the recording, a recorded register is set where the program stored it, and addresses,
stores and branches follow. Events stand between the loads where they stood in the program.
How control leaves the instrumented code is `inst.formats.rec.outside`'s, for signals
`inst.formats.rec.interrupted`'s, and where it comes back `inst.formats.rec.returning`'s.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from inst.formats.rec.contexts import Contexts
from inst.formats.rec.events import UNORDERED
from inst.formats.rec.execution import Paused, Pieces
from inst.formats.rec.feed import Feed, Others
from inst.formats.rec.instrumented import NEAR, Program
from inst.formats.rec.outside import LEAVES
from inst.formats.rec.returning import Returning
from inst.formats.rec.states import Control, Hooked, Place, ThreadState, joined
from inst.formats.rst.codes import TAKEN
from inst.replay.executed import Observation
from inst.replay.library import Reason
from inst.replay.machine import WHOLE_LIMIT, KeptMemory, Stop
from inst.trace.model import Array, TraceError
from inst.words.access import BOTH, MULTIPLE_BIT


@dataclass(frozen=True, slots=True)
class Saved:
    """The state of a re-execution."""

    control: Control
    registers: bytes
    memory: KeptMemory
    place: int
    """How many values of the feed have been taken, and how many of the others given."""
    others: int

    @property
    def executed(self) -> int:
        """Return how many instructions had been executed."""
        return self.control.executed


_ROUNDS = 1 << 22
"""Instructions without a load or a call of other code after which a loop is taken to be endless."""


class Reexecution(Returning):
    """The re-execution of one thread."""

    def __init__(
        self, program: Program, thread: int, observation: Observation | None = None
    ) -> None:
        super().__init__(program, thread, observation)
        self._is_endless: bool | None = None
        """Whether the code never leaves a loop after the last value; None: it was not tried."""
        self.stopped: Stop | None = None
        """Where it has paused last."""

    def inherit(self, given: Pieces) -> None:
        """Execute what the thread's parent did before it forked; nothing of it is reported.

        The thread goes on where that call returns.
        """
        first = next(given, None)
        if first is None:
            return
        watch, self._watch = self._watch, None
        self._inherits = True
        self.machine.set_reported([])
        for _ in self.pieces(itertools.chain((first,), given)):
            pass
        if not self._is_outside:
            raise self._error("the process that forked this one ends in code that did not fork")
        self._ended, self._is_endless = False, None
        self._inherits, self.machine.left_out = False, 0
        self._feed = Feed(self.program)
        self.machine.set_feed(self._feed.pcs, self._feed.values)
        self.machine.set_reported(self.program.all_reported)
        self._watch, self.executed = watch, 0

    def pieces(self, given: Pieces, place: Callable[[], object] = lambda: None) -> Pieces:
        """Yield a thread's records with all accesses; before an error those executed so far.

        `place` tells where the records are that were given last.
        """
        try:
            for piece in given:
                self._take(piece, place())
                if not self._feed.waits:  # the code would run beyond where the signal came
                    yield from self._advance(final=False)
            yield from self._advance(final=True)
        except TraceError:
            yield from self._flushed()
            raise

    def _take(self, piece: tuple[int, Array], place: object = None) -> None:
        self._feed.take(*piece, self.machine.feed_place, place)
        self.machine.set_feed(self._feed.pcs, self._feed.values)

    def state(self, number: int, *, is_current: bool, order: int, at: int) -> ThreadState | None:
        """Return what `resumed` goes on from; None: the thread has not begun.

        It is between two instructions, or gives a record that no execution does: that is given
        once more then.
        """
        held, values, others = self._feed.left(self.machine.feed_place)
        if not held:
            return None
        assert isinstance(held[0], Place)
        own = self.own_memory()[1]
        return ThreadState(
            number, is_current, order, at, held[0], len(held), values, others,
            self._feed.has_gap, self.machine.saved(), self._control(),
            [first for first, _ in self._routines], own=(own.start, own.stop),
        )  # fmt: skip

    def resumed(
        self, state: ThreadState, given: Pieces, place: Callable[[], object] = lambda: None
    ) -> Pieces:
        """Yield the records from a state on; `given` are those from its place on."""
        for start in state.routines:
            routine = self.program.routine_at(start)
            if routine:
                self.machine.add_code(*routine)
                self._routines.append(routine)
        for _ in range(state.pieces):
            self._take(next(given), place())
        machine = self.machine
        machine.restore(state.registers)
        addresses, contents = state.memory()
        for start, data in joined(addresses, contents):
            machine.write(start, data)
        machine.feed_place, self._feed.given = state.values, state.others
        if state.has_gap:
            self._feed.set_gap()
        self._return_control(state.control)
        try:
            yield from self._advance(final=False)
        except TraceError:
            yield from self._flushed()
            raise
        yield from self.pieces(given, place)

    def take_all(self, given: Pieces) -> TraceError | None:
        """Take all records at once; return what is wrong with those that are not there.

        `advance` goes on from there instead of `pieces`. Accesses are not reported.
        """
        parts: list[Array] = []
        damage = None
        try:
            parts += (records for _, records in given)
        except TraceError as error:
            damage = error
        if parts:
            self._feed.take(UNORDERED, np.concatenate(parts), 0)
        self.machine.set_reported([])
        self.machine.set_feed(self._feed.pcs, self._feed.values)
        return damage

    def advance(self, until: int = WHOLE_LIMIT) -> Stop | None:
        """Execute until so many instructions have been, or something else asks to pause.

        Returns where it paused; None: the thread has ended. Control then is in the code: what other
        code did before the next instruction has been done.
        """
        self.until = until
        try:
            for _ in self._advance(final=True):
                pass
        except Paused as pause:
            self.stopped = pause.stop
            return pause.stop
        return None

    def saved(self) -> Saved:
        """Return the state of all, for `restore`."""
        return Saved(
            self._control(),
            self.machine.saved(),
            self.machine.keep_memory(),
            self.machine.feed_place,
            self._feed.given,
        )

    def _control(self) -> Control:
        """Return where control is, for `_return_control`."""
        self._forget_calls()  # those too that calls by the machine itself have shown to be left
        return Control(
            executed=self.executed,
            left=tuple(self._left),
            is_outside=self._is_outside,
            hooked=self._hooked,
            called_glue=self._called_glue,
            cursor=self._cursor,
            resumed=self._resumed,
            left_out=self.machine.left_out,
            ended=self._ended,
            contexts=self._contexts.state(),
        )

    def _return_control(self, control: Control) -> None:
        self.executed, self._left = control.executed, list(control.left)
        self._contexts = Contexts(control.contexts)
        self._is_outside, self._hooked = control.is_outside, control.hooked
        self._called_glue, self._resumed = control.called_glue, control.resumed
        self._set_cursor(control.cursor)
        self.machine.left_out, self._ended = control.left_out, control.ended

    def restore(self, saved: Saved) -> None:
        """Make all as it was."""
        self.machine.restore(saved.registers)
        self.machine.return_memory(saved.memory)
        self.machine.feed_place, self._feed.given = saved.place, saved.others
        self._return_control(saved.control)
        self.reported = -1
        if self._aimed is not None:
            self._aim(None)
        self.machine.arrive()

    def _advance(self, final: bool) -> Pieces:
        machine = self.machine
        while not self._ended:
            self._refuse_gap()
            if self._is_outside:
                more = yield from self._come_back(final)
                if not more:
                    yield from self._flushed()
                    return
                continue
            if self._hooked.site:
                yield from self._hooked_access()
                if self._hooked.site and not final:
                    return
                self._hooked = Hooked()
            first = self._feed.next
            if machine.left_out and machine.feed_place >= self._passes_glue_until():
                if (yield from self._run_left_out(final)):
                    self._ended = final
                    return
                continue
            if not first and machine.feed_place >= len(self._feed):
                yield from self._flushed()
                if final and self._stays():
                    self._leave_out_the_end()
                if self._ended or not final:
                    return
            limit = max(self._limit(), machine.feed_place)
            number = self._feed.next_signal()
            signal = self._feed.others[number].signal if number >= 0 else None
            if first and signal and first.place <= machine.feed_place:
                if (
                    yield from self._reach_signal(
                        self._feed.others[number], is_later=self._is_later(number)
                    )
                ):
                    yield from self._give(number + 1 - self._feed.given)
                    self._enter_handler(signal.pc, machine.saved())
                continue
            machine.limit_feed(limit)
            stop = yield from self._run_on()
            if stop.reason is Reason.FEED_END and self._stops_after_next(limit, final):
                yield from self._flushed()
                machine.limit_feed(limit + 1)
                stop = yield from self._executed(1)
                if stop.reason in (Reason.FEED_END, Reason.DIVERGED):
                    raise self._refusal(stop)
            elif stop.reason is Reason.FEED_END and self._others_come(stop, limit):
                yield from self._give(1)
            elif stop.reason is Reason.FEED_END:
                yield from self._flushed()
                if final and machine.feed_place < len(self._feed):
                    raise self._refusal(stop)
                self._ended = final
                return
            elif stop.reason in LEAVES:
                yield from self._leave(stop)
            else:
                raise self._refusal(stop)

    def _is_later(self, number: int) -> bool:
        """Return whether a signal has come to a hook which had begun to write of an access."""
        signal = self._feed.others[number].signal
        return signal is not None and signal.in_hook and self._feed.orders_access(number)

    def _passes_glue_until(self) -> int:
        """Return how many values are taken before others are given, or none is left."""
        return min([len(self._feed), *(one.place for one in [self._feed.next] if one)])

    def _refuse_gap(self) -> None:
        """Refuse values after a pause, which do not say whose they are."""
        has_words = self.program.tables.is_loose or len(self.program.windowed) > 0
        is_after_gap = has_words and self._feed.is_after_gap
        if is_after_gap and self.machine.feed_place < len(self._feed):
            raise self._error("what was recorded after a pause cannot be re-executed")

    def _limit(self) -> int:
        """Return how many values may be taken before others are given.

        Before a signal, and before the end, it is one less: the execution has to stop as soon as
        the last is taken.
        """
        first = self._feed.next
        if not first:
            return len(self._feed) - 1
        return first.place - (self._feed.next_signal() >= 0)

    def _others_come(self, stop: Stop, limit: int) -> bool:
        """Return whether others come before the next value, or state the next access's values."""
        first = self._feed.next
        if not first:
            return False
        return limit <= self.machine.feed_place or first.pc == stop.pc

    def _stops_after_next(self, limit: int, final: bool) -> bool:
        """Return whether a signal, or the end of all, comes after what is taken next."""
        if self._feed.next:
            return self._feed.next_signal() >= 0
        return final and limit < len(self._feed)

    def _stays(self) -> bool:
        """Return whether the code stays in a loop that loads nothing, after the last value."""
        if self._is_endless is None:
            self._is_endless = self._runs_on(_ROUNDS)
        return self._is_endless

    def _leave_out_the_end(self) -> None:
        """End, since nothing states how long the code ran on after the last value."""
        self._ended = True
        self.program.file.container.notes.append(
            f"thread {self._thread} ends in a loop that loads nothing, after "
            f"{int(self.machine.state.pc):#x}: what it stored after its last load is left out, "
            "since that is not recorded"
        )

    def _hooked_access(self) -> Pieces:
        """Give the records that a hook has just written for an access near its call.

        They may be several, between which a chunk of the recording may end. All are there when the
        record of something else follows, or a value. Those of loads are given before their values.
        """
        place = self.machine.feed_place
        while True:
            number = self._feed.next_access()
            if number < 0 or self._feed.others[number].place > place or self.machine.left_out:
                break
            pc = self._feed.others[number].pc
            if self._feed.others[number].is_fed or not self._is_of_site(pc):
                break
            given = self._hooked.pc != 0
            if given and not self._is_same_execution(self._feed.others[number]):
                self._hooked = Hooked()
                return
            address = self._feed.others[number].address
            yield from self._give(number + 1 - self._feed.given)
            first = self._hooked.address if given else address
            self._hooked = self._hooked._replace(pc=pc, address=first)
        if number >= 0 or len(self._feed) > place or self.machine.left_out:
            self._hooked = Hooked()

    def _is_same_execution(self, one: Others) -> bool:
        """Return whether an access's record is of the same execution as the first one given."""
        instruction = self.program.instructions(np.array([one.pc], "u8"))
        what, sizes = self.program.words.lookup(instruction, self.program.arch)
        access, size = int(what[0]), int(sizes[0])
        if access & MULTIPLE_BIT or not size:
            return True
        if access & BOTH == BOTH:
            return bool(one.records["flags"][0] & TAKEN)
        first = self._hooked.address
        return first < one.address < first + size

    def _is_of_site(self, pc: int) -> bool:
        """Return whether the site that has called glue is that of an access."""
        if self._hooked.pc:
            return self._hooked.pc == pc
        site = self._hooked.site
        return site - NEAR <= pc < site or site <= pc <= self.program.next_call(site)
