"""What is known of a thread where it stands: registers and memory, never a guess.

Registers that other code may have changed hold a number which marks that they are not known, until
an instruction writes them. The same holds for what a function is entered with. What the
recording states of them just there is known already.

Memory is known as this thread loaded or stored it last. Other code may have written since: then
it is known only if the thread loads it before other code runs again, or loads later what it had.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from inst.arch.registry import architecture
from inst.debugging.history import History
from inst.debugging.places import Places
from inst.formats.rec.execution import BUFFER, BUFFER_LIMIT
from inst.formats.rec.instrumented import Program
from inst.formats.rec.outside import NO_CODE, Arrival
from inst.formats.rec.reexecution import Reexecution
from inst.isa import get
from inst.replay.library import Reason
from inst.replay.machine import LOADED, STORED, Machine, WatchedMemory
from inst.replay.model import Debugger, Shown
from inst.trace.model import TraceError

AHEAD = 1 << 22
"""Instructions in which is looked for a load of what memory holds."""
_LONGEST = 256
"""Instructions of the code that records registers, at most."""


class Unknown:
    """The numbers that stand for registers of which nothing is known."""

    def __init__(self, program: Program) -> None:
        target = program.target
        self._part = architecture(target.isa).part(Debugger)
        self._bits = target.bits
        machine = program.machine()
        names = [name for name in machine.registers() if self.of(name) is not None]
        volatile = set(get(target.isa, target.abi).registers.listed(_volatile(program)))
        stated = get(target.isa, target.abi).registers
        entry = [name for name in names if stated.bit.get(name)]
        self._masks = {
            Arrival.ENTRY: self._mask(machine, entry),
            Arrival.RETURN: self._mask(machine, [name for name in entry if name in volatile]),
        }

    def of(self, name: str) -> int | None:
        """Return the number for a register; None if it has none."""
        return self._part.unknown(name, self._bits)

    def _mask(self, machine: Machine, names: Iterable[str]) -> tuple[int, int]:
        """Return the bits of the state that stay, and those that are set."""
        size = len(machine.saved())
        parts = []
        for ones in (True, False):
            machine.restore(bytes(size))
            for name in names:
                number = -1 & (1 << 128) - 1 if ones else self.of(name)
                assert number is not None
                machine.set_register(name, number)
            parts.append(int.from_bytes(machine.saved(), "little"))
        return ~parts[0], parts[1]

    def arrive(self, machine: Machine, arrival: Arrival) -> None:
        """Mark what is not known where control comes from other code."""
        machine.begin_period()
        if arrival not in self._masks:
            return
        kept, added = self._masks[arrival]
        saved = machine.saved()
        number = int.from_bytes(saved, "little") & kept | added
        machine.restore(number.to_bytes(len(saved), "little"))


def _volatile(program: Program) -> int:
    return get(program.target.isa, program.target.abi).registers.volatile


@dataclass(frozen=True, slots=True)
class _Ahead:
    """What the next access of a byte, from a place on, states of it."""

    first: int
    """The place from which on it is the next one."""
    place: int
    """Where it is; of none, up to where there is none."""
    arrival: int
    """Where control came from other code last before it."""
    value: int | None
    """The byte that is loaded; None: it is stored, or there is no access."""

    def holds(self, place: int, known: int | None) -> int | None:
        """Return the byte at a place before, at which it was known to be something once."""
        if self.value is None or self.arrival <= place:
            return self.value
        return self.value if self.value == known else None


class Thread:
    """One thread where it stands.

    `constant` returns what the program's file and the recording know of bytes that never change.
    """

    def __init__(
        self,
        run: Reexecution,
        places: Places,
        program: Program,
        unknown: Unknown,
        constant: Callable[[int, int], list[int | None]],
    ) -> None:
        self._program, self._unknown = program, unknown
        self._debugger = architecture(program.target.isa).part(Debugger)
        self._registers: tuple[int, dict[str, int | None]] = (-1, {})
        self._ahead: dict[int, _Ahead] = {}
        self._last_arrival = 0
        self._constant = constant
        self._run = run
        run.call_at_arrivals(self._arrive)
        self.history = History(run, places, self._debugger)

    @property
    def _machine(self) -> Machine:
        return self._run.machine

    def register(self, shown: Shown) -> bytes | None:
        """Return a register in the program's byte order; None if it is not known."""
        place = self.history.position
        if self._registers[0] != place:
            self._registers = place, self._with_arriving()
        special = {"pc": self.history.pc, "npc": self.history.next_pc}
        known = self._registers[1] | special
        parts = [known.get(name) for name in shown.register.split()]
        width, value = shown.bits // max(len(parts), 1), 0
        for part in parts:
            if part is None:
                return None
            value = value << width | part
        order: Any = self._program.target.byte_order
        return value.to_bytes(shown.bits // 8, order) if parts else None

    def _with_arriving(self) -> dict[str, int | None]:
        """Return all registers, with what the code that records just here states of them."""
        run, program = self._run, self._program
        found = self._known()
        if None not in found.values():
            return found
        before, arriving = run.saved(), set(program.arriving.tolist())
        run.pause_at(frozenset(), ())
        try:
            for _ in range(_LONGEST):
                pc, was = self.history.pc, self._known()
                if self.history.places.is_own(pc) or run.advance(run.executed + 1) is None:
                    break
                if pc in arriving:
                    now = self._known().items()
                    found |= {name: value for name, value in now if value != was[name]}
        except TraceError:
            pass  # it is reported where it is reached
        run.restore(before)
        return found

    def _known(self) -> dict[str, int | None]:
        """Return the registers that are known."""
        machine = self._machine
        found: dict[str, int | None] = {}
        for name, value in machine.registers().items():
            found[name] = None if self._is_unknown(name, value) else value
        for whole, parts in self._parts(machine).items():
            if any(found[part] is None for part in parts):
                found[whole] = None
        return found

    def _parts(self, machine: Machine) -> Mapping[str, list[str]]:
        parts: dict[str, list[str]] = {}
        for name, (whole, _, _) in machine.bit_fields.items():
            if self._unknown.of(name) is not None:
                parts.setdefault(whole, []).append(name)
        return parts

    def _is_unknown(self, name: str, value: int) -> bool:
        bits = self._program.target.bits
        if value == self._unknown.of(name):
            return True
        if name in self._debugger.recording(bits):
            return BUFFER <= value <= BUFFER_LIMIT
        outside = NO_CODE - self._program.beyond_link
        return name in self._debugger.return_addresses and value == outside

    def memory(self, address: int, size: int) -> bytes:
        """Return memory up to the first byte that is not known."""
        last = (1 << self._program.target.bits) - 1
        size = max(min(size, last + 1 - address), 0)
        found = self._seen(address, size)
        missing = [n for n, value in enumerate(found) if value is None]
        if missing:
            self._look_ahead(address + missing[0], address + missing[-1] + 1)
            data, known = self._machine.read_known(address, size)
            for n in missing:
                ahead = self._ahead[address + n]
                found[n] = ahead.holds(self.history.position, data[n] if known[n] else None)
        end = next((n for n, value in enumerate(found) if value is None), size)
        return bytes(value for value in found[:end] if value is not None)

    def _seen(self, address: int, size: int) -> list[int | None]:
        """Return the bytes that are known without what comes later."""
        machine = self._machine
        data, _ = machine.read_known(address, size)
        recent = machine.recent(address, size)
        constant = self._constant(address, size)
        own = self._run.own_memory()
        found = [
            (data[n] if recent[n] and not any(address + n in one for one in own) else constant[n])
            for n in range(size)
        ]
        return self._with_registers(found, address)

    def _with_registers(self, found: list[int | None], address: int) -> list[int | None]:
        """Return bytes of memory with those of registers that a debugger looks for there."""
        target = self._program.target
        width, order = target.bits // 8, target.byte_order
        for start, words in self._debugger.on_stack(self._machine):
            for n in range(
                max(start, address), min(start + width * len(words), address + len(found))
            ):
                word = words[(n - start) // width]
                data = None if word is None else word.to_bytes(width, order)  # type: ignore[arg-type]
                found[n - address] = None if data is None else data[(n - start) % width]
        return found

    def _look_ahead(self, start: int, end: int) -> None:
        """Find the next access of each byte of a range."""
        here, run = self.history.position, self._run
        wanted = {
            at
            for at in range(start, end)
            if at not in self._ahead or not self._ahead[at].first <= here <= self._ahead[at].place
        }
        if not wanted:
            return
        before = run.saved()
        arrival, self._last_arrival = self._last_arrival, 0
        run.pause_at(frozenset(), (WatchedMemory(start, end - start, LOADED | STORED),))
        with contextlib.suppress(TraceError):  # it is reported where it is reached
            self._find(wanted, here)
        for at in wanted:
            self._ahead[at] = _Ahead(here, max(here, run.executed - AHEAD // 2), 0, None)
        run.restore(before)
        self._last_arrival = arrival

    def _find(self, wanted: set[int], here: int) -> None:
        """Go on until each wanted byte is accessed, which then is not wanted any more."""
        run = self._run
        while wanted:
            stop = run.advance(here + AHEAD)
            if stop is None or stop.reason is not Reason.WATCHED:
                return
            place = run.executed
            run.pass_watched()
            found = wanted.intersection(range(stop.address, stop.address + stop.size))
            for at in found:
                loaded = self._machine.read(at, 1) if stop.kind == LOADED else None
                value = loaded[0] if loaded else None
                self._ahead[at] = _Ahead(here, place, self._last_arrival, value)
            wanted -= found

    def _arrive(self, arrival: Arrival) -> None:
        self._last_arrival = self._run.executed
        self._unknown.arrive(self._machine, arrival)
