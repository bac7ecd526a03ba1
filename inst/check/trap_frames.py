"""What TRAP records state of the instructions that returns from traps go back to.

A TRAP record has the pc and npc that its trap saved. RETRY goes back to both, so an instruction
that it leads to may be in a delay slot: npc is where control goes on after it. DONE goes to the
saved npc and never into a delay slot. (The SPARC Architecture Manual, Version 9, A.15.)
"""

from __future__ import annotations

import numpy as np

from inst.formats.rst.codes import TRAP, TRAPPED
from inst.formats.rst.record import RstBatch
from inst.trace.model import Array
from inst.words.decode import trap_returns

Frame = tuple[int, int, int]
"""Trap level, pc and npc."""


class TrapFrames:
    """The saved pc and npc of each processor's traps, up to the return from them."""

    def __init__(self) -> None:
        self._frames: dict[int, list[Frame]] = {}
        self._returned: dict[int, Frame] = {}
        """What a RETRY returned to, by its record, until the instruction after it came."""

    def resumed(
        self, batch: RstBatch, steps: Array, linked: Array, carried: Array, arch: str
    ) -> tuple[Array, Array]:
        """Return which steps a RETRY led to, and the npc of each; 0 where no TRAP states it.

        `steps` has the columns record, cpu, pc, word and bits, one processor after the other;
        `carried` are the records of those that will be among the next steps, too.
        """
        returns, retries = trap_returns(steps["word"], arch)
        done = steps["bits"] & TRAPPED == 0
        self.take(batch, steps, returns & done & (steps["record"] >= batch.first))
        resumed, npc = np.zeros(len(steps), bool), np.zeros(len(steps), "u8")
        resumed[1:] = (retries & done)[:-1] & linked[1:]
        for at in np.flatnonzero(resumed).tolist():
            _, pc, after = self._returned.get(int(steps["record"][at - 1]), (0, 0, 0))
            npc[at] = after if pc == steps["pc"][at] else 0
        kept = set(carried.tolist()) if self._returned else set()
        self._returned = {r: frame for r, frame in self._returned.items() if r in kept}
        return resumed, npc

    def take(self, batch: RstBatch, steps: Array, returns: Array) -> None:
        """Take the traps of a batch, and the returns among its steps, in their order."""
        traps = np.flatnonzero(batch.raw["rtype"] == TRAP)
        at = np.flatnonzero(returns)
        if not len(traps) and not len(at):
            return
        records = np.concatenate([traps + batch.first, steps["record"][at].astype("i8")])
        cpus = np.concatenate([batch.column("trap", "cpuid", traps), steps["cpu"][at]])
        levels = batch.column("trap", "tl", traps)
        for place in np.argsort(records, kind="stable").tolist():
            frames = self._frames.setdefault(int(cpus[place]), [])
            if place < len(traps):
                row, level = traps[place], int(levels[place])
                frames[:] = [frame for frame in frames if frame[0] < level]
                pcs = batch.raw["first"][row], batch.raw["second"][row]
                frames.append((level, int(pcs[0]), int(pcs[1])))
            elif frames:
                self._returned[int(records[place])] = frames.pop()
