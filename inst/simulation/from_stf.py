"""Instructions of STF traces: registers are told, memory follows from them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from inst.simulation.machine import Machine
from inst.simulation.memory import KnownMemory
from inst.simulation.model import Instruction, Observed
from inst.trace.stf import StfTrace
from inst.trace.stf_record import OLDER, StfRecord, registers_of

REGISTER = re.compile(rb"([RF])(\d+)\s*=\s*([0-9A-Fa-f]+)")

STATUS_NAMES = {"XER": "xer", "CTR": "ctr", "LNK": "lr", "FPSCR": "fpscr"}
"""Status registers by the names of `inst.isa`; MSR and MQ are in no instruction's facts."""

_FIELDS = tuple(f"cr{n}" for n in range(8))
_STATUS = frozenset((*STATUS_NAMES.values(), *_FIELDS))
_GENERAL = frozenset(f"r{n}" for n in range(32))
_FLOAT = frozenset(f"f{n}" for n in range(32))
_NONE: frozenset[str] = frozenset()


def instructions(trace: StfTrace) -> Iterator[Instruction]:
    """Yield one instruction after another; on damage, those before it and then the error."""
    source = _Source(trace)
    waiting: StfRecord | None = None
    try:
        for record in trace.records():
            if record.kind != "instr":
                source.take_state(record)
                continue
            if waiting is not None:
                yield source.instruction(waiting, record)
            waiting = record
    except Exception:
        if waiting is not None:
            yield source.instruction(waiting, None)
        raise
    if waiting is not None:
        yield source.instruction(waiting, None)


class _Source:
    def __init__(self, trace: StfTrace) -> None:
        self._trace = trace
        self._machine: Machine | None = None
        self._start: dict[str, int] = {}
        self._banks = _NONE
        """Registers whose changes the trace records, as far as seen."""

    def take_state(self, record: StfRecord) -> None:
        """Start from the registers that stand before the first instruction."""
        self._start.update(_registers(record.after))

    def instruction(self, record: StfRecord, following: StfRecord | None) -> Instruction:
        """Return the instruction; the record behind it tells its status registers."""
        machine = self._machine or self._begin(record)
        after = _registers(record.after) if record.after else {}
        if after and not after.keys() <= self._banks:
            self._banks |= _GENERAL if after.keys() & _GENERAL else _NONE
            self._banks |= _FLOAT if after.keys() & _FLOAT else _NONE
        keeps = self._banks
        if following is not None and following.before and record.before:
            keeps = _with_status(keeps)
            if following.before != record.before:
                old, new = _status(record.before), _status(following.before)
                after |= {name: value for name, value in new.items() if old.get(name) != value}
        pc, taken, target = record.pc, None, None
        if following is not None:
            taken = following.pc != pc + 4
            target = following.pc if taken else None
        return machine.step(
            Observed(
                pc, record.word, record.mnemonic, None, (), after, keeps, taken, target,
                record=record.ordinal,
            )
        )  # fmt: skip

    def _begin(self, record: StfRecord) -> Machine:
        self._machine = Machine(self._trace.facts.arch or "ppc", KnownMemory())
        self._machine.registers.update(self._start | _status(record.before))
        return self._machine


@lru_cache(maxsize=8)
def _with_status(banks: frozenset[str]) -> frozenset[str]:
    return banks | _STATUS


def _registers(lines: bytes) -> dict[str, int]:
    return {
        ("r" if bank == b"R" else "f") + str(int(number)): int(value, 16)
        for bank, number, value in REGISTER.findall(lines)
    }


@lru_cache(maxsize=4096)
def _status(line: bytes) -> dict[str, int]:
    """Return the status registers of a line by our names: the same lines come again and again."""
    values = {OLDER.get(name, name): value for name, value in registers_of(line).items()}
    found = {ours: values[name] for name, ours in STATUS_NAMES.items() if name in values}
    if "CCR" in values:
        found |= {name: values["CCR"] >> 28 - 4 * n & 15 for n, name in enumerate(_FIELDS)}
    return found
