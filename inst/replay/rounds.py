"""The search for the round of a loop in which registers had values that are known.

Not all of them need to be alike: what a register holds that nothing reads is not always known.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping

import numpy as np

from inst.replay.library import RoundSearch
from inst.replay.machine import Machine


class Rounds:
    """A search: `Machine.run_rounds` goes on with it, up to each breakpoint again and again."""

    def __init__(self, machine: Machine, registers: Mapping[str, int]) -> None:
        known = machine.registers().keys() & registers.keys()
        mask = machine.state_with(dict.fromkeys(known, -1))
        wanted = machine.state_with({name: registers[name] for name in known})
        self._columns = (
            np.frombuffer(wanted, "u4"),
            np.frombuffer(mask, "u4"),
            np.flatnonzero(np.frombuffer(mask, "u4")).astype("u4"),
        )
        addresses = (column.ctypes.data for column in self._columns)
        self._search = RoundSearch(*addresses, len(self._columns[-1]))

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
