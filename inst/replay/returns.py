"""Calls of code that is not executed, from which control comes back with nothing in between."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from inst.replay.left_out import LeftOut
from inst.replay.library import Column

Array = npt.NDArray[Any]


class Returns(LeftOut):
    """What a machine has for them (`inst/replay/engine/returns.c`)."""

    def set_returns(
        self, takers: Array, names: Mapping[int, int], mask: int, stack_pointer: str
    ) -> None:
        """Set how the next value says that a call has returned: all instructions that take values,
        u8 and ascending; and of those that take a name after a call which name that is. The other
        bits than the mask's do not count.
        """
        rows = np.array(sorted(names.items()), "u8").reshape(-1)
        takers = np.ascontiguousarray(takers, "u8")
        self._kept["returns"] = (takers, rows)
        control = self._control
        control.takers, control.returns = (
            Column(one.ctypes.data, len(one)) for one in (takers, rows)
        )
        control.name_mask = mask
        control.stack_at, control.stack_size = self._place_of(stack_pointer)
        self._set_link()

    def add_other(self, function: int) -> None:
        """Add a function whose calls need not stop the run: its code is not executed."""
        (known,) = self._kept.get("others", (np.zeros(0, "u8"),))
        if function not in known:
            known = np.sort(np.append(known, np.uint64(function)))
            self._kept["others"] = (known,)
            self._control.others = Column(known.ctypes.data, len(known))

    def take_highest(self) -> int:
        """Return the highest stack pointer of such a call since this was asked last; 0: there was
        none."""
        highest, self._control.highest = int(self._control.highest), 0
        return highest

    def stop_at_calls(self) -> None:
        """Let each of these calls stop the run from now on."""
        self._control.waits = True
