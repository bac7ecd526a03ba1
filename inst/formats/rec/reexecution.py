"""Re-execution of one thread: its records with the accesses that were not recorded.

A recording for re-execution has the values of loads, and registers where control comes from code
that is not instrumented. The program's instructions are executed again from there: a load takes
its value from the recording, a recorded register is set where the program stored it, and addresses,
stores and branches follow. Events stand between the loads where they stood in the program.

Control leaves the instrumented code by calls of other code, and comes back in one of two ways: at
the return address, or in a function that the other code calls, which may do the same again.
"""

from __future__ import annotations

import itertools
from collections.abc import Generator, Iterator
from dataclasses import dataclass

import numpy as np

from inst.arch.registry import architecture, produced_by
from inst.flow.model import Conventions
from inst.formats.rec.events import UNORDERED
from inst.formats.rec.layout import File
from inst.formats.rec.signals import may_be_signals, signal_of
from inst.formats.rec.tables import Tables
from inst.formats.rst.codes import EA_VALID, EVENT_RECORD, EVENT_TEXT, INSTR, MEMVAL, VIRTUAL
from inst.formats.rst.record import RECORD
from inst.replay.library import Reason
from inst.replay.machine import SIZE, Machine, Stop
from inst.replay.model import Semantics
from inst.target.model import Target
from inst.target.targets import TARGETS
from inst.trace.model import Array, TraceError
from inst.words.access import READ
from inst.words.decode import words_of

Pieces = Iterator[tuple[int, Array]]
ROOM = 1 << 16
"""Accesses that are kept before they become records."""
BUFFER, BUFFER_LIMIT = 0x1000, 0xC000
"""Where the code that records finds its buffer: no program has memory there."""
_LONGEST = 64
"""Instructions of a routine that saves or restores registers, at most."""
_NEAR = 64
"""Bytes between an access and where its call of glue returns to, at most."""
_NO_CODE = 0x40
"""Where a function returns to whose caller is not instrumented, if it does not read that."""


def _bytes(values: Array, counts: Array) -> Array:
    """Return values divided into so many bytes each, big-endian; those of one stay as they are."""
    number = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
    size = np.repeat(counts, counts)
    shifted = np.repeat(values, counts) >> (8 * (size - 1 - number)).astype("u8")
    return np.asarray(np.where(size > 1, shifted & np.uint64(0xFF), shifted))


def target_of(arch: str, file: File) -> Target:
    """Return the target of a recording."""
    order = "little" if file.layout.little else "big"
    bits = 8 * file.layout.width
    isa = produced_by(arch)
    for target in TARGETS.values():
        if architecture(target.isa) is isa and (target.bits, target.byte_order) == (bits, order):
            return target
    raise TraceError(f"no target has processors of '{arch}' with {bits} bits", "", offset=0)


@dataclass(slots=True)
class _Others:
    """Records that stand before a value of the feed, and that no execution gives."""

    place: int
    order: int
    records: Array
    pc: int
    """Of the access that a hook wrote; 0 for other records."""
    signal: tuple[bool, int, int | None] | None
    """Whether a handler returns, its signal, and where that interrupted the program."""


@dataclass(slots=True)
class _Left:
    """Where control has left the code: by a call of other code, or by a signal."""

    link: int
    """Where the call returns to; 0: a signal."""
    stack: int
    state: bytes = b""
    """The registers; empty if the signal has interrupted other code."""


