"""The search for the round of a loop in which registers had values that are known.

Not all of them need to be alike: what a register holds that nothing reads is not always known.  But
those have to be that the loop has changed.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Mapping

import numpy as np

from inst.replay.library import RoundSearch
from inst.replay.machine import Machine
from inst.target.model import Target


@functools.cache
def _parts(target: Target) -> dict[str, list[tuple[int, int]]]:
    """Return for each register the words of a saved state that have its bits, and which bits."""
    machine, found = Machine(target), {}
    for name in machine.registers():
        mask = np.frombuffer(machine.state_with({name: -1}), "u4")
        found[name] = [(place, int(mask[place])) for place in np.flatnonzero(mask).tolist()]
    return found


class Rounds:
    """A search: `Machine.run_rounds` goes on with it, up to each breakpoint again and again."""

    def __init__(self, machine: Machine, registers: Mapping[str, int]) -> None:
        parts = _parts(machine.target)
        known = parts.keys() & registers.keys()
        wanted = machine.state_with({name: registers[name] for name in known})
        chosen = [part for name in known for part in parts[name]]
        self._columns = (
            np.frombuffer(wanted, "u4"),
            np.frombuffer(machine.saved(), "u4"),
            np.array([place for place, _ in chosen], "u4"),
            np.array([mask for _, mask in chosen], "u4"),
        )
        addresses = (column.ctypes.data for column in self._columns)
        self._search = RoundSearch(*addresses, len(chosen))

    @property
    def address(self) -> int:
        """Where the interpreter finds it."""
        return ctypes.addressof(self._search)

    @property
    def is_unique(self) -> bool:
        """Return whether they were as much alike only once."""
        return bool(self._search.times <= 1)

    @property
    def found(self) -> int:
        """After how many instructions the registers were most alike, for the first time."""
        return int(self._search.found)
