"""A processor that executes again: registers, memory, code, and the values that loads take."""

from __future__ import annotations

import bisect
import contextlib
import ctypes
import functools
import weakref
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from inst.arch.registry import architecture
from inst.errors import InstError
from inst.replay.library import (
    Control,
    Reason,
    fields_of,
    load,
    state_type,
    units_of,
)
from inst.replay.marks import Marks
from inst.replay.model import Semantics
from inst.replay.returns import Returns
from inst.target.model import Target

Array = npt.NDArray[Any]
SIZE, WRITTEN, CONTINUED, FRAME = 0xFF, 0x100, 0x200, 0x400
"""Of a reported access's kind: its bytes; a store; not the first row of its instruction."""
BETWEEN = 0x8000
"""Of a changed unit: no instruction of the run has changed it."""
WHOLE_LIMIT = (1 << 64) - 1
"""Of `run`: until something else stops it."""
_FIRST = np.dtype([("address", "u8"), ("value", "u1")], align=True)
"""`struct first` of the interpreter."""
LOADED, STORED = 1, 2
"""Kinds of watched accesses."""


class Stop(NamedTuple):
    """Where the interpreter stopped, and why."""

    reason: Reason
    pc: int
    word: int
    """The instruction there, which has not been executed; 0 outside the code."""
    executed: int
    """Instructions executed since `run` was called."""
    address: int
    size: int
    """For UNKNOWN_MEMORY: the place of the load, of which at least a byte is not known; for
    WATCHED: that of the access."""
    kind: int = 0
    """For WATCHED: LOADED or STORED."""


class WatchedMemory(NamedTuple):
    """Memory that is watched."""

    address: int
    size: int
    kinds: int
    """LOADED, STORED or both."""


class KeptMemory:
    """The memory of a machine as it was."""

    def __init__(self, library: ctypes.CDLL, machine: int) -> None:
        self.handle = library.inst_keep(machine)
        if not self.handle:
            raise MemoryError
        weakref.finalize(self, library.inst_drop, self.handle)


