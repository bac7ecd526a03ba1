"""STF with every instruction that was executed and the registers that it changed.

What changed between two instructions, in code that is not in the trace, stands in a second R line
of the first of them (see docs/formats/stf.md).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from inst.arch.registry import is_wide
from inst.formats.stf.columns import FLOATING, NUMBERS, REGISTERS
from inst.formats.stf.instructions import STATUS_NAMES
from inst.formats.stf.record import (
    STATUS,
    instruction_line,
    make_header,
    make_state,
    register_lines,
    status_line,
)
from inst.replay.executed import Executed
from inst.replay.library import Unit
from inst.replay.machine import BETWEEN, SIZE, WRITTEN
from inst.trace.model import Array
from inst.trace.writing import Output

_FIRST_STATUS = 64
_NONE = 255
_PER_WRITE = 1 << 12
"""Instructions of which the text is written at once."""


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
    accesses: list[tuple[int, int, int]] = field(default_factory=list)


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
        self._wide = is_wide(arch)
        self._digits = 16 if self._wide else 8
        self._numbers = np.array([_number(unit) for unit in units], "u1")
        self._text = disassembler(arch)
        self._lines: dict[int, bytes] = {}
        self._is_rich = selection.whole or selection.memory
        """Lines have more than changes."""
        self._general = b"%sR%02d = %016x" if self._wide else b"%sR%02d = %08x"
        self._held = [0] * len(REGISTERS)
        self._of_threads: dict[int, list[int]] = {}
        self._thread: int | None = None
        self._count, self._continues = executed, continues
        """How many instructions were executed so far, written or not."""
        self._started = self.ended = False
        self._waiting: _Waiting | None = None
        self._status = b""
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
        between = executed.unit[known] & np.uint32(BETWEEN) != 0
        values = self._fitting(numbers, executed.value[known])
        before = int(np.searchsorted(rows, start))
        for number, value in zip(numbers[:before].tolist(), values[:before].tolist(), strict=True):
            self._held[number] = value
        # what changes before the instruction after the last one belongs to that
        after = int(np.searchsorted(rows, end, "right"))
        cut = slice(before, after)
        self._write(executed, start, end, rows[cut], numbers[cut], values[cut], between[cut])

    def finish(self) -> None:
        """Write what waits."""
        if not self.written:
            self._begin()
        if self._waiting:
            self._output.write(self._whole(self._waiting))
            self._waiting = None

    def _turn_to(self, thread: int) -> None:
        """Let the registers be a thread's."""
        if thread == self._thread:
            return
        self._keep_held()
        self.switches += self._waiting is not None
        self._thread, self._status = thread, b""
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
        rows: Array,
        numbers: Array,
        values: Array,
        between: Array,
    ) -> None:
        cuts = np.searchsorted(rows[~between], np.arange(start, end + 1)).tolist()
        changes = [*zip(numbers[~between].tolist(), values[~between].tolist(), strict=True)]
        before = self._between(rows, numbers, values, between)
        words, accesses = executed.word.tolist(), self._accesses(executed)
        parts: list[bytes] = []
        for row, pc in enumerate(executed.pc[start:end].tolist(), start):
            if row in before:
                for number, value in before[row]:
                    self._change_before(number, value)
            if self._waiting:
                parts.append(self._whole(self._waiting))
                self._waiting = None
            elif not self.written:
                self._begin()
            text = self._before() + self._line(pc, words[row])
            own = changes[cuts[row - start] : cuts[row - start + 1]]
            if row + 1 in before or row + 1 == end or not self.written or self._is_rich:
                self._let_wait(executed.thread, text, own, accesses.get(row, []))
            else:
                parts.append(text + self._after(own))
            self.written += 1
            if len(parts) >= _PER_WRITE:
                self._output.write(b"".join(parts))
                parts.clear()
        for number, value in before.get(end, ()):
            self._change_before(number, value)
        self._output.write(b"".join(parts))

    def _between(
        self, rows: Array, numbers: Array, values: Array, between: Array
    ) -> dict[int, list[tuple[int, int]]]:
        """Return what other code has changed before instructions."""
        found: dict[int, list[tuple[int, int]]] = {}
        columns = (each[between].tolist() for each in (rows, numbers, values))
        for row, number, value in zip(*columns, strict=True):
            found.setdefault(row, []).append((number, value))
        return found

    def _let_wait(
        self,
        thread: int,
        text: bytes,
        own: list[tuple[int, int]],
        accesses: list[tuple[int, int, int]],
    ) -> None:
        """Let an instruction wait for what is known only before the next one."""
        for number, value in own:
            self._hold(number, value)
        changed = dict(own)
        stated = self._stated(changed)
        self._waiting = _Waiting(thread, text, stated, frozenset(changed), accesses=accesses)

    def _after(self, own: list[tuple[int, int]]) -> bytes:
        """Return the lines of the registers that an instruction has changed."""
        lines = b""
        held, selected = self._held, self._selection
        for number, value in own:
            held[number] = value
            if number < FLOATING:
                if selected.general:
                    lines += self._general % (b" " if lines else b"", number, value)
            elif number >= _FIRST_STATUS:
                self._status = b""
        lines += b"\n" if lines else b""
        if selected.floating:
            floating = [each for each in own if FLOATING <= each[0] < _FIRST_STATUS]
            pairs = (b"F%02d = %016x" % (number - FLOATING, value) for number, value in floating)
            lines += b" ".join(pairs) + b"\n" if floating else b""
        return lines

    def _hold(self, number: int, value: int) -> None:
        self._held[number] = value
        if number >= _FIRST_STATUS:
            self._status = b""

    def _stated(self, changed: dict[int, int]) -> dict[int, int]:
        """Return the registers to state after an instruction that has changed some."""
        if self._selection.whole:
            return dict(enumerate(self._held))
        if not self.written and not self._continues:  # one of each kind: both are recorded
            return {number: self._held[number] for number in (0, FLOATING)} | changed
        return changed

    def _change_before(self, number: int, value: int) -> None:
        """Note what other code changed after the instruction that waits.

        If that has changed the same register, it read what is only known now.
        """
        waiting = self._waiting
        if waiting and number in waiting.own and waiting.thread == self._thread:
            waiting.changed[number] = value
        else:
            self._keep_held()
        self._hold(number, value)

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
        registers = {REGISTERS[n]: self._held[n] for n in range(_FIRST_STATUS)}
        state = make_state(registers, wide=self._wide)
        self._output.write(make_header(header).text + state.text)

    def _before(self) -> bytes:
        """Return the status line before an instruction."""
        if not self._selection.status:
            return b""
        if not self._status:
            status = {name: self._held[NUMBERS[name]] for name in STATUS}
            self._status = status_line(status, self._digits)
        return self._status

    def _line(self, pc: int, word: int) -> bytes:
        found = self._lines.get(pc)
        if found is None:
            mnemonic = self._text(word, pc).partition(" ")[0]
            found = self._lines[pc] = instruction_line(pc, word, mnemonic, self._digits)
        return found

    def _whole(self, waiting: _Waiting) -> bytes:
        """Return an instruction with the registers after it."""
        changed, later = self._named(waiting.changed), self._named(self._later(waiting))
        if later:  # two R lines: what is in neither may stand in both
            general = dict.fromkeys(f"R{n:02d}" for n in range(32))
            same = next(name for name in general if name not in later)
            changed = changed or {same: self._held[NUMBERS[same]]}
            if not any(name[0] == "R" for name in later):
                later["R00"] = self._held[0]
        text = waiting.text + register_lines(changed, self._wide)
        if later:
            text += register_lines(later, self._wide)
        return text + b"".join(_access_line(*one, self._digits) for one in waiting.accesses)

    def _later(self, waiting: _Waiting) -> dict[int, int]:
        """Return what has changed after an instruction, and before the one that follows."""
        if waiting.held is None:
            return {}
        pairs = zip(waiting.held[:_FIRST_STATUS], self._held[:_FIRST_STATUS], strict=True)
        return {number: new for number, (old, new) in enumerate(pairs) if new != old}

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
