"""Instructions of two words, which events have no room for: what a trace or a program has there."""

from __future__ import annotations

import numpy as np

from inst.arch.registry import produced_by
from inst.program.program import Locator
from inst.trace.model import Array, Flag, Kind, Trace, among
from inst.words.decode import words_of

_EXECUTED = among(Kind.READ, Kind.WRITE, Kind.RESERVE, Kind.INSTRUCTION)


class Longer:
    """Finds the instructions of events that have an address of one, and no word."""

    def __init__(self, trace: Trace, locator: Locator | None) -> None:
        self._trace, self._locator = trace, locator

    def of(self, events: Array) -> tuple[Array, Array]:
        """Return the rows of events whose instructions have two words, and these instructions."""
        arch, flags = self._trace.facts.arch, events["flags"]
        none = np.zeros(0, "i8"), np.zeros(0, "u8")
        if not arch or produced_by(arch) is None or (prefix := words_of(arch).prefix) is None:
            return none
        is_bare = flags & int(Flag.HAS_PC | Flag.HAS_WORD) == int(Flag.HAS_PC)
        rows = np.flatnonzero(is_bare & _EXECUTED[events["kind"]])
        if not len(rows):
            return none
        pcs, places = np.unique(events["pc"][rows], return_inverse=True)
        found = self._trace.longer_at(pcs)
        left = np.flatnonzero(found == 0)
        if self._locator is not None and len(left):
            found[left] = self._locator.longer_at(pcs[left], prefix)
        instructions = found[places]
        known = instructions != 0
        return rows[known], instructions[known]
