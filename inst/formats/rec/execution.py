"""The execution of one thread's instrumented code, up to what else the program did.

It pauses where it is asked to, gives the code that records a buffer to write to, and collects the
accesses executed. What comes from code that is not instrumented, its users provide
(`inst.formats.rec.outside`, `inst.formats.rec.reexecution`).
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from typing import Any

import numpy as np

from inst.formats.rec.events import UNORDERED
from inst.formats.rec.executed import Watch
from inst.formats.rec.expand import Pairs, frames
from inst.formats.rec.instrumented import Program
from inst.formats.rec.stretch import Stretch, merged
from inst.replay.executed import Observation
from inst.replay.library import Reason
from inst.replay.machine import CONTINUED, FRAME, WHOLE_LIMIT, Stop, WatchedMemory
from inst.trace.model import Array, TraceError
from inst.words.disassemble import disassembler

Pieces = Iterator[tuple[int, Any]]
"""Records, and the place of the first of them in the order of all threads; UNORDERED: they
follow those before them. They are arrays of RECORD, or a `Stretch` where columns are asked for."""
ROOM = 1 << 16
"""Accesses that are kept before they become records."""
BUFFER, BUFFER_LIMIT = 0x1000, 0xC000
"""Where the code that records finds its buffer: no program has memory there."""


class Paused(Exception):
    """The execution is to be paused; it goes on from there when it is advanced again."""

    def __init__(self, stop: Stop) -> None:
        super().__init__(stop)
        self.stop = stop


class Execution:
    """A thread's code, registers and memory, and where the execution pauses."""

    def __init__(self, program: Program, thread: int, observation: Observation | None) -> None:
        self.program = program
        self.machine = program.machine()
        self.machine.set_feed(np.zeros(0, "u8"), np.zeros(0, "u8"))
        self._out = tuple(np.zeros(ROOM, kind) for kind in ("u8", "u8", "u8", "u4"))
        self.machine.set_outputs(*self._out)
        instructions = program.instructions(program.reported)
        what, sizes = program.words.lookup(instructions, program.arch)
        is_big = program.target.byte_order == "big"
        self._pairs = Pairs(thread, program.reported, instructions, what, sizes, is_big=is_big)
        self._watch = Watch(program, self.machine, thread, observation) if observation else None
        self.by_columns = False
        """Whether accesses are yielded as stretches, not as records."""
        self.executed = 0
        """Instructions, those that the recording has added among them."""
        self.until = WHOLE_LIMIT
        """After how many of them to raise `Paused`."""
        self.breakpoints: frozenset[int] = frozenset()
        """Before which instructions to raise `Paused`, once each time."""
        self.reported = -1
        """At which count that was done last."""
        self._aimed: int | None = None
        self._routines: list[tuple[int, bytes]] = []
        self._cursor = 0
        """Where the code that records keeps its place; 0: not known yet."""

    def pass_watched(self) -> None:
        """Execute the instruction at whose access it has paused."""
        done = 0
        while not done:
            done = self.machine.run_unwatched(1).executed
        self.executed += done

    def pause_at(self, breakpoints: frozenset[int], watches: Iterable[WatchedMemory]) -> None:
        """Set where to pause."""
        self.machine.set_watches(watches)
        if breakpoints != self.breakpoints:
            self.breakpoints = breakpoints
            self._aim(None)

    def own_memory(self) -> tuple[range, range]:
        """Return the memory that belongs to the code that records."""
        width = self.program.target.bits // 8
        return range(BUFFER, BUFFER_LIMIT), range(self._cursor, self._cursor + 3 * width)

    def _aim(self, pc: int | None) -> None:
        """Set where to stop for a signal."""
        self._aimed = pc
        self.machine.arrive()
        self.machine.set_breakpoints([*self.breakpoints, *([] if pc is None else [pc])])

    def _run(self, limit: int = WHOLE_LIMIT) -> Stop:
        """Execute up to so many instructions; raises `Paused` where that is asked for."""
        while True:
            left = self.until - self.executed
            pc = int(self.machine.state.pc)
            if left <= 0:
                is_code = self.program.is_instrumented(pc) or self._is_of_routine(pc)
                stop = Stop(Reason.LIMIT if is_code else Reason.OUTSIDE, pc, 0, 0, 0, 0)
                if is_code:
                    raise Paused(stop)
                return stop
            self.machine.pass_until = self._passes_glue_until()
            stop = self.machine.run(min(limit, left))
            self.executed += stop.executed
            if stop.reason is Reason.WATCHED:
                raise Paused(stop)
            if stop.reason is Reason.LIMIT and self.executed >= self.until and limit > left:
                raise Paused(stop)
            if stop.reason is not Reason.BREAK:
                return stop
            if stop.pc in self.breakpoints and self.executed != self.reported:
                self.reported = self.executed
                raise Paused(stop)
            if stop.pc == self._aimed:
                return stop

    def _passes_glue_until(self) -> int:
        """Return how many values have been taken when calls of glue have to stop the run."""
        return 0

    def _run_on(self) -> Generator[tuple[int, Array], None, Stop]:
        """Execute until something else than full columns stops it."""
        while True:
            stop = yield from self._executed()
            if stop.reason is Reason.OUTPUT_FULL:
                yield from self._flushed()
            elif not self._provides(stop):
                return stop

    def _executed(self, limit: int = WHOLE_LIMIT) -> Generator[tuple[int, Array], None, Stop]:
        """Execute up to some instructions, which are observed if anything does that."""
        watch = self._watch
        if watch is None:
            return self._run(limit)
        before = watch.steps.done
        while (stop := watch.run(limit - (watch.steps.done - before))) is None:
            yield from self._flushed()
            watch.steps.reached(self.machine)
        self.executed += watch.steps.done - before
        return stop

    def _provides(self, stop: Stop) -> bool:
        """Give what the code misses to go on: a buffer, or a routine; return whether it does."""
        if stop.reason is Reason.UNKNOWN_MEMORY:
            return self._gives_buffer(stop)
        if stop.reason is not Reason.OUTSIDE or self.program.is_glue(stop.pc):
            return False
        routine = self.program.routine_at(stop.pc)
        if routine:
            self.machine.add_code(*routine)
            self._routines.append(routine)
        return routine is not None

    def _is_of_routine(self, pc: int) -> bool:
        return any(first <= pc < first + len(code) for first, code in self._routines)

    def _gives_buffer(self, stop: Stop) -> bool:
        """Give the code that records a buffer; return whether that is what it misses."""
        program, width = self.program, self.program.target.bits // 8
        distance = program.words.recorded.thread_word(stop.word, 8 * width)
        if distance is None or not 0 <= distance - program.cursor <= 2 * width:
            return False
        self._set_cursor(stop.address - distance + program.cursor)
        self._set_buffer()
        if self.machine.read(self._cursor + 2 * width, width) is None:
            self.machine.write(self._cursor + 2 * width, bytes(width))  # what nothing reads again
        return True

    def _set_cursor(self, cursor: int) -> None:
        """Set where the code that records keeps its place."""
        self._cursor = cursor
        self.machine.set_buffer(cursor, (BUFFER, BUFFER_LIMIT))

    def _set_buffer(self) -> None:
        width, order = self.program.target.bits // 8, self.program.target.byte_order
        numbers = (BUFFER, BUFFER_LIMIT)
        data = b"".join(number.to_bytes(width, order) for number in numbers)  # type: ignore[arg-type]
        self.machine.write(self._cursor, data)

    def _flushed(self) -> Pieces:
        """Yield the records of the accesses executed so far."""
        count = self.machine.output_count
        if not count and self._watch is None:
            return
        columns = tuple(column[:count] for column in self._out)
        columns, taken, places = self._without_frames(columns)
        if self._watch:
            self._watch.pass_on(columns)
        if not count:
            return
        pc, address, value, kind = columns
        second = None
        if (continued := kind & CONTINUED != 0).any():  # the second half of 16 bytes
            first = ~continued
            second = np.zeros(len(pc), "u8")
            second[:-1][continued[1:]] = value[1:][continued[1:]]
            places = np.concatenate([[0], np.cumsum(first)])[places]
            pc, address, value, second = (each[first] for each in (pc, address, value, second))
        item = np.searchsorted(self.program.reported, pc)
        self.machine.output_count = 0
        if self.by_columns:
            yield UNORDERED, Stretch(self._pairs, item, address.copy(), taken, places)
        else:
            records = self._pairs.records(item, address, value, second)
            if len(taken):
                before = np.concatenate([[0], np.cumsum(self._pairs.counts[item])])
                records = merged(records, taken, before[places])
            yield UNORDERED, records

    def _without_frames(self, columns: tuple[Array, ...]) -> tuple[tuple[Array, ...], Array, Array]:
        """Return the columns of accesses, the records of frames, and how many accesses come before
        each of these; PowerPC has none."""
        rows = np.flatnonzero(columns[3] & FRAME)
        taken = frames(self._pairs.thread, columns[1][rows], columns[2][rows])
        if len(rows):
            columns = tuple(np.delete(column, rows) for column in columns)
        return columns, taken, rows - np.arange(len(rows))

    def _refusal(self, stop: Stop) -> TraceError:
        """Return the error for an instruction that cannot be executed."""
        pc, word = stop.pc, stop.word
        if stop.reason is Reason.SYSTEM_CALL:  # which is behind pc
            pc -= 4
            word = int(self.program.instructions(np.array([pc], "u8"))[0])
        text = disassembler(self.program.arch)(word, pc)
        reasons = {
            Reason.FEED_END: "the recording has too few values for it",
            Reason.DIVERGED: "the recording has another access's value next",
            Reason.UNKNOWN_MEMORY: f"what memory holds at {stop.address:#x} is not known",
            Reason.SYSTEM_CALL: "no register was free to record what the system call leaves",
            Reason.UNKNOWN_INSTRUCTION: "the instruction is not known",
            Reason.TRAP: "the trap would be taken",
            Reason.WINDOW_UNDERFLOW: "the register window that it restores is not known",
        }
        why = reasons.get(stop.reason, stop.reason.name.lower())
        return self._error(f"cannot re-execute `{text}` at {self._at(pc)}: {why}")

    def _at(self, pc: int) -> str:
        """Return an address, and where in the program it is, as far as that is known."""
        place = self.program.place(pc)
        return f"{pc:#x} in {place}" if place else f"{pc:#x}"

    def _error(self, message: str) -> TraceError:
        """Return an error; the values that a recording has do not say where they belong, so it
        names the thread, and how far that was followed."""
        where = f"in thread {self._pairs.thread} after {self.executed} of its instructions"
        return TraceError(f"{message}; {where}", self.program.file.container.name)
