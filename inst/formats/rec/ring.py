"""A ring of chunks: slots that hold a chunk for a while, also when the program was killed.

Either another process empties the slots, or the program itself takes the oldest again, so that the
end of its recording is kept. A table states the number of the chunk in each slot.
"""

from __future__ import annotations

import struct
from typing import BinaryIO

import numpy as np

from inst.formats.rec.container import Layout, Placed
from inst.trace.model import Array, TraceError

FREE, WRITTEN, FULL, KEPT = range(4)
"""The state of a slot: empty, being written, full, and never to be emptied before the end."""
NUMBERS, LIMITS, NAME, TABLE = 16, 64, 128, 8192
"""Where in the first chunk its parts begin."""
LONGEST_NAME = 4000


def slot_type(layout: Layout) -> np.dtype[np.void]:
    """Return the type of a row of the table of slots."""
    order = layout.order
    return np.dtype([("state", f"{order}u4"), ("number", f"{order}u4"), ("released", f"{order}u8")])


class Ring(Placed):
    """A file of slots."""

    def __init__(self, name: str, stream: BinaryIO) -> None:
        super().__init__(name, stream)
        order = self.layout.order
        start = self.read(0, TABLE)
        if len(start) < TABLE:
            raise TraceError("the ring of a recording is cut short", name, offset=len(start))
        numbers = struct.unpack_from(f"{order}6I", start, NUMBERS)
        slots, _, self._next, self.finished, self.waits, self.overwritten = numbers
        self.unsaved, whole_from = struct.unpack_from(f"{order}2Q", start, LIMITS)
        self._take_places(self._read_slots(slots))
        if self.overwritten:
            self.whole_from = whole_from
            self.notes.append(
                f"the recording is partial: its ring kept the end, and {self.overwritten} chunks "
                "before it were overwritten"
            )
        if self.unsaved:
            self.notes.append(
                f"the recording is partial: {self.unsaved} bytes of it were given up, since "
                "nothing emptied its ring"
            )

    def read_layout(self) -> Layout:
        """Read the size of words and chunks."""
        layout = super().read_layout()
        mode = self.read(11, 1)
        if mode not in (b"d", b"f"):
            raise TraceError("a ring that is neither emptied nor overwritten", self.name, offset=11)
        return layout

    def _read_slots(self, slots: int) -> dict[int, int]:
        """Return the slots by the numbers of their chunks."""
        kinds, size = slot_type(self.layout), self.layout.chunk
        if slots > (size - TABLE) // kinds.itemsize:
            raise TraceError(f"a ring of {slots} slots", self.name, offset=NUMBERS)
        rows = np.frombuffer(self.read(TABLE, slots * kinds.itemsize), kinds)
        if len(rows) < slots or self.size < size * (1 + slots):
            raise TraceError("the ring of a recording is cut short", self.name, offset=self.size)
        bad = np.flatnonzero(rows["state"] > KEPT)
        if len(bad):
            place = TABLE + int(bad[0]) * kinds.itemsize
            raise TraceError("a damaged table of a ring", self.name, offset=place)
        return self._by_number(rows)

    def _by_number(self, rows: Array) -> dict[int, int]:
        used = np.flatnonzero(rows["state"] != FREE)
        numbers = rows["number"][used]
        places = dict(zip(numbers.tolist(), used.tolist(), strict=True))
        if len(places) != len(used):
            raise TraceError("two slots of a ring with one chunk", self.name, offset=TABLE)
        if 0 not in places:
            message = "a ring without its first chunk: the rest of the recording is elsewhere"
            raise TraceError(message, self.name, offset=TABLE)
        return places

    def was_overwritten(self, number: int) -> bool:
        """Return whether a chunk is not there since a later one has taken its slot."""
        return bool(self.overwritten) and number < self._next and not self.has(number)

    def chunk(self, number: int, start: int, end: int) -> bytes:
        """Return a part of a chunk."""
        return self.read(self.place(number) + start, end - start)

    def place(self, number: int) -> int:
        """Return where the slot of a chunk is."""
        return (1 + self._places[number]) * self.layout.chunk