class Machine(Marks, Returns):
    """One processor of a target.

    `state` has the registers by the names of `inst.replay.library.fields_of`, numbers of the width
    of the program where a field has none of its own: `state.g[3]`, `state.pc`.
    """

    def __init__(self, target: Target) -> None:
        self.target = target
        self._library = load(target)
        self._machine = self._library.inst_new()
        if not self._machine:
            raise MemoryError
        self._end = weakref.finalize(self, self._library.inst_free, self._machine)
        self.state: Any = state_type(target).from_address(self._library.inst_state(self._machine))
        self._control = Control.from_address(self._library.inst_control(self._machine))
        semantics = architecture(target.isa).part(Semantics)
        self.units = units_of(target)
        """What the numbers of changed units are."""
        self._places = semantics.registers(target.bits)
        self.bit_fields = semantics.bit_fields
        """Registers that are bits of a field: the field, the lowest bit, and how many."""
        self._unwritten = semantics.unwritten
        self._leave_windows, self._enter_window = semantics.leave_windows, semantics.enter_window
        self._wider = {field.name for field in fields_of(target) if field.wider}
        self._kept: dict[str, tuple[Array, ...]] = {}
        self._code: list[tuple[int, int]] = []

    def registers(self) -> dict[str, int]:
        """Return the registers by their names in `inst.isa`."""
        return {name: self.register(name) for name in (*self._places, *self.bit_fields)}

    def registers_and_pc(self) -> dict[str, int]:
        """Return the registers, and as `pc` the address of the next instruction."""
        return self.registers() | {"pc": int(self.state.pc)}

    def register(self, name: str) -> int:
        """Return a register by its name in `inst.isa`."""
        if name in self.bit_fields:
            field, lowest, bits = self.bit_fields[name]
            return int(getattr(self.state, field)) >> lowest & (1 << bits) - 1
        field, place = self._places[name]
        value: Any = getattr(self.state, field)
        for index in place:
            value = value[index]
        if isinstance(value, ctypes.Array):
            return functools.reduce(lambda whole, part: whole << 64 | part, value, 0)
        return int(value) & ((1 << self.target.bits) - 1 if field in self._wider else -1)

    def is_unwritten(self, name: str) -> bool:
        """Return whether a register has not been written since its window began.

        On a processor it holds what is left of an earlier window.
        """
        mask = (1 << self.target.bits) - 1
        unwritten = self._unwritten
        return unwritten is not None and self.register(name) == unwritten & mask

    def set_register(self, name: str, value: int) -> None:
        """Set a register by its name in `inst.isa`."""
        if name in self.bit_fields:
            field, lowest, bits = self.bit_fields[name]
            mask = (1 << bits) - 1
            others = getattr(self.state, field) & ~(mask << lowest)
            setattr(self.state, field, others | (value & mask) << lowest)
            return
        field, place = self._places[name]
        holder: Any = self.state
        for index in (field, *place)[:-1]:
            holder = getattr(holder, index) if isinstance(index, str) else holder[index]
        if not place:
            setattr(holder, field, value)
        elif isinstance(holder[place[-1]], ctypes.Array):
            parts = holder[place[-1]]
            parts[:] = [value >> 64 * n & (1 << 64) - 1 for n in reversed(range(len(parts)))]
        else:
            holder[place[-1]] = value

    def go_to(self, address: int) -> None:
        """Let the instruction at an address be the next one, and no delay slot before it."""
        self.state.pc = address
        if hasattr(self.state, "npc"):
            self.state.npc = address + 4

    def leave_windows(self, stack: int) -> None:
        """Leave the register windows of functions whose frames are below a stack pointer."""
        self._leave_windows(self, stack)

    def enter_window(self) -> None:
        """Enter the register window of other code that the code has called, and that calls back."""
        self._enter_window(self)

    def saved(self) -> bytes:
        """Return all registers, for `restore`."""
        return bytes(self.state)

    def restore(self, saved: bytes, but: Array | None = None) -> None:
        """Set all registers as they were, but for the bits of `bits_of` some."""
        if but is not None:
            now = np.frombuffer(self.saved(), "u1")
            saved = (now & but | np.frombuffer(saved, "u1") & ~but).tobytes()
        ctypes.memmove(ctypes.addressof(self.state), saved, len(saved))

    def state_with(self, registers: Mapping[str, int], is_whole: bool = False) -> bytes:
        """Return a state, as `saved` does, in which some registers are set and all else is 0.

        Of one that is wider than the program's the rest is 0, too, if it is not set as a whole.
        """
        state, mask = self.saved(), (1 << self.target.bits) - 1
        self.restore(bytes(len(state)))
        for name, value in registers.items():
            if name in self._places or name in self.bit_fields:
                is_wider = name in self._places and self._places[name][0] in self._wider
                self.set_register(name, value & mask if is_wider and not is_whole else value)
        found = self.saved()
        self.restore(state)
        return found

    def bits_of(self, names: Iterable[str]) -> Array:
        """Return the bytes of a saved state in which the bits of some registers are set."""
        return np.frombuffer(self.state_with(dict.fromkeys(names, -1), True), "u1")

    def add_code(self, address: int, code: bytes) -> None:
        """Add instructions, in the program's byte order; control that leaves them stops.

        Raises InstError where some of it is there already.
        """
        end = address + len(code) // 4 * 4
        place = bisect.bisect(self._code, (address, end))
        for start, stop in self._code[max(place - 1, 0) : place + 1]:
            if address < stop and start < end:
                raise InstError(f"code at {address:#x} overlaps code at {start:#x}")
        order = "<" if self.target.byte_order == "little" else ">"
        words = np.frombuffer(code, f"{order}u4", len(code) // 4).astype("=u4")
        if self._library.inst_add_code(self._machine, address, words.ctypes.data, len(words)):
            raise MemoryError
        self._code.insert(place, (address, end))

    def write(self, address: int, data: bytes) -> None:
        """Set memory, which is known from then on."""
        if self._library.inst_write(self._machine, address, bytes(data), len(data)):
            raise MemoryError

    def read(self, address: int, size: int) -> bytes | None:
        """Return memory; None if any byte of it is not known."""
        data, known = self.read_known(address, size)
        return data if all(known) else None

    def read_known(self, address: int, size: int) -> tuple[bytes, bytes]:
        """Return memory with 0 for bytes that are not known, and for each byte whether it is."""
        data, known = ctypes.create_string_buffer(size), ctypes.create_string_buffer(size)
        self._library.inst_read(self._machine, address, data, known, size)
        return data.raw, known.raw

    def forget(self, address: int, size: int) -> None:
        """Make memory unknown."""
        if self._library.inst_unknow(self._machine, address, size):
            raise MemoryError

    def forget_memory(self) -> None:
        """Make all memory unknown."""
        self._library.inst_clear(self._machine)

    def keep_memory(self) -> KeptMemory:
        """Return memory as it is, for `return_memory`; what is not changed later takes no room."""
        return KeptMemory(self._library, self._machine)

    def return_memory(self, kept: KeptMemory) -> None:
        """Make memory what it was."""
        self._library.inst_return(self._machine, kept.handle)

    def begin_window(self) -> None:
        """Begin a window: `firsts` tells what is loaded in it that was known before it."""
        if self._library.inst_begin_window(self._machine):
            raise MemoryError

    def firsts(self) -> tuple[Array, Array]:
        """Return the bytes that were loaded in the window before they were stored: their addresses,
        ascending, and what they held."""
        count = ctypes.c_uint64()
        first = self._library.inst_firsts(self._machine, ctypes.byref(count))
        if not count.value:
            return np.zeros(0, "u8"), np.zeros(0, "u1")
        data = ctypes.string_at(first, count.value * _FIRST.itemsize)
        found = np.frombuffer(data, _FIRST)
        addresses, rows = np.unique(found["address"], return_index=True)
        return addresses, found["value"][rows]

    def begin_period(self) -> None:
        """Begin a period: `recent` tells what is loaded or stored in it."""
        self._library.inst_begin_period(self._machine)

    def recent(self, address: int, size: int) -> bytes:
        """Return for each byte whether it was loaded or stored since the period began: 1 or 0."""
        found = ctypes.create_string_buffer(size)
        self._library.inst_recent(self._machine, address, found, size)
        return found.raw

    def arrive(self) -> None:
        """Let the next run stop where it begins, if there is a breakpoint."""
        self._library.inst_arrive(self._machine)

    def set_watches(self, watches: Iterable[WatchedMemory]) -> None:
        """Set of which memory loads, stores or both stop the run before they are done."""
        rows = np.array([(one.address, one.size, one.kinds) for one in watches], "u8")
        was_watching = bool(self._control.watch_count)
        self._kept["watches"] = (rows,)
        self._control.watches, self._control.watch_count = rows.ctypes.data, len(rows)
        if was_watching != bool(len(rows)):
            self._library.inst_forget_decoded(self._machine)

    def run_unwatched(self, limit: int = WHOLE_LIMIT) -> Stop:
        """Execute without being stopped by watched accesses."""
        control = self._control
        count, control.watch_count = control.watch_count, 0
        stop = self.run(limit)
        control.watch_count = count
        return stop

    def set_feed(self, pc: Array, value: Array) -> None:
        """Set the values that the instructions of `sites` take, in order, from the first one on.

        `pc` is the address of the instruction that takes `value`, both u8. A value is the number
        in memory, as a load of that size without sign or byte reversal has it. An instruction takes
        one for each 8 bytes or less, or for each register of several, by ascending address.
        """
        columns = (np.ascontiguousarray(pc, "u8"), np.ascontiguousarray(value, "u8"))
        assert columns[0].shape == columns[1].shape
        self._kept["feed"] = columns
        control = self._control
        control.feed_pc, control.feed_value = (one.ctypes.data for one in columns)
        control.feed_count, control.feed_place = len(columns[0]), 0

    def limit_feed(self, count: int) -> None:
        """Let only the first so many values be taken until this is called again."""
        control = self._control
        control.feed_count = min(count, len(self._kept["feed"][0]))

    @property
    def feed_place(self) -> int:
        """How many values of the feed have been taken."""
        return int(self._control.feed_place)

    @feed_place.setter
    def feed_place(self, place: int) -> None:
        self._control.feed_place = place

    def set_outputs(self, pc: Array, address: Array, value: Array, kind: Array) -> None:
        """Set the columns for reported accesses (u8, u8, u8, u4), which are filled from row 0.

        They belong to the caller, must be contiguous, and need room for 32 rows at least.
        """
        columns = (pc, address, value, kind)
        for column, type_ in zip(columns, ("u8", "u8", "u8", "u4"), strict=True):
            assert column.dtype == np.dtype(type_) and column.flags.c_contiguous
        self._kept["out"] = columns
        control = self._control
        control.out_pc, control.out_address, control.out_value, control.out_kind = (
            column.ctypes.data for column in columns
        )
        control.out_room, control.out_count = min(map(len, columns)), 0

    @property
    def output_count(self) -> int:
        """How many rows of the columns are filled; set it to 0 to fill them again."""
        return int(self._control.out_count)

    @output_count.setter
    def output_count(self, count: int) -> None:
        self._control.out_count = count

    def set_executed(self, pc: Array | None) -> None:
        """Set the column (u8) for the address of each instruction executed; None for none."""
        control = self._control
        if pc is None:
            control.executed_pc = None
            return
        assert pc.dtype == np.dtype("u8") and pc.flags.c_contiguous
        self._kept["executed"] = (pc,)
        control.executed_pc, control.executed_room = pc.ctypes.data, len(pc)
        control.executed_count = 0

    @property
    def executed_count(self) -> int:
        """How many rows of that column are filled; set it to 0 to fill it again."""
        return int(self._control.executed_count)

    @executed_count.setter
    def executed_count(self, count: int) -> None:
        self._control.executed_count = count

    def set_changed(self, row: Array | None, unit: Array, value: Array) -> None:
        """Set the columns (u4, u4, u8) for registers that change; None for none.

        `row` is the place of the instruction in the column of executed instructions, which has to
        be set, too; `unit` the number in `units`; `value` what it then holds. With `BETWEEN` in
        `unit`, the change is not by an instruction, and was made before that of the row.
        The columns need room for twice as many rows as there are units.
        """
        control = self._control
        if row is None:
            control.changed_row = None
            return
        for column, type_ in zip((row, unit, value), ("u4", "u4", "u8"), strict=True):
            assert column.dtype == np.dtype(type_) and column.flags.c_contiguous
        self._kept["changed"] = (row, unit, value)
        control.changed_row, control.changed_unit = row.ctypes.data, unit.ctypes.data
        control.changed_value = value.ctypes.data
        control.changed_room, control.changed_count = min(map(len, (row, unit, value))), 0

    @property
    def changed_count(self) -> int:
        """How many rows of those columns are filled; set it to 0 to fill them again."""
        return int(self._control.changed_count)

    @changed_count.setter
    def changed_count(self, count: int) -> None:
        self._control.changed_count = count

    @contextlib.contextmanager
    def unreported(self) -> Iterator[None]:
        """Execute without filling columns, and be as before afterwards but for memory."""
        control, state = self._control, self.saved()
        columns = control.executed_pc, control.out_count, control.feed_place, control.left_out
        control.executed_pc = None
        try:
            yield
        finally:
            self.restore(state)
            control.executed_pc, control.out_count, control.feed_place, control.left_out = columns

    def run(self, limit: int = WHOLE_LIMIT) -> Stop:
        """Execute from `state.pc` up to `limit` instructions."""
        done = ctypes.c_uint64()
        return self._stop(
            self._library.inst_run(self._machine, limit, ctypes.byref(done)), done.value
        )

    def run_rounds(self, search: int) -> Stop:
        """Go on with a search for a round of a loop: see `inst.replay.rounds`."""
        return self._stop(self._library.inst_run_rounds(self._machine, search), 0)

    def _stop(self, number: int, executed: int) -> Stop:
        """Return where the interpreter has stopped."""
        reason, control = Reason(number), self._control
        if reason is Reason.NO_MEMORY:
            raise MemoryError
        return Stop(
            reason,
            int(self.state.pc),
            control.stop_word,
            executed,
            control.stop_address,
            control.stop_size,
            control.stop_kind,
        )
