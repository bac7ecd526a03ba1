"""Does anything but a window trap touch where SPARC saves register windows?

The 64 bytes at each frame's %sp belong to the processor's spill and fill traps: what a
program writes there becomes some function's registers, or is lost. An access with %sp or %fp
as its base shows by itself whether it lies there. In traces of every instruction the frames
are followed through save and restore, so that accesses through any pointer are seen as well.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterator

import numpy as np

from inst.check.model import ERROR, WARNING, Check, Finding, Options
from inst.trace.model import Array, Flag, Kind, Trace
from inst.words import decode

CODES = {
    "window-write": "A program wrote to the save area of a register window: the registers of the "
    "function it belongs to change when the window is filled again.",
    "window-read": "A program read from the save area of a register window: it holds the "
    "registers only after the window was spilled (flushw, ta 3).",
}

AREA = 64
"""Bytes of a save area: %l0-%l7 and %i0-%i7 of 32 bits."""
STACK, FRAME = 14, 30
_SAVE, _RESTORE, _RETURN = 0x3C, 0x3D, 0x39
DEEPEST = 10_000
"""Frames remembered for a thread; of a deeper stack the outermost are forgotten."""


def start(trace: Trace, options: Options) -> Check:
    """Return the check."""
    return StackWindow(trace)


class StackWindow(Check):
    """The check at work on one trace."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._every_instruction = False
        self._frames: dict[int, _Frames] = {}

    def events(self, rows: Array) -> Iterator[Finding]:
        arch = self._trace.facts.arch
        if (
            decode.family(arch) != "sparc"
            or "64" in arch
            or (not arch and self._trace.format != "rst")
        ):
            return
        words = rows["flags"] & int(Flag.HAS_WORD) != 0
        user = rows["flags"] & int(Flag.PRIVILEGED | Flag.ANNULLED | Flag.TRAPPED) == 0
        access = ((rows["kind"] == Kind.READ) | (rows["kind"] == Kind.WRITE)) & user & words
        word = rows["word"]
        moves = words & user & (word >> 30 == 2) & np.isin(word >> 19 & 63, (_SAVE, _RESTORE,
                                                                             _RETURN))  # fmt: skip
        self._every_instruction |= bool(moves.any())
        if not self._every_instruction:
            access &= _by_base(word)
        for at in np.flatnonzero(access | moves).tolist():
            row = rows[at]
            frames = self._frames.setdefault(int(row["thread"]), _Frames())
            if moves[at]:
                frames.move(int(row["word"]))
            elif frames.touches(int(row["word"]), int(row["address"]), int(row["size"])):
                yield self._finding(row)

    def _finding(self, row: Array) -> Finding:
        writes = int(row["kind"]) == Kind.WRITE
        address, size = int(row["address"]), int(row["size"])
        message = (
            f"thread {row['thread']} {'writes' if writes else 'reads'} {size} "
            f"byte{'s' * (size != 1)} at {address:#x}, where a register window is saved"
        )
        return Finding(
            "window-write" if writes else "window-read",
            ERROR if writes else WARNING,
            self._trace.name,
            int(row["record"]),
            message,
            id=int(row["id"]),
            thread=int(row["thread"]),
            pc=int(row["pc"]) if int(row["flags"]) & Flag.HAS_PC else None,
            expected="locals below %fp, outgoing arguments from %sp+68 on",
        )


def _by_base(word: Array) -> Array:
    """Tell accesses whose own word puts them into the area at %sp or %fp."""
    base, offset = word >> 14 & 31, word & 0x1FFF
    bases: Array = ((base == STACK) | (base == FRAME)) & (word & 0x2000 != 0) & (offset < AREA)
    return bases


def _offset(word: int) -> int | None:
    """Return the immediate that an instruction adds to its base; None if a register is."""
    if not word & 0x2000:
        return None
    number = word & 0x1FFF
    return number - (number >> 12 << 13)


class _Frames:
    """Stack pointers of a thread's frames, as far as they are known: ascending addresses."""

    def __init__(self) -> None:
        self._known: list[int] = []

    def move(self, word: int) -> None:
        """Follow save, restore and return."""
        if word >> 19 & 63 != _SAVE:
            del self._known[:1]
            return
        offset = _offset(word)
        ordinary = word >> 14 & 31 == STACK and word >> 25 & 31 == STACK
        if not self._known or offset is None or offset >= 0 or not ordinary:
            self._known.clear()  # the new frame's place is learned from its accesses
            return
        self._known.insert(0, self._known[0] + offset)
        del self._known[DEEPEST:]

    def touches(self, word: int, address: int, size: int) -> bool:
        """Learn from an access with %sp or %fp; tell whether one lies in a save area."""
        base, offset = word >> 14 & 31, _offset(word)
        if offset is not None and base in (STACK, FRAME):
            start = address - offset
            if base == STACK and self._known[:1] != [start]:
                self._known = [start, *self._known[bisect.bisect_right(self._known, start) :]]
            return -size < offset < AREA
        at = bisect.bisect_right(self._known, address + size - 1) - 1
        return at >= 0 and address < self._known[at] + AREA
