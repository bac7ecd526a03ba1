"""The functions of the programs as they were loaded: whole columns of addresses at once."""

from __future__ import annotations

import numpy as np

from inst.program.program import Locator
from inst.trace.model import Array

NOWHERE = -1
"""The number of no function."""
_COLD = ".cold"
"""How gcc names the part of a function that it moves elsewhere."""


class Functions:
    """Functions by run-time addresses. A function's number is its place in the lists."""

    def __init__(self, locator: Locator | None) -> None:
        self._locator = locator
        self._images = -1
        self._starts = np.zeros(0, "u8")
        self._ends = np.zeros(0, "u8")
        self._numbers = np.zeros(0, "i8")
        self.starts: list[int] = []
        self.names: list[str] = []
        self.cold: dict[int, list[int]] = {}
        """By function: where its cold parts begin."""
        self._by_start: dict[int, int] = {}

        self._pads: tuple[Array, Array, Array] | None = None
        """Where code begins and ends whose exceptions are caught, and their landing pads."""
        self._landings: set[int] = set()

    @property
    def known(self) -> bool:
        """Whether there are any."""
        return len(self._starts) > 0

    def settle(self, images: int) -> bool:
        """Read the tables anew if more images were loaded; return whether that was done."""
        if self._locator is None or images == self._images:
            return False
        self._images, self._pads = images, None
        rows = sorted(
            (start + bias & (1 << 64) - 1, size, name)
            for program, bias in self._locator.loaded()
            for start, size, name in program.function_table()
        )
        # Of several names of one address the last one stays.
        rows = list({start: (start, size, name) for start, size, name in rows}.values())
        self._starts = np.array([start for start, _, _ in rows], "u8")
        sizes = np.array([max(size, 4) for _, size, _ in rows], "u8")
        self._ends = self._starts + sizes
        numbers = [self._number(start, name, rows) for start, _, name in rows]
        self._numbers = np.array(numbers, "i8")
        return True

    def _number(self, start: int, name: str, rows: list[tuple[int, int, str]]) -> int:
        """Return the number of a function, and of its cold part the function's."""
        if name.endswith(_COLD):
            own = name.removesuffix(_COLD)
            cold, start = start, next((at for at, _, other in rows if other == own), start)
            self.cold.setdefault(self.at_entry(start), []).append(cold)
        return self.at_entry(start)

    def is_landing_pad(self, pc: int) -> bool:
        """Return whether an exception that was thrown goes on at an address."""
        self._read_pads()
        return pc in self._landings

    def landing_pad(self, back: int) -> int:
        """Return where exceptions go on that end a call which would return to an address; or 0."""
        starts, ends, pads = self._read_pads()
        call = max(back - 1, 0)
        at = int(np.searchsorted(starts, np.uint64(call), "right")) - 1
        return int(pads[at]) if at >= 0 and call < int(ends[at]) else 0

    def _read_pads(self) -> tuple[Array, Array, Array]:
        if self._pads is None:
            loaded = self._locator.loaded() if self._locator else []
            rows = sorted(
                tuple(address + bias & (1 << 64) - 1 for address in row)
                for program, bias in loaded
                for row in program.landing_pads()
            )
            columns = np.array(rows, "u8").reshape(-1, 3)
            self._pads = columns[:, 0], columns[:, 1], columns[:, 2]
            self._landings = {pad for _, _, pad in rows}
        return self._pads

    def at_entry(self, start: int) -> int:
        """Return the number of the function that begins at an address, known or not."""
        if start not in self._by_start:
            self._by_start[start] = len(self.names)
            self.starts.append(start)
            place = self._locator(start) if self._locator else None
            self.names.append(place.function if place and place.function else f"{start:#x}")
        return self._by_start[start]

    def column(self, pcs: Array) -> Array:
        """Return the number of the function each address is in, as i8; NOWHERE for none."""
        if not self.known:
            return np.full(len(pcs), NOWHERE)
        at = np.searchsorted(self._starts, pcs, "right") - 1
        inside = (at >= 0) & (pcs < self._ends[at])
        return np.where(inside, self._numbers[at], NOWHERE)

    def at(self, pc: int) -> int:
        """Return the number of the function an address is in; NOWHERE for none."""
        return int(self.column(np.array([pc], "u8"))[0])

    def extent(self, pc: int) -> tuple[int, int]:
        """Return where the code around an address begins and ends; (0, 0) if in no function."""
        at = int(np.searchsorted(self._starts, np.uint64(pc), "right")) - 1
        if at < 0 or pc >= int(self._ends[at]):
            return 0, 0
        return int(self._starts[at]), int(self._ends[at])
