"""One event, one step: which function of the protocol it is, and how to go on after a violation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from inst.check.pagetable import barriers, control, write
from inst.check.pagetable.codes import Violation
from inst.check.pagetable.descriptor import PAGE
from inst.check.pagetable.feed import Step
from inst.check.pagetable.state import State
from inst.trace.model import Flag, Kind

WORD = 8


@dataclass(slots=True)
class _Half:
    """Half an entry that was written: the other half may follow."""

    step: Step
    release: bool


class Stepper:
    """Steps the state."""

    def __init__(self, state: State, big_endian: Callable[[], bool]) -> None:
        self.state = state
        self._big_endian = big_endian
        self.half: _Half | None = None
        self._by_kind: dict[int, Callable[[Step], None]] = {
            Kind.WRITE: self._write,
            Kind.READ: self._read,
            Kind.BARRIER: self._barrier,
            Kind.TLBI: self._tlbi,
            Kind.LOCK: self._lock,
            Kind.TRYLOCK: self._lock,
            Kind.UNLOCK: self._lock,
            Kind.SYSREG: self._sysreg,
            Kind.HINT: self._hint,
            Kind.INIT: self._init,
            Kind.FREE: self._free,
            Kind.SET: self._set,
        }

    def step(self, step: Step) -> None:
        """Step one event; Violation when the protocol forbids it."""
        if self.half is not None:
            self._join(step)
        else:
            self._by_kind[step.kind](step)

    def _barrier(self, step: Step) -> None:
        name, _, domain = step.word.partition(" ")
        if name == "dsb":
            barriers.dsb(self.state, step.thread, domain)
        else:
            barriers.isb(self.state, step.thread)

    def _tlbi(self, step: Step) -> None:
        barriers.tlbi(self.state, step.thread, step.word, step.value)

    def _lock(self, step: Step) -> None:
        control.lock(self.state, step.thread, step.address, _LOCKS[step.kind])

    def _sysreg(self, step: Step) -> None:
        control.sysreg(self.state, step.thread, step.word, step.value)

    def _hint(self, step: Step) -> None:
        control.hint(self.state, step.thread, step.word, step.address, step.value)

    def _init(self, step: Step) -> None:
        write.initialise(self.state, step.address, step.size)

    def _free(self, step: Step) -> None:
        write.free(self.state, step.address, step.size)

    def _set(self, step: Step) -> None:
        write.fill(self.state, step.thread, step.address, step.size, step.value)

    def _write(self, step: Step) -> None:
        release = step.word == "release"
        if step.size == WORD and not step.address & 7:
            write.write(self.state, step.thread, step.address, step.value, release)
        elif step.size == 4 and not step.address & 3 and step.address & -PAGE in self.state.tables:
            self.half = _Half(step, release)
        else:
            write.require_aligned(self.state, step.address, step.size or WORD)
            for address, value in self.pieces(step):
                write.write(self.state, step.thread, address, value, release)

    def is_waiting(self) -> bool:
        """Return whether half an entry was written, and its other half may follow."""
        return self.half is not None

    def waits(self, step: Step) -> bool:
        """Return whether half an entry was written and this event is not its other half."""
        if self.half is None:
            return False
        first = self.half.step
        second = step.kind == Kind.WRITE and step.size == 4 and step.thread == first.thread
        return not second or step.address != first.address ^ 4

    def _join(self, step: Step) -> None:
        """Write both halves at once: a 32-bit program stores a 64-bit entry as two words."""
        half, self.half = self.half, None
        assert half is not None
        low, high = half.step, step
        if (low.address & 4 != 0) is not self._big_endian():
            low, high = high, low
        value = (high.value & 0xFFFFFFFF) << 32 | low.value & 0xFFFFFFFF
        release = half.release or step.word == "release"
        write.write(self.state, step.thread, step.address & -8, value, release)

    def finish(self) -> None:
        """Step what waits for its other half, by itself."""
        half, self.half = self.half, None
        if half is None:
            return
        record, self.state.record = self.state.record, half.step.record
        for address, value in self.pieces(half.step):
            write.write(self.state, half.step.thread, address, value, half.release)
        self.state.record = record

    def pieces(self, step: Step) -> list[tuple[int, int]]:
        """Return the whole entries that a write of any size and place leaves, with addresses."""
        self.state.memory.settle()
        size = min(step.size or WORD, 16)
        order: Literal["big", "little"] = "big" if self._big_endian() else "little"
        value = step.value & (1 << 8 * size) - 1
        data = value.to_bytes(size, order)
        found = []
        for slot in range(step.address >> 3, (step.address + size - 1 >> 3) + 1):
            address = slot << 3 & (1 << 64) - 1
            old = self.state.memory.value(address)
            octets = bytearray(old.to_bytes(WORD, order))
            for place in range(WORD):
                offset = (slot << 3) + place - step.address
                if 0 <= offset < size:
                    octets[place] = data[offset]
            found.append((address, int.from_bytes(octets, order)))
        return found

    def _read(self, step: Step) -> None:
        if not step.flags & int(Flag.HAS_VALUE):
            return
        size = min(step.size or WORD, WORD)
        place = step.address & 7
        if place + size > WORD:
            return
        shift = 8 * (WORD - size - place if self._big_endian() else place)
        write.read(self.state, step.address & -8, step.value, (1 << 8 * size) - 1, shift)

    def force(self, step: Step, violation: Violation) -> None:
        """Leave the state as if the step had been right, as far as that can be."""
        if violation.code == "read-mismatch" and violation.addresses:
            self._force_value(step)
        elif step.kind == Kind.WRITE:
            whole = step.size == WORD and not step.address & 7
            pieces = [(step.address, step.value)] if whole else self.pieces(step)
            for address, value in pieces:
                write.force(self.state, step.thread, address, value)
        elif step.kind == Kind.BARRIER:
            barriers.force_dsb(self.state, step.thread)
        elif step.kind in (Kind.LOCK, Kind.TRYLOCK):
            control.take(self.state, step.thread, step.address)
        elif step.kind == Kind.UNLOCK:
            control.drop(self.state, step.address)

    def _force_value(self, step: Step) -> None:
        pieces = self.pieces(step._replace(size=min(step.size or WORD, WORD)))
        for address, value in pieces:
            write.force(self.state, step.thread, address, value)


_LOCKS = {
    int(Kind.LOCK): "lock",
    int(Kind.TRYLOCK): "trylock",
    int(Kind.UNLOCK): "unlock",
}
