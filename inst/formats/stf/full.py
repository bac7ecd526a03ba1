"""STF with every instruction that was executed and the registers that it changed.

What changed between two instructions, in code that is not in the trace, stands in a second R line
of the first of them (see docs/formats/stf.md).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from operator import add

import numpy as np

from inst.arch.registry import is_wide
from inst.formats.stf.columns import FLOATING, NUMBERS, REGISTERS
from inst.formats.stf.instructions import STATUS_NAMES
from inst.formats.stf.many import register_lines_of, status_lines
from inst.formats.stf.record import (
    STATUS,
    instruction_line,
    make_header,
    make_state,
    register_lines,
)
from inst.replay.executed import Executed
from inst.replay.library import Unit
from inst.replay.machine import BETWEEN, SIZE, WRITTEN
from inst.trace.model import Array
from inst.trace.writing import Output

_FIRST_STATUS = 64
_NONE = 255
_PER_WRITE = 1 << 12
"""Instructions of which the text is made at once."""


@dataclass(frozen=True, slots=True)
class Bound:
    """Where a trace begins or ends: before an instruction, by its number or address."""

    number: int | None = None
    """How many instructions were executed before it."""
    address: int | None = None


BEGINNING, END = Bound(number=0), Bound()


@dataclass(frozen=True, slots=True)
class Selection:
    """What of an execution is written."""

    start: Bound = BEGINNING
    stop: Bound = END
    general: bool = True
    floating: bool = True
    status: bool = True
    """The status registers before each instruction."""
    whole: bool = False
    """All registers after each instruction, not only those that changed."""
    memory: bool = False
    """The accesses after each instruction."""
    thread: int | None = None
    """Only this thread's instructions."""


