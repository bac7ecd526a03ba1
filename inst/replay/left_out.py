"""Loads whose values were left out of a recording, and the calls of glue that count them."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from inst.arch.registry import architecture
from inst.replay.library import Column, Control
from inst.replay.model import Semantics
from inst.target.model import Target
from inst.words.model import KeptLink

Array = npt.NDArray[Any]


class LeftOut:
    """What a machine has for them (`inst/replay/engine/windows.c`)."""

    target: Target
    state: Any
    _control: Control
    _kept: dict[str, tuple[Array, ...]]
    _places: Mapping[str, tuple[str, tuple[int, ...]]]
    _wider: set[str]

    def set_glue(self, entries: Array, kept: Mapping[int, KeptLink]) -> None:
        """Set the code from which calls return at once, since it only runs hooks, as long as fewer
        values have been taken than `pass_until`: first and end of each entry, and where sites keep
        the link register meanwhile, by the last word before the call.
        """
        links = [(word, *self._kept_link(one)) for word, one in kept.items()]
        rows = np.array(links, "u8").reshape(-1, 6)
        column = np.ascontiguousarray(entries[np.argsort(entries[:, 0])], "u8").reshape(-1)
        self._kept["glue"] = (column, rows)
        control = self._control
        control.glue = Column(column.ctypes.data, len(column))
        control.kept_links, control.kept_count = rows.ctypes.data, len(rows)
        self._set_link()

    def _set_link(self) -> None:
        """Set where the link register is, and how far beyond it calls return."""
        control, semantics = self._control, architecture(self.target.isa).part(Semantics)
        control.link_at, control.link_size = self._place_of(semantics.link)
        control.beyond_link = semantics.beyond_link

    def _kept_link(self, one: KeptLink) -> tuple[int, ...]:
        mask = (1 << 64) - 1
        is_in_frame = one.place is not None
        return (*self._place_of(one.register), is_in_frame, (one.place or 0) & mask,
                one.frame)  # fmt: skip

    def _place_of(self, register: str) -> tuple[int, int]:
        """Return where an integer register is in the state, and its bytes."""
        name, place = self._places[register]
        field = getattr(type(self.state), name)
        width = ctypes.sizeof(
            getattr(ctypes, f"c_uint{64 if name in self._wider else self.target.bits}")
        )
        return field.offset + width * (place[0] if place else 0), width

    def set_buffer(self, cursor: int, numbers: tuple[int, int]) -> None:
        """Set the two words that glue writes, and where."""
        control = self._control
        control.cursor, (control.buffer, control.buffer_limit) = cursor, numbers

    @property
    def pass_until(self) -> int:
        """How many values of the feed have been taken when calls of glue stop the run."""
        return int(self._control.pass_until)

    @pass_until.setter
    def pass_until(self, place: int) -> None:
        self._control.pass_until = place

    @property
    def left_out(self) -> int:
        """How many loads come next whose values have been left out of the feed."""
        return int(self._control.left_out)

    @left_out.setter
    def left_out(self, count: int) -> None:
        self._control.left_out = count

    def hold(self, count: int) -> None:
        """Stop before the last so many of the loads that were left out, as at the feed's end."""
        self._control.hold = count
