"""The instructions of one thread as they are executed again, passed on to an observer."""

from __future__ import annotations

import numpy as np

from inst.formats.rec.instrumented import Program
from inst.replay.executed import Executed, Observation
from inst.replay.library import Reason
from inst.replay.machine import BETWEEN, CONTINUED, WHOLE_LIMIT, Machine, Stop
from inst.trace.model import Array

ROOM = 1 << 16
"""Instructions that are kept before they are passed on."""


class Watch:
    """Executes one thread's instructions, and has columns for them while they are observed."""

    def __init__(
        self, program: Program, machine: Machine, thread: int, observation: Observation
    ) -> None:
        self._program, self._machine, self._thread = program, machine, thread
        self._observe, self.steps = observation.observe, observation.steps
        self._is_on = False
        self._pc = np.zeros(0, "u8")
        self._changes = np.zeros(0, "u4"), np.zeros(0, "u4"), np.zeros(0, "u8")

    def _turn_on(self) -> None:
        room = 2 * ROOM + 4 * len(self._machine.units)
        self._is_on, self._pc = True, np.zeros(ROOM, "u8")
        self._changes = np.zeros(room, "u4"), np.zeros(room, "u4"), np.zeros(room, "u8")
        self._machine.set_executed(self._pc)
        self._machine.set_changed(*self._changes)

    def run(self, limit: int = WHOLE_LIMIT) -> Stop | None:
        """Execute up to some instructions; None where the next one's number has been reached."""
        if self.steps.observing and not self._is_on:
            self._turn_on()
        stop = self._machine.run(min(limit, self.steps.left()))
        self.steps.done += stop.executed
        return None if stop.reason is Reason.LIMIT and stop.executed < limit else stop

    def pass_on(self, accesses: tuple[Array, ...]) -> None:
        """Pass on what was executed, with its accesses: as `Machine.set_outputs` has them."""
        machine, program = self._machine, self._program
        count = machine.executed_count
        if not count:
            return
        pc = self._pc[:count].copy()
        changed = machine.changed_count
        own = int(np.searchsorted(self._changes[0][:changed], count))
        row, unit, value = (each[:own].copy() for each in self._changes)
        word = program.instructions(pc)
        arrives = _are_among(pc, program.arriving)
        unit[arrives[row]] |= np.uint32(BETWEEN)
        _, address, accessed, kind = (each.copy() for each in accesses)
        reported = np.flatnonzero(_are_among(pc, program.reported))
        first = np.cumsum(kind & CONTINUED == 0) - 1
        machine.executed_count = 0
        for column in self._changes:  # of the next instruction, which has not been executed
            column[: changed - own] = column[own:changed].copy()
        self._changes[0][: changed - own] = 0
        machine.changed_count = changed - own
        self._observe(
            Executed(
                self._thread, pc, word, row, unit, value,
                reported[first], address, accessed, kind,
            )
        )  # fmt: skip


def _are_among(pcs: Array, ordered: Array) -> Array:
    """Return which addresses are among others, each of which stands once, ascending.

    For few addresses this is several times as fast as np.isin, which sorts them.
    """
    if not len(ordered):
        return np.zeros(len(pcs), bool)
    places = np.minimum(np.searchsorted(ordered, pcs), len(ordered) - 1)
    return np.asarray(ordered[places] == pcs)