@dataclass(slots=True)
class _Waiting:
    """An instruction whose successor is not known yet."""

    thread: int
    text: bytes
    changed: dict[int, int]
    """The registers to state after it."""
    own: frozenset[int]
    """Those that the instruction has changed."""
    held: list[int] | None = None
    """The registers as they were after it, once anything else may have changed one."""
    touched: set[int] = field(default_factory=set)
    """The registers that may have changed since then."""
    accesses: list[tuple[int, int, int]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Changes:
    """Changes of registers in the order of time."""

    keys: Array
    """i8: twice the place of the instruction, and 1 more for a change of its own, not of other
    code before it."""
    numbers: Array
    """u1: of `REGISTERS`."""
    values: Array
    """u8."""


class FullWriter:
    """Writes instructions as they are executed again; of several threads in turn."""

    def __init__(
        self,
        output: Output,
        trace: str,
        selection: Selection,
        units: tuple[Unit, ...],
        arch: str,
        executed: int = 0,
        *,
        continues: bool = False,
    ) -> None:
        """Begin after some instructions that were executed already.

        If it `continues` what they are written to, it writes neither header nor first registers.
        """
        from inst.words.disassemble import disassembler

        self._output, self._trace, self._selection = output, trace, selection
        self._arch, self._wide = arch, is_wide(arch)
        self._digits = 16 if self._wide else 8
        self._numbers = np.array([_number(unit) for unit in units], "u1")
        self._text = disassembler(arch)
        self._lines: dict[int, bytes] = {}
        self._is_rich = selection.whole or selection.memory
        """Lines have more than changes."""
        self._held = [0] * len(REGISTERS)
        self._of_threads: dict[int, list[int]] = {}
        self._thread: int | None = None
        self._count, self._continues = executed, continues
        """How many instructions were executed so far, written or not."""
        self._started = self.ended = False
        self._waiting: _Waiting | None = None
        self.written = 0
        self.switches = 0
        """How often another thread's instructions follow."""

    def take(self, executed: Executed) -> None:
        """Write instructions as far as they are selected."""
        chosen = self._selection.thread
        if self.ended or (chosen is not None and executed.thread != chosen):
            self._count += len(executed.pc)
            return
        self._turn_to(executed.thread)
        start, end = self._range(executed.pc)
        self._count += len(executed.pc)
        numbers = self._numbers[executed.unit & np.uint32(BETWEEN - 1)]
        known = numbers != _NONE
        rows, numbers = executed.row[known].astype("i8"), numbers[known]
        keys = _own_keys(rows) - (executed.unit[known] & np.uint32(BETWEEN) != 0)
        values = self._fitting(numbers, executed.value[known])
        at = int(np.searchsorted(keys, 2 * start))
        self._hold_all([*zip(numbers[:at].tolist(), values[:at].tolist(), strict=True)])
        accesses = self._accesses(executed)
        cuts = [start, *range(start + _PER_WRITE, end, _PER_WRITE), end]
        for first, last in pairwise(cuts):
            # what changes before the instruction after the last one belongs to that
            over = int(np.searchsorted(keys, 2 * last, "right" if last == end else "left"))
            cut, at = slice(at, over), over
            changes = _Changes(keys[cut] - 2 * first, numbers[cut], values[cut])
            self._write(executed, first, last, changes, accesses)

    def finish(self) -> None:
        """Write what waits."""
        if not self.written:
            self._begin()
        if self._waiting:
            self._output.write(self._waiting.text + self._rest(self._waiting))

    def _turn_to(self, thread: int) -> None:
        """Let the registers be a thread's."""
        if thread == self._thread:
            return
        self._keep_held()
        if self._waiting:
            self._waiting.touched.update(range(_FIRST_STATUS))
            self.switches += 1
        self._thread = thread
        self._held = self._of_threads.setdefault(thread, [0] * len(REGISTERS))

    def _keep_held(self) -> None:
        """Keep the registers after the instruction that waits: something else changes them."""
        if self._waiting and self._waiting.held is None:
            self._waiting.held = [*self._held]

    def _range(self, pc: Array) -> tuple[int, int]:
        """Return which of the next instructions are written: the first, and the one after them."""
        start, stop = self._selection.start, self._selection.stop
        first = 0 if self._started else _place(start, pc, self._count, 0)
        self._started = self._started or first < len(pc)
        # an address that the trace begins at does not end it at once
        behind = first + (not self.written and start.address is not None)
        end = _place(stop, pc, self._count, behind)
        self.ended = self._started and end < len(pc)
        return first, max(first, end)

    def _fitting(self, numbers: Array, values: Array) -> Array:
        """Return values without the bits that STF has no digits for."""
        floating = (numbers >= FLOATING) & (numbers < _FIRST_STATUS)
        mask = np.where(floating | self._wide, np.uint64((1 << 64) - 1), np.uint64((1 << 32) - 1))
        return np.asarray(values & mask)

    def _write(
        self,
        executed: Executed,
        start: int,
        end: int,
        changes: _Changes,
        accesses: dict[int, list[tuple[int, int, int]]],
    ) -> None:
        """Write instructions of a range; the last one waits."""
        count, at = end - start, int(np.searchsorted(changes.keys, 1))
        statuses = self._statuses(changes, count)
        listed = [*zip(changes.numbers.tolist(), changes.values.tolist(), strict=True)]
        self._change_all_before(listed[:at])
        if not count:
            return
        if self._waiting:
            self._output.write(self._waiting.text + self._rest(self._waiting))
        elif not self.written:
            self._begin()
        lines = self._lines_of(executed.pc[start:end], executed.word[start:end])
        rests, written = self._rests(changes, count), self.written
        for place, own, later, over in self._that_wait(changes, count):
            self._hold_all(listed[at:own])
            self.written, at = written + place, over
            text, found = statuses[place] + lines[place], accesses.get(start + place, [])
            waiting = self._let_wait(executed.thread, text, listed[own:later], found)
            self._change_all_before(listed[later:over])
            if place + 1 < count:
                rests[place] = self._rest(waiting)
        self.written = written + count
        parts = [b""] * (3 * count - 3)
        parts[::3], parts[1::3], parts[2::3] = statuses[:-1], lines[:-1], rests[:-1]
        self._output.write(b"".join(parts))

    def _statuses(self, changes: _Changes, count: int) -> list[bytes]:
        """Return the status line before each instruction."""
        if not self._selection.status:
            return [b""] * count
        chosen = changes.numbers >= _FIRST_STATUS
        keys, numbers, values = (
            changes.keys[chosen],
            changes.numbers[chosen],
            changes.values[chosen],
        )
        table = np.empty((len(keys) + 1, len(STATUS)), "u8")
        for column, held in enumerate(self._held[_FIRST_STATUS:]):
            is_changed = numbers == _FIRST_STATUS + column
            last = np.maximum.accumulate(np.where(is_changed, np.arange(len(keys)), -1))
            table[0, column] = held
            table[1:, column] = np.where(last < 0, np.uint64(held), values[last])
        lines = status_lines(table, self._digits)
        before = np.searchsorted(keys, _own_keys(np.arange(count)))
        return [lines[number] for number in before.tolist()]

    def _lines_of(self, pcs: Array, words: Array) -> list[bytes]:
        """Return the lines of the instructions themselves."""
        known, wanted = self._lines, pcs.tolist()
        try:
            return [known[pc] for pc in wanted]
        except KeyError:
            for pc, word in zip(wanted, words.tolist(), strict=True):
                if pc not in known:
                    mnemonic = self._text(word, pc).partition(" ")[0]
                    known[pc] = instruction_line(pc, word, mnemonic, self._digits)
        return [known[pc] for pc in wanted]

    def _rests(self, changes: _Changes, count: int) -> list[bytes]:
        """Return the lines of the registers that each instruction has changed itself."""
        is_own, numbers = changes.keys & 1 == 1, changes.numbers
        rests = [b""] * count
        for bank, first, digits, is_selected in (
            ("R", 0, self._digits, self._selection.general),
            ("F", FLOATING, 16, self._selection.floating),
        ):
            chosen = is_own & (numbers >= first) & (numbers < first + FLOATING)
            if is_selected and chosen.any():
                values, places = changes.values[chosen], changes.keys[chosen] >> 1
                lines = register_lines_of(
                    count, places, bank, numbers[chosen] - first, values, digits
                )
                rests = [*map(add, rests, lines)] if first else lines
        return rests

    def _that_wait(self, changes: _Changes, count: int) -> list[tuple[int, int, int, int]]:
        """Return the instructions whose lines depend on what comes before the next one.

        Beside its place, each has where its own changes begin, those before the next, and others.
        """
        is_waiting = np.full(count, self._is_rich)
        is_waiting[0] |= not self.written
        is_waiting[-1] = True
        before = changes.keys[changes.keys & 1 == 0]
        is_waiting[(before[before > 0] >> 1) - 1] = True
        places = np.flatnonzero(is_waiting)
        keys = _own_keys(places)
        cuts = (np.searchsorted(changes.keys, keys + more).tolist() for more in range(3))
        return [*zip(places.tolist(), *cuts, strict=True)]

    def _let_wait(
        self,
        thread: int,
        text: bytes,
        own: list[tuple[int, int]],
        accesses: list[tuple[int, int, int]],
    ) -> _Waiting:
        """Let an instruction wait for what is known only before the next one."""
        self._hold_all(own)
        changed = dict(own)
        waiting = _Waiting(
            thread, text, self._stated(changed), frozenset(changed), accesses=accesses
        )
        self._waiting = waiting
        return waiting

    def _hold_all(self, changes: list[tuple[int, int]]) -> None:
        for number, value in changes:
            self._held[number] = value

    def _stated(self, changed: dict[int, int]) -> dict[int, int]:
        """Return the registers to state after an instruction that has changed some."""
        if self._selection.whole:
            return dict(enumerate(self._held))
        if not self.written and not self._continues:  # one of each kind: both are recorded
            return {number: self._held[number] for number in (0, FLOATING)} | changed
        return changed

    def _change_all_before(self, changes: list[tuple[int, int]]) -> None:
        """Note what other code changed after the instruction that waits.

        If that has changed the same register, it read what is only known now.
        """
        waiting = self._waiting
        for number, value in changes:
            if waiting and number in waiting.own and waiting.thread == self._thread:
                waiting.changed[number] = value
            else:
                self._keep_held()
            if waiting:
                waiting.touched.add(number)
            self._held[number] = value

    def _accesses(self, executed: Executed) -> dict[int, list[tuple[int, int, int]]]:
        """Return the accesses of instructions: address, value and kind."""
        found: dict[int, list[tuple[int, int, int]]] = {}
        if self._selection.memory:
            columns = executed.access_row, executed.address, executed.accessed, executed.kind
            for row, *access in zip(*(each.tolist() for each in columns), strict=True):
                found.setdefault(row, []).append((access[0], access[1], access[2]))
        return found

    def _begin(self) -> None:
        """Write the header, and all registers as they are before the first instruction."""
        if self._continues:
            return
        header = {"OPTIONS": "0", "TRACE": self._trace, "VERSION": "inst replay"}
        header["arch"] = self._arch
        registers = {REGISTERS[n]: self._held[n] for n in range(_FIRST_STATUS)}
        state = make_state(registers, wide=self._wide)
        self._output.write(make_header(header).text + state.text)

    def _rest(self, waiting: _Waiting) -> bytes:
        """Return the registers and accesses after an instruction, which waits no longer."""
        self._waiting = None
        changed, later = self._named(waiting.changed), self._named(self._later(waiting))
        if later:  # two R lines: what is in neither may stand in both
            same = next(number for number in range(32) if REGISTERS[number] not in later)
            changed = changed or {REGISTERS[same]: self._held[same]}
            if not any(name[0] == "R" for name in later):
                later["R00"] = self._held[0]
        text = register_lines(changed, self._wide)
        if later:
            text += register_lines(later, self._wide)
        return text + b"".join(_access_line(*one, self._digits) for one in waiting.accesses)

    def _later(self, waiting: _Waiting) -> dict[int, int]:
        """Return what has changed after an instruction, and before the one that follows."""
        if waiting.held is None:
            return {}
        old, new = waiting.held, self._held
        changed = (number for number in waiting.touched if old[number] != new[number])
        return {number: new[number] for number in changed if number < _FIRST_STATUS}

    def _named(self, registers: dict[int, int]) -> dict[str, int]:
        """Return general and floating-point registers that are selected, by their names."""
        selected = self._selection
        return {
            REGISTERS[number]: value
            for number, value in registers.items()
            if (selected.general if number < FLOATING else selected.floating)
            and number < _FIRST_STATUS
        }


def _number(unit: Unit) -> int:
    """Return the number that STF's columns have for a unit; _NONE: there is none."""
    names = {f"r{n}": n for n in range(32)} | {f"f{n}": FLOATING + n for n in range(32)}
    names |= {ours: NUMBERS[name] for name, ours in STATUS_NAMES.items()}
    names["cr"] = NUMBERS["CCR"]
    return names.get(unit.register, _NONE)


def _own_keys(places: Array) -> Array:
    """Return the keys of changes that instructions do themselves."""
    return 2 * places + 1


def _place(bound: Bound, pc: Array, count: int, first: int) -> int:
    """Return the first of the next instructions, from one on, that a bound is before."""
    if bound.number is not None:
        return min(max(bound.number - count, first), len(pc))
    if bound.address is None:
        return len(pc)
    found = np.flatnonzero(pc[first:] == bound.address)
    return first + int(found[0]) if len(found) else len(pc)


def _access_line(address: int, value: int, kind: int, digits: int) -> bytes:
    letters = "ST" if kind & WRITTEN else "LD"
    size = kind & SIZE
    return f"{letters}A = {address:0{digits}x} {letters}V = {value:0{2 * size}x}\n".encode()
