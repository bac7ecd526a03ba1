"""Instructions of RST traces: INSTR with the MEMVAL and REGVAL records around it.

A REGVAL record before an INSTR has registers before it, one with postInstr=1 after it has
registers after it; MEMVAL after it what it moved. Registers that no record has are known
as long as every instruction is in the trace; where one is left out, they become unknown. A
tracer that always leaves out the same instructions is detected by their addresses; one that
leaves out parts of a run has to mark each gap by a FILEMARKER or RECNUM record.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from inst.arch.registry import byte_order
from inst.formats.rst.codes import (
    ANNULLED,
    CPU,
    EA_VALID,
    EVENT_RECORD,
    EVENT_SIZE,
    INSTR,
    MARKER,
    MEMVAL,
    NULLREC,
    REGVAL,
    STRCONT,
    STRDESC,
    TAKEN,
    THREAD,
    TRAP,
    TRAPEXIT,
    TRAPPED,
    TRAPPING,
)
from inst.formats.rst.record import RstBatch, decode
from inst.formats.rst.registers import fully_recorded, named_registers
from inst.formats.rst.table import MODERN
from inst.formats.rst.trace import RstTrace
from inst.isa.model import Form, Transfer
from inst.simulation.machine import Machine
from inst.simulation.memory import KnownMemory
from inst.simulation.model import Instruction, Memory, Observed
from inst.simulation.plan import Plan
from inst.trace.held_back import converted
from inst.trace.model import Flag, Kind

LARGEST = 1 << 16
"""Bytes that are forgotten one by one; after larger writes all memory is."""
IGNORED = frozenset((STRDESC, NULLREC, STRCONT))
"""Strings and null records: they end nothing."""


@dataclass(slots=True)
class _Pending:
    """An INSTR whose values may still follow."""

    record: int
    cpu: int
    address: int
    word: int
    flags: int
    ea: int
    memory: list[Memory] = field(default_factory=list)
    after: dict[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class _Cpu:
    """One processor of the trace."""

    machine: Machine
    thread: int
    expected: frozenset[int] | None = frozenset()
    """Where the next instruction may be if none is left out; None: anywhere."""
    after_slot: frozenset[int] | None = frozenset()
    """The same for the one after the delay slot; empty: there is none."""
    slot: int = -1
    """Where that delay slot is."""
    interrupted: bool = False
    before: dict[str, int] = field(default_factory=dict)
    """Registers recorded for the next instruction."""


def instructions(trace: RstTrace) -> Iterator[Instruction]:
    """Yield one instruction after another; on damage, those before it and then the error."""
    return converted(trace.batches(), _Source(trace))


class _Source:
    def __init__(self, trace: RstTrace) -> None:
        self._trace = trace
        self._memory: KnownMemory | None = None  # until the architecture is known
        self._cpus: dict[int, _Cpu] = {}
        self._pending: _Pending | None = None
        self._unchanged: frozenset[str] | None = None  # until the first instruction
        self._current = 0  # the processor of the last CPU record
        self._event: dict[str, Any] | None = None  # the last EVENT, if its EVENT_SIZE may follow

    def take(self, batch: RstBatch) -> Iterator[Instruction]:
        """Yield the instructions that the batch completes."""
        raw, modern = batch.raw, batch.version >= MODERN
        names = ("rtype", "flags", "half", "word", "first", "second")
        columns = zip(*(raw[name].tolist() for name in names), strict=True)
        for row, (code, flags, half, word, first, second) in enumerate(columns, batch.first):
            if code == INSTR:
                cpu = half >> 10 | (half >> 6 & 15) << 6 if modern else half >> 10
                new = _Pending(row, cpu, first, word, flags, second)
                if not self._continues(new):
                    yield from self.flush()
                    self._pending = new
            elif code == MEMVAL:
                self._take_memory(batch, row, flags, half, first, second)
            elif code not in IGNORED:
                yield from self._take_other(batch, row, code)

    def flush(self) -> Iterator[Instruction]:
        """Yield the instruction that was waiting for its values."""
        if self._pending is not None:
            pending, self._pending = self._pending, None
            yield self._finish(pending)

    def _continues(self, new: _Pending) -> bool:
        """Join what a tracer writes as several records for one instruction's accesses."""
        old = self._pending
        if old is None or (old.address, old.word, old.cpu) != (new.address, new.word, new.cpu):
            return False
        plan = self._cpu(new.cpu).machine.plan(new.word)
        if plan.access is None or not old.memory:
            return False
        if plan.access.form == Form.ATOMIC:
            joined = bool(new.flags & TAKEN) and not old.flags & TAKEN
            old.flags |= new.flags
            return joined
        end = old.memory[-1].address + old.memory[-1].size
        done = sum(place.size for place in old.memory)
        if plan.access.form == Form.MULTIPLE:
            return new.ea == end and done < plan.size
        return plan.access.form == Form.STRING and new.ea == end and not 0 < plan.size <= done

    def _take_memory(
        self, batch: RstBatch, row: int, flags: int, half: int, first: int, second: int
    ) -> None:
        if self._pending is None:
            return
        if not flags & 0x80:
            size = half & 15
            self._pending.memory.append(Memory(first, size, second & (1 << 8 * size) - 1))
            return
        at = row - batch.first
        address = int(batch.column("memval128", "addr", np.array([at]))[0])
        self._pending.memory.append(Memory(address, 16, first << 64 | second))

    def _take_other(self, batch: RstBatch, row: int, code: int) -> Iterator[Instruction]:
        fields = decode(batch.raw[row - batch.first].tobytes(), batch.version)
        if code == REGVAL:
            cpu = int(fields["cpuid"])
            values = named_registers(fields, self._trace.facts.arch)
            pending = self._pending
            if fields["postInstr"] and pending is not None:
                if pending.cpu == cpu:
                    pending.after |= values
                return
            yield from self.flush()
            self._cpu(cpu).before |= values
            return
        yield from self.flush()
        if code == EVENT_RECORD:
            self._event = fields
        elif code == EVENT_SIZE and self._event is not None:
            self._touch(self._event, int(fields["size"]), int(fields["value_high"]))
        elif code == CPU:
            self._current = int(fields["cpu"])
        elif code == THREAD:
            self._cpu(self._current).thread = int(fields["tid"])
        elif code in (TRAP, TRAPEXIT):
            self._cpu(int(fields["cpuid"])).interrupted = True
        elif code == MARKER:  # a gap that sampling left
            for one in self._cpus.values():
                one.interrupted = True
            if self._memory is not None:
                self._memory.clear()
        elif code == TRAPPING:
            flags = TRAPPED | (EA_VALID if fields["ea_va_valid"] else 0)
            cpu, pc, word, ea = (int(fields[n]) for n in ("cpuid", "pc_va", "instr", "ea_va"))
            self._pending = _Pending(row, cpu, pc, word, flags, ea)

    def _touch(self, event: dict[str, Any], size: int, high: int) -> None:
        """Let an event of our own have read or written memory: it has no instruction's word."""
        self._event, memory = None, self._memory
        has_value = bool(event["flags"] & Flag.HAS_VALUE)
        if memory is None or not event["flags"] & Flag.HAS_ADDRESS:
            return
        if size > LARGEST and event["kind"] == Kind.WRITE:
            memory.clear()
        elif event["kind"] == Kind.WRITE or (event["kind"] == Kind.READ and has_value):
            value = (high << 64 | int(event["value"])) & (1 << 8 * size) - 1
            memory.write(int(event["address"]), size, value if has_value else None)

    def _cpu(self, number: int) -> _Cpu:
        cpu = self._cpus.get(number)
        if cpu is None:
            arch = self._trace.facts.arch
            if self._memory is None:
                self._memory = KnownMemory(byte_order(arch))
            machine = Machine(arch, self._memory)
            cpu = self._cpus[number] = _Cpu(machine, number)
        return cpu

    def _fully_recorded(self) -> frozenset[str]:
        if self._unchanged is None:
            words = self._trace.facts.producer.get("registers", "")
            self._unchanged = fully_recorded(words, self._trace.facts.arch)
        return self._unchanged

    def _finish(self, pending: _Pending) -> Instruction:
        cpu = self._cpu(pending.cpu)
        machine, flags = cpu.machine, pending.flags
        plan = machine.plan(pending.word)
        trapped = bool(flags & TRAPPED)
        unchanged = self._fully_recorded()
        if unchanged:  # whatever happened in between, the registers are recorded
            trapped, cpu.interrupted = trapped and not plan.system_call, False
        followed = bool(unchanged) or cpu.expected is None or pending.address in cpu.expected
        if not followed or (cpu.interrupted and not trapped):
            machine.forget()
            cpu.interrupted, cpu.slot = False, -1
        if cpu.before:
            machine.registers.update(cpu.before)
            cpu.before = {}
        _expect(cpu, pending.address, plan)
        ea = pending.ea if flags & EA_VALID else None
        return machine.step(
            Observed(
                pending.address,
                pending.word,
                ea=ea if plan.access else None,
                memory=tuple(pending.memory),
                after=pending.after,
                unchanged=unchanged,
                taken=bool(flags & TAKEN),
                target=ea,
                cpu=pending.cpu,
                thread=cpu.thread,
                annulled=bool(flags & ANNULLED),
                trapped=trapped,
                record=pending.record,
            )
        )


def _expect(cpu: _Cpu, address: int, plan: Plan) -> None:
    """Determine where the instruction after this one may be."""
    facts, waiting = plan.facts, cpu.after_slot if address == cpu.slot else frozenset()
    ahead = frozenset((address + 4,))
    cpu.after_slot = frozenset()
    if facts is None or facts.transfer == Transfer.NONE:
        cpu.expected = ahead if waiting == frozenset() else waiting
        return
    if waiting != frozenset() or facts.transfer == Transfer.TRAP:  # or a branch in a delay slot
        cpu.expected = None
        return
    target = None if plan.displacement is None else address + plan.displacement
    if not facts.delay_slot:
        cpu.expected = None if target is None else ahead | {target}
        return
    reached = None if target is None else frozenset((address + 8, target))
    cpu.expected, cpu.after_slot, cpu.slot = ahead, reached, address + 4
    if facts.annul:  # the slot may be left out of the trace
        cpu.expected = None if reached is None else ahead | reached
