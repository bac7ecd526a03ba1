"""Re-execution of one thread: where control comes back from other code.

A recording says so by the name of a segment, by an access that a hook has recorded, or by a signal.
Other code may also state a range of memory that it touches, and go on.
"""

from __future__ import annotations

from collections.abc import Generator

from inst.formats.rec.execution import Pieces
from inst.formats.rec.feed import Feed
from inst.formats.rec.instrumented import NAME_MASK, Program
from inst.formats.rec.interrupted import Interrupted
from inst.formats.rec.outside import NO_CODE, Arrival
from inst.replay.executed import Observation
from inst.trace.model import Array, Kind


class Returning(Interrupted):
    """An execution that knows where control comes back to."""

    def __init__(
        self, program: Program, thread: int, observation: Observation | None = None
    ) -> None:
        super().__init__(program, thread, observation)
        self._feed = Feed(program)
        self._inherits = False
        """What it executes is the parent's, whose loads are counted on after the fork."""
        self._ended = False

    def _come_back(self, final: bool) -> Generator[tuple[int, Array], None, bool]:
        """Find where control comes back; return whether that is known yet."""
        machine, program = self.machine, self.program
        place = machine.feed_place
        if self._watch:
            yield from self._flushed()
        while (one := self._feed.next) and one.place <= place:
            if one.pc and program.is_instrumented(one.pc):
                if self._left and self._left[-1].link:  # all else would have a value first
                    yield from self._return_to(len(self._left) - 1)
                    return True
                break
            if one.signal and (number := self._returned(one.signal.pc)) >= 0:
                yield from self._return_to(number)
                return True
            yield from self._give(1)
            if one.signal and not one.signal.returns:
                self._enter_handler(one.signal.pc)
            elif one.signal and self._goes_on():
                return True
        if place >= len(self._feed):
            if final and machine.left_out and not (self._inherits or self.is_cut):
                raise self._error(
                    f"the program ends, but {machine.left_out} more loads were counted than it has"
                )
            if final:
                yield from self._end()
            return False
        pc, value = int(self._feed.pcs[place]), int(self._feed.values[place])
        if not pc:
            if kind := program.range_names.get(value & NAME_MASK):
                return (yield from self._take_range(kind, final))
            if place + 1 >= len(self._feed) and not final:
                return False
            pc, value = self._named(value), int(self._feed.values[place + 1 : place + 2].sum())
        if (number := self._returned(pc, value)) >= 0:
            yield from self._return_to(number)
            return True
        if self._goes_on_in_context(pc, value):
            yield from self._return_to(len(self._left) - 1)
            return True
        if pc in program.entries:
            begins = bool(self._left and self._left[-1].begins)
            waiting = self._set_aside()
            self._forget_frames(value)
            machine.leave_windows(value)
            waiting = waiting or self._left
            if waiting and (begins or value < waiting[-1].stack):
                machine.enter_window()
            self._arrived(Arrival.ENTRY)
            machine.go_to(program.entries[pc])
            machine.set_register(program.link, NO_CODE - program.beyond_link)
        else:
            raise self._error(
                f"control comes back to {self._at(pc)} in a way that is not followed yet"
            )
        self._is_outside = False
        return True

    def _take_range(self, kind: Kind, final: bool) -> Generator[tuple[int, Array], None, bool]:
        """Give the range that other code has stated; return whether its address and size are there:
        they are not at the end of a program that was killed."""
        place = self.machine.feed_place + 1
        stated = self._feed.values[place : place + 2].tolist()
        if len(stated) < 2:
            if final:
                yield from self._end()
            return False
        self.machine.feed_place = place + 2
        yield from self._ranges(kind, stated[:1], stated[1])
        return True

    def _named(self, name: int) -> int:
        """Return where control arrives that has recorded the name of that place."""
        pc = self.program.names.get(name & NAME_MASK)
        if pc is None:
            raise self._error(
                f"the recording has {name:#x} where it should say how control comes back"
            )
        return pc

    def _give(self, count: int) -> Pieces:
        """Yield the accesses executed so far, and others."""
        yield from self._flushed()
        feed = self._feed
        for one in feed.others[feed.given : feed.given + count]:
            yield one.order, one.records
            feed.given += 1
            self._fed = one.pc if one.is_fed else self._fed

    def _end(self) -> Pieces:
        """End, and yield the others that are left."""
        self._ended = True
        yield from self._give(len(self._feed.others) - self._feed.given)