class Program:
    """What all threads have in common: code, and which instructions take values."""

    def __init__(self, tables: Tables, file: File, arch: str) -> None:
        self.tables, self.file = tables, file
        self.target = target_of(arch, file)
        self.words = words_of(arch)
        semantics = architecture(self.target.isa).part(Semantics)
        self.stack_pointer = architecture(self.target.isa).part(Conventions).stack_pointer
        self.link, self.beyond_link = semantics.link, semantics.beyond_link
        self.arch = arch
        recorded = self.words.recorded
        bias = np.uint64(tables.bias & (1 << 64) - 1)
        mask = np.uint64((1 << self.target.bits) - 1)
        self.items = np.unique(tables.pc.astype("u8"))
        """Of values that segments wrote."""
        arriving = tables.pc[tables.write].astype("u8")
        self.arriving = np.unique(arriving)
        what, _ = self.words.lookup(tables.code.at(tables.hooked)[0], arch)
        self.hooked = (tables.hooked + bias & mask)[what & READ != 0]
        """Loads whose values hooks write."""
        self.stores = tables.stores + bias & mask
        self.reported = np.union1d(self.stores, np.setdiff1d(self.items, self.arriving))
        self.code: list[tuple[int, bytes]] = []
        order = file.layout.order
        for start, end in tables.instrumented.tolist():
            places = np.uint64(start) + 4 * np.arange((end - start) // 4, dtype="u8")
            words, known = tables.code.at(places)
            first = int(np.uint64(start) + bias & mask)
            words = words.astype("i8")
            restored = np.isin(places + bias & mask, self.arriving)
            assert recorded.restores is not None
            words[restored] = recorded.restores(words[restored])
            self.code.append((first, words[known].astype(f"{order}u4").tobytes()))
        ends = [(first, first + len(code)) for first, code in self.code]
        self.starts, self.ends = np.array(ends, "u8").reshape(-1, 2).T
        owner = np.repeat(np.arange(len(tables.words)), np.diff(tables.first))
        entered = owner[tables.entered]
        where = tables.distance.astype("u8") + np.uint64(tables.image) + bias & mask
        rows = np.flatnonzero(tables.entered)
        _, firsts = np.unique(entered, return_index=True)
        pcs = tables.pc[rows[firsts]].astype("u8")
        entered = entered[firsts]
        self.entries = dict(zip(pcs.tolist(), where[entered].tolist(), strict=True))
        """Of the stores of the stack pointer where control may come with registers that are not
        known, where that code begins."""
        glue = np.array(tables.glue, "u8").reshape(-1, 2)
        self.glue = [(first + tables.bias & int(mask), size) for first, size in glue.tolist()]
        firsts, _ = tables.code.at(where - bias & mask)
        bits = self.target.bits
        found = [recorded.thread_word(word, bits) for word in np.unique(firsts).tolist()]
        self.cursor = min((one for one in found if one is not None), default=0)

    def is_instrumented(self, pc: int) -> bool:
        """Return whether an address is in code that is executed again."""
        place = int(np.searchsorted(self.starts, pc, side="right")) - 1
        return place >= 0 and pc < int(self.ends[place])

    def is_glue(self, pc: int) -> bool:
        """Return whether an address is that of an entry that a site calls."""
        return any(pc - first < size for first, size in self.glue if pc >= first)

    def first_item(self, pc: int) -> int:
        """Return the first instruction from one on that takes a value of a segment."""
        place = int(np.searchsorted(self.items, pc))
        return int(self.items[place]) if place < len(self.items) else (1 << 64) - 1

    def routine_at(self, pc: int) -> tuple[int, bytes] | None:
        """Return the code of a routine that saves or restores registers, which compilers share."""
        shared = self.words.recorded.saves_registers
        if shared is None:
            return None
        places = np.uint64(pc) + np.arange(-_LONGEST, _LONGEST + 1).astype("u8") * np.uint64(4)
        mask = np.uint64((1 << self.target.bits) - 1)
        words, known = self.tables.code.at(places - np.uint64(self.tables.bias & int(mask)) & mask)
        saves, returns = shared(words.astype("i8"))
        fits = known & saves & (places < (1 << self.target.bits))
        start = end = _LONGEST
        while end < 2 * _LONGEST and fits[end]:
            end += 1
        while start and fits[start - 1]:
            start -= 1
        if end == _LONGEST or not (known[end] and returns[end]):
            return None
        order = self.file.layout.order
        return int(places[start]), words[start : end + 1].astype(f"{order}u4").tobytes()

    def machine(self) -> Machine:
        """Return a processor for a thread."""
        machine = Machine(self.target)
        for first, code in self.code:
            machine.add_code(first, code)
        machine.set_reported(self.reported)
        machine.set_sites(np.union1d(self.items, self.hooked))
        return machine


class Reexecution:
    """The re-execution of one thread."""

    def __init__(self, program: Program, thread: int) -> None:
        self.program = program
        self.machine = program.machine()
        self.machine.set_feed(np.zeros(0, "u8"), np.zeros(0, "u8"))
        self._left: list[_Left] = []
        self._is_outside = True
        self._site = 0
        """Where an entry of glue returns to that a site has just called, and the access whose
        records have been given since."""
        self._given = 0
        self._pcs, self._values = np.zeros(0, "u8"), np.zeros(0, "u8")
        self._others: list[_Others] = []
        self._out = tuple(np.zeros(ROOM, kind) for kind in ("u8", "u8", "u8", "u4"))
        self.machine.set_outputs(*self._out)
        self._words = program.tables.code.at(
            program.reported - np.uint64(program.tables.bias & (1 << 64) - 1)
            & np.uint64((1 << program.target.bits) - 1)
        )[0]
        self._instr = (thread & 63) << 10 | (thread >> 6 & 15) << 6
        self._thread = thread
        self._ended = False

    def pieces(self, given: Pieces) -> Pieces:
        """Yield a thread's records with all accesses."""
        for order, records in given:
            self._take(order, records)
            yield from self._advance(final=False)
        yield from self._advance(final=True)

    # What the recording gives

    def _take(self, order: int, records: Array) -> None:
        """Take records: values for the feed, and others with their place among these."""
        codes = records["rtype"]
        instr = np.flatnonzero(codes == INSTR)
        pcs = records["first"][instr].astype("u8")
        is_item = np.isin(pcs, self.program.items)
        what, _ = self.program.words.lookup(records["word"][instr].astype("u4"), self.program.arch)
        group = np.cumsum(codes == INSTR) - 1
        values = (codes == MEMVAL) & (group >= 0)
        owner = group[values]
        fed = is_item[owner] | (what[owner] & READ != 0)
        feed = np.flatnonzero(values)[fed]
        kept = self.machine.feed_place
        base = len(self._pcs) - kept
        if kept:
            self._pcs, self._values = self._pcs[kept:], self._values[kept:]
            for one in self._others:
                one.place -= kept
        by_bytes = self.program.words.recorded.loads_bytes(records["word"][instr].astype("i8"))
        taken = records["second"][feed].astype("u8")
        counts = np.where(by_bytes[group[feed]], records["half"][feed] & SIZE, 1).astype("i8")
        if (counts != 1).any():
            taken, feed = _bytes(taken, counts), np.repeat(feed, counts)
        pcs, values = pcs[group[feed]], taken
        self._pcs = np.concatenate([self._pcs, pcs])
        self._values = np.concatenate([self._values, values])
        self.machine.set_feed(self._pcs, self._values)
        self._take_others(order, records, group, is_item, feed, base)

    def _take_others(
        self, order: int, records: Array, group: Array, is_item: Array, feed: Array, base: int
    ) -> None:
        codes = records["rtype"]
        access = (codes == INSTR) | (codes == MEMVAL)
        own = access & (group >= 0)
        of_item = np.zeros(len(records), bool)
        of_item[own] = is_item[group[own]]
        rest = np.flatnonzero(~of_item)
        places = base + np.searchsorted(feed, rest)
        starts = np.ones(len(rest), bool)
        starts[1:] = (
            (np.diff(rest) != 1)
            | (codes[rest[1:]] == INSTR)
            | (access[rest[:-1]] & ~access[rest[1:]])
        )
        signals = np.flatnonzero(np.isin(rest, may_be_signals(records)))
        for row in signals.tolist():
            first = row
            while first and codes[rest[first - 1]] == EVENT_TEXT:
                first -= 1
            starts[first] = True
            starts[row + 2 : row + 3] = True
        cuts = [*np.flatnonzero(starts).tolist(), len(rest)]
        for first, end in itertools.pairwise(cuts):
            some = records[rest[first:end]]
            pc = int(some["first"][0]) if some["rtype"][0] == INSTR else 0
            begins = order if not first and rest[0] == 0 else UNORDERED
            signal = None
            if len(some) > 1 and some["rtype"][-2] == EVENT_RECORD and some["flags"][-2] == 0:
                signal = signal_of(some[:-1])
            self._others.append(_Others(int(places[first]), begins, some, pc, signal))
        if order != UNORDERED and not (len(rest) and rest[0] == 0):
            raise self._error("records of a thread that do not begin with their order")

    # Execution

    def _advance(self, final: bool) -> Pieces:
        machine = self.machine
        while not self._ended:
            if self._is_outside:
                more = yield from self._come_back(final)
                if not more:
                    return
                continue
            if self._site:
                yield from self._hooked_access()
                if self._site and not final:
                    return
                self._site = self._given = 0
            limit = max(self._limit(), machine.feed_place)
            first = self._others[0] if self._others else None
            if first and first.signal and first.place <= machine.feed_place:
                yield from self._interrupt(first.signal[2])
                continue
            machine.limit_feed(limit)
            stop = yield from self._run_on()
            if stop.reason is Reason.FEED_END and self._is_before_signal(limit):
                machine.limit_feed(limit + 1)
                machine.run(1)
            elif stop.reason is Reason.FEED_END and self._others_come(stop, limit):
                yield from self._flushed()
                yield from self._give(1)
            elif stop.reason is Reason.FEED_END:
                yield from self._flushed()
                if final and machine.feed_place < len(self._pcs):
                    raise self._refusal(stop)
                self._ended = final
                return
            elif stop.reason is Reason.OUTSIDE:
                self._leave(stop)
            else:
                raise self._refusal(stop)

    def _limit(self) -> int:
        """Return how many values may be taken before others are given.

        Before a signal it is one less: the execution has to stop as soon as the last is taken.
        """
        if not self._others:
            return len(self._pcs)
        first = self._others[0]
        return first.place - 1 if first.signal else first.place

    def _others_come(self, stop: Stop, limit: int) -> bool:
        """Return whether others come before the next value, or state the next access's values."""
        if not self._others:
            return False
        return limit <= self.machine.feed_place or self._others[0].pc == stop.pc

    def _is_before_signal(self, limit: int) -> bool:
        """Return whether a signal comes after the next value."""
        first = self._others[0] if self._others else None
        return bool(first and first.signal) and self.machine.feed_place == limit

    def _leave(self, stop: Stop) -> None:
        """Go on after a call of glue, or wait where control comes back from other code."""
        machine, program = self.machine, self.program
        link = machine.register(program.link) + program.beyond_link
        if program.is_glue(stop.pc):
            machine.go_to(link)
            self._set_buffer()
            self._site = link
            return
        if link != stop.pc and program.is_instrumented(link):
            stack = machine.register(program.stack_pointer)
            self._left.append(_Left(link, stack, machine.saved()))
        self._is_outside = True

    def _hooked_access(self) -> Pieces:
        """Give the records that a hook has just written for an access near its call.

        They may be several, between which a chunk of the recording may end. All are there when the
        record of something else follows, or a value.
        """
        place = self.machine.feed_place
        while True:
            number = next((n for n, one in enumerate(self._others) if one.pc), -1)
            if number < 0 or self._others[number].place > place:
                break
            pc = self._others[number].pc
            if self._given not in (0, pc) or abs(pc - self._site) > _NEAR:
                break
            yield from self._flushed()
            self._given = pc
            yield from self._give(number + 1)
        if number >= 0 or len(self._pcs) > place:
            self._site = self._given = 0

    def _come_back(self, final: bool) -> Generator[tuple[int, Array], None, bool]:
        """Find where control comes back; return whether that is known yet."""
        machine, program = self.machine, self.program
        place = machine.feed_place
        yield from self._flushed()
        while self._others and self._others[0].place <= place:
            one = self._others[0]
            if one.pc and program.is_instrumented(one.pc):
                break
            if one.signal and self._is_after_return(one.signal[2]):
                return True
            yield from self._give(1)
            if one.signal and not one.signal[0]:
                self._left.append(_Left(0, machine.register(program.stack_pointer)))
            elif one.signal and self._goes_on():
                return True
        if place >= len(self._pcs):
            if final:
                self._ended = True
                yield from self._give(len(self._others))
            return False
        pc, value = int(self._pcs[place]), int(self._values[place])
        if self._is_after_return(pc):
            return True
        if pc in program.entries:
            while self._left and self._left[-1].stack < value:
                self._left.pop()  # of frames that a jump has left
            machine.go_to(program.entries[pc])
            machine.set_register(program.link, _NO_CODE - program.beyond_link)
        else:
            raise self._error(f"control comes back to {pc:#x} in a way that is not followed yet")
        self._is_outside = False
        return True

    def _is_after_return(self, pc: int | None) -> bool:
        """Return whether the last call that has left the code has returned before this address."""
        back = self._left[-1].link if self._left else 0
        if not back or pc is None or not back <= pc <= self.program.first_item(back):
            return False
        self.machine.restore(self._left.pop().state)  # what calls preserve
        self.machine.go_to(back)
        self._is_outside = False
        return True

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
        return bool(state)

    def _interrupt(self, pc: int | None) -> Pieces:
        """Execute up to where a signal interrupted the code, whose event is the next of others."""
        machine, program = self.machine, self.program
        if pc is not None and program.is_instrumented(pc):
            yield from self._run_to(pc)
        else:
            stop = yield from self._run_on()
            if stop.reason is Reason.OUTSIDE:
                self._leave(stop)
                if self._is_outside:
                    return  # the signal has interrupted other code
            elif stop.reason is not Reason.FEED_END:
                raise self._refusal(stop)
        yield from self._flushed()
        yield from self._give(1)
        stack = machine.register(program.stack_pointer)
        self._left.append(_Left(0, stack, machine.saved()))
        self._is_outside = True

    def _run_to(self, pc: int) -> Pieces:
        """Execute up to an address, which has to be reached once before the next value is taken."""
        machine = self.machine
        machine.set_breakpoints([pc])
        stop = yield from self._run_on()
        if stop.reason is Reason.BREAK:
            state, count = machine.saved(), machine.output_count
            again = machine.run()
            machine.restore(state)
            machine.output_count = count
            if again.reason is Reason.BREAK:
                raise self._error(
                    f"a signal interrupted a loop at {pc:#x} that loads nothing: in which of its "
                    "rounds is not recorded"
                )
        machine.set_breakpoints([])
        if stop.reason not in (Reason.BREAK, Reason.FEED_END):
            raise self._refusal(stop)

    def _run_on(self) -> Generator[tuple[int, Array], None, Stop]:
        """Execute until something else than full columns stops it."""
        while True:
            stop = self.machine.run()
            if stop.reason is Reason.OUTPUT_FULL:
                yield from self._flushed()
            elif not self._provides(stop):
                return stop

    def _provides(self, stop: Stop) -> bool:
        """Give what the code misses to go on: a buffer, or a routine; return whether it does."""
        if stop.reason is Reason.UNKNOWN_MEMORY:
            return self._gives_buffer(stop)
        routine = self.program.routine_at(stop.pc) if stop.reason is Reason.OUTSIDE else None
        if routine:
            self.machine.add_code(*routine)
        return routine is not None

    def _gives_buffer(self, stop: Stop) -> bool:
        """Give the code that records a buffer; return whether that is what it misses."""
        program, width = self.program, self.program.target.bits // 8
        distance = program.words.recorded.thread_word(stop.word, 8 * width)
        if distance is None or not 0 <= distance - program.cursor <= width:
            return False
        self._cursor = stop.address - distance + program.cursor
        self._set_buffer()
        return True

    def _set_buffer(self) -> None:
        width, order = self.program.target.bits // 8, self.program.target.byte_order
        numbers = (BUFFER, BUFFER_LIMIT)
        data = b"".join(number.to_bytes(width, order) for number in numbers)  # type: ignore[arg-type]
        self.machine.write(self._cursor, data)

    # What comes out

    def _give(self, count: int) -> Pieces:
        """Yield others; accesses executed so far have been."""
        for one in self._others[:count]:
            yield one.order, one.records
        del self._others[:count]

    def _flushed(self) -> Pieces:
        """Yield the records of the accesses executed so far."""
        count = self.machine.output_count
        if not count:
            return
        pc, address, value, kind = (column[:count] for column in self._out)
        records = np.zeros((count, 2), RECORD)
        records["rtype"] = INSTR, MEMVAL
        instr, values = records[:, 0], records[:, 1]
        instr["flags"], instr["half"] = EA_VALID, self._instr
        instr["word"] = self._words[np.searchsorted(self.program.reported, pc)]
        instr["first"], instr["second"] = pc, address
        values["flags"] = VIRTUAL | self._thread >> 8 & 3
        values["half"] = (self._thread & 255) << 8 | (kind & SIZE)
        values["first"], values["second"] = address, value
        self.machine.output_count = 0
        yield UNORDERED, records.reshape(-1)

    def _refusal(self, stop: Stop) -> TraceError:
        """Return the error for an instruction that cannot be executed."""
        text = self.program.words.text(self.program.arch)(stop.word, stop.pc)
        reasons = {
            Reason.FEED_END: "the recording has too few values for it",
            Reason.DIVERGED: "the recording has another access's value next",
            Reason.UNKNOWN_MEMORY: f"what memory holds at {stop.address:#x} is not known",
            Reason.SYSTEM_CALL: "system calls of instrumented code are not re-executed yet",
            Reason.UNKNOWN_INSTRUCTION: "the instruction is not known",
            Reason.TRAP: "the trap would be taken",
        }
        why = reasons.get(stop.reason, stop.reason.name.lower())
        return self._error(f"cannot re-execute `{text}` at {stop.pc:#x}: {why}")

    def _error(self, message: str) -> TraceError:
        return TraceError(message, self.program.file.container.name, offset=0)
