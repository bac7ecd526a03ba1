"""Empties the ring of a recording while its program runs, and writes a packed recording.

A full slot is copied, cleared and freed before its chunk is compressed, so that the program does
not wait for the compression. The program's output, which the ring names, becomes the packed
recording.
"""

from __future__ import annotations

import os
import struct
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

import numpy as np

from inst.formats.rec import RING
from inst.formats.rec.container import LARGEST, SMALLEST, Layout
from inst.formats.rec.packed import why_stopped
from inst.formats.rec.packing import FAST, FASTEST, LEVEL, Packer
from inst.formats.rec.ring import (
    FREE,
    FULL,
    LONGEST_NAME,
    NAME,
    NUMBERS,
    TABLE,
    slot_type,
)
from inst.trace.model import Array

_FREED = bytes(4)


def is_ring(path: Path) -> bool:
    """Return whether a file is a ring whose description is whole."""
    try:
        with path.open("rb") as stream:
            return stream.read(len(RING)) == RING
    except OSError:
        return False


class Emptied:
    """A ring, and the packed recording that its chunks go to."""

    def __init__(self, path: Path) -> None:
        """Open a ring; its output is opened when it has a first chunk.

        Raises OSError if it cannot be opened, and ValueError if it is damaged.
        """
        self.path = path
        self.waits = 0
        """How often the program has waited for a slot."""
        self.failure: OSError | None = None
        """Why the output cannot be written; what comes after that is discarded."""
        self._fd = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        start = os.pread(self._fd, TABLE, 0)
        self._layout = _layout(start)
        self.output = os.fsdecode(start[NAME : NAME + LONGEST_NAME].split(b"\0")[0])
        self._zeros = bytes(self._layout.chunk)
        self._stream: BinaryIO | None = None
        self._packer: Packer | None = None
        (self.process,) = struct.unpack_from(f"{self._layout.order}I", start, NUMBERS + 4)

    @property
    def is_over(self) -> bool:
        """Return whether the program has ended its recording."""
        return self._numbers()[3] != 0

    def _numbers(self) -> tuple[int, ...]:
        return struct.unpack(f"{self._layout.order}6I", os.pread(self._fd, 24, NUMBERS))

    def _slots(self) -> Array:
        kinds = slot_type(self._layout)
        count = min(self._numbers()[0], (self._layout.chunk - TABLE) // kinds.itemsize)
        rows = os.pread(self._fd, count * kinds.itemsize, TABLE)
        return np.frombuffer(rows, kinds, len(rows) // kinds.itemsize)

    def take(self) -> int:
        """Write the chunks of all full slots and free these; return how many there were."""
        slots = self._slots()
        full = np.flatnonzero(slots["state"] == FULL)
        level = _level(len(full) / max(len(slots), 1))
        for slot in full.tolist():
            chunk = self._chunk(slot)
            os.pwrite(self._fd, self._zeros, self._place(slot))
            os.pwrite(self._fd, _FREED, TABLE + slots.itemsize * slot)
            self._add(int(slots["number"][slot]), chunk, level)
        return len(full)

    def finish(self) -> None:
        """Write what else the ring holds, end the recording, and remove the ring's file.

        No process may write to the ring any longer.
        """
        self.take()
        slots = self._slots()
        for slot in np.flatnonzero(slots["state"] != FREE).tolist():
            if slots["number"][slot]:
                self._add(int(slots["number"][slot]), self._chunk(slot))
        self.waits = self._numbers()[4]
        self._end()
        os.close(self._fd)
        self.path.unlink(missing_ok=True)

    def _place(self, slot: int) -> int:
        return (1 + slot) * self._layout.chunk

    def _chunk(self, slot: int) -> bytes:
        return os.pread(self._fd, self._layout.chunk, self._place(slot))

    def _first(self) -> bytes:
        """Return the first chunk; empty if there is none yet."""
        slots = self._slots()
        found = np.flatnonzero((slots["state"] != FREE) & (slots["number"] == 0))
        return self._chunk(int(found[0])) if len(found) else b""

    def _add(self, number: int, chunk: bytes, level: int = LEVEL) -> None:
        if self.failure:
            return
        try:
            self._begun().add(number, chunk, level)
        except OSError as error:
            self._stop(error)

    def _begun(self) -> Packer:
        """Return the packed recording, which replaces what the program has written to its output.

        That is its first records, and it has locked the file.
        """
        if self._packer is None:
            self._stream = open(self.output, "r+b", buffering=0)  # noqa: SIM115
            self._packer = Packer(self._stream, self._first())
        return self._packer

    def _end(self) -> None:
        first = self._first()
        if first and not self.failure:
            try:
                self._begun().finish(first)
            except OSError as error:
                self._stop(error)
        if self._stream:
            self._stream.close()

    def _stop(self, error: OSError) -> None:
        """Have the output state why it cannot be written; otherwise it remains unfinished."""
        self.failure = error
        if self._packer:
            with suppress(OSError):
                self._packer.stop(why_stopped(error))


def _level(share: float) -> int:
    """Return how to compress, by the share of the slots that are full: at 1 the program waits."""
    if share < 1 / 4:
        return LEVEL
    return FAST if share < 1 / 2 else FASTEST


def _layout(start: bytes) -> Layout:
    if len(start) < TABLE or start[:8] != RING:
        raise ValueError("not a ring")
    _, width, order, _, chunk = struct.unpack_from(">BBcBI", start, 8)
    if width not in (4, 8) or order not in (b"b", b"l") or not SMALLEST <= chunk <= LARGEST:
        raise ValueError("a damaged ring")
    return Layout(width, chunk, order == b"l")
