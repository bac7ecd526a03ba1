"""The instructions of one thread as they are executed again, passed on to an observer."""

from __future__ import annotations

import numpy as np

from inst.formats.rec.instrumented import Program
from inst.replay.executed import Executed, Observer
from inst.replay.machine import BETWEEN, CONTINUED, Machine
from inst.trace.model import Array

ROOM = 1 << 16
"""Instructions that are kept before they are passed on."""


class Watch:
    """The columns that a thread's processor fills."""

    def __init__(self, program: Program, machine: Machine, thread: int, observe: Observer) -> None:
        self._program, self._machine, self._thread = program, machine, thread
        self._observe = observe
        self._pc = np.zeros(ROOM, "u8")
        room = 2 * ROOM + 4 * len(machine.units)
        self._changes = np.zeros(room, "u4"), np.zeros(room, "u4"), np.zeros(room, "u8")
        machine.set_executed(self._pc)
        machine.set_changed(*self._changes)

    def pass_on(self, accesses: tuple[Array, ...]) -> None:
        """Pass on what was executed, with its accesses: as `Machine.set_outputs` has them."""
        machine, program = self._machine, self._program
        count = machine.executed_count
        if not count:
            return
        pc = self._pc[:count].copy()
        row, unit, value = (each[: machine.changed_count].copy() for each in self._changes)
        word, _ = program.tables.code.at(program.linked(pc))
        arrives = np.isin(pc, program.arriving)
        unit[arrives[row]] |= np.uint32(BETWEEN)
        _, address, accessed, kind = (each.copy() for each in accesses)
        reported = np.flatnonzero(np.isin(pc, program.reported))
        first = np.cumsum(kind & CONTINUED == 0) - 1
        machine.executed_count = machine.changed_count = 0
        self._observe(
            Executed(
                self._thread, pc, word.astype("u4"), row, unit, value,
                reported[first], address, accessed, kind,
            )
        )  # fmt: skip
