"""Checks that nothing but a window trap touches where SPARC saves register windows.

The 64 bytes at each frame's %sp belong to the processor's spill and fill traps: what a
program writes there becomes some function's registers, or is lost. An access with %sp or %fp
as its base shows by itself whether it lies there. In traces of every instruction the frames
are followed through save and restore, so that accesses through any pointer are seen as well.

Two uses of the area are as they should be.  Code for one flat window (-mflat) saves a register
in the very place where a spill would put it, and takes it from there.  And once all windows
are flushed (`ta 3`), their areas may be read: that is how backtraces are made.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterator

import numpy as np

from inst.arch.registry import is_wide, producer
from inst.check.straight import Code
from inst.trace.finding import ERROR, WARNING, Check, Finding, Options, finding_at
from inst.trace.model import Array, Flag, Kind, Trace
from inst.trace.registry import codec_of
from inst.words.model import SaveArea, Windows, Words

CODES = {
    "window-write": "A program wrote to the save area of a register window: the registers of the "
    "function it belongs to change when the window is filled again.",
    "window-read": "A program read from the save area of a register window: it holds the "
    "registers only after the window was spilled (flushw, ta 3).",
}

_FLUSH_REACH = 24
"""Words before a read, probes among them, in which its flush is looked for."""
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
        self._code = Code(trace)

    def events(self, rows: Array) -> Iterator[Finding]:
        windows = self._windows()
        if windows is None:
            return
        area = windows.area(self._trace.facts.arch)
        words = rows["flags"] & int(Flag.HAS_WORD) != 0
        user = rows["flags"] & int(Flag.PRIVILEGED | Flag.ANNULLED | Flag.TRAPPED) == 0
        access = ((rows["kind"] == Kind.READ) | (rows["kind"] == Kind.WRITE)) & user & words
        word = rows["word"]
        moves = words & user & windows.changes(word)
        flushes = words & user & np.isin(word, windows.flushes)
        self._every_instruction |= bool(moves.any())
        if not self._every_instruction:
            access &= windows.by_base(word, area)
        own = access & (rows["kind"] == Kind.WRITE) & windows.in_own_place(word)
        for at in np.flatnonzero(access | moves | flushes).tolist():
            row = rows[at]
            frames = self._frames.setdefault(int(row["thread"]), _Frames(windows, area))
            if moves[at]:
                frames.move(int(row["word"]))
            elif flushes[at]:
                frames.flush()
            elif own[at]:
                frames.saved_at(int(row["address"]), int(row["size"]))
            elif self._is_wrong(frames, row):
                yield self._finding(row)

    def _windows(self) -> Windows | None:
        """Return the words of register windows, if they are saved in areas of 64 bytes."""
        arch = self._trace.facts.arch or codec_of(self._trace).usual_arch
        return producer(arch).part(Words).windows if arch and not is_wide(arch) else None

    def _is_wrong(self, frames: _Frames, row: Array) -> bool:
        """Learn from an access; return whether it touches an area that it should not."""
        if not frames.touches(int(row["word"]), int(row["address"]), int(row["size"])):
            return False
        return int(row["kind"]) == Kind.WRITE or not self._is_flushed(frames, row)

    def _is_flushed(self, frames: _Frames, row: Array) -> bool:
        """Return whether a read finds what a flush of all windows or its function put there."""
        if frames.is_saved(int(row["address"]), int(row["size"])):
            return True
        if frames.is_flushed(int(row["address"])):
            return True
        if not int(row["flags"]) & Flag.HAS_PC:
            return False
        place = int(row["pc"])
        for before in range(place - 4, place - 4 * _FLUSH_REACH, -4):
            word = self._code.word(before)
            if word in frames.windows.flushes:
                return True
            if word == 0 or frames.windows.changes(np.array(word)):
                return False
        return False

    def _finding(self, row: Array) -> Finding:
        writes = int(row["kind"]) == Kind.WRITE
        address, size = int(row["address"]), int(row["size"])
        message = (
            f"thread {row['thread']} {'writes' if writes else 'reads'} {size} "
            f"byte{'s' * (size != 1)} at {address:#x}, where a register window is saved"
        )
        return finding_at(
            row,
            self._trace,
            "window-write" if writes else "window-read",
            ERROR if writes else WARNING,
            message,
            expected="locals below %fp, outgoing arguments from %sp+68 on",
        )


class _Frames:
    """Stack pointers of a thread's frames, as far as they are known: ascending addresses."""

    def __init__(self, windows: Windows, area: SaveArea) -> None:
        self.windows = windows
        self._size = area.size
        self._known: list[int] = []
        self._flushed: int | None = None
        """The stack pointer at which all windows were flushed; that frame is still there."""

        self._saved: dict[int, None] = {}
        """Words in which functions have saved registers themselves."""

    def saved_at(self, address: int, size: int) -> None:
        """Take note of registers that are saved where a spill would put them."""
        for word in range(address, address + size, 4)[:DEEPEST]:
            self._saved.pop(word, None)
            self._saved[word] = None
        while len(self._saved) > DEEPEST:
            del self._saved[next(iter(self._saved))]

    def is_saved(self, address: int, size: int) -> bool:
        """Return whether all words of a read are such."""
        return all(word in self._saved for word in range(address & ~3, address + size, 4))

    def flush(self) -> None:
        """Take note that all windows are in their areas."""
        self._flushed = self._known[0] if self._known else 0

    def is_flushed(self, address: int) -> bool:
        """Return whether an address is in an area that was flushed."""
        return self._flushed is not None and address >= self._flushed

    def move(self, word: int) -> None:
        """Follow save, restore and return."""
        if not self.windows.makes(word):
            if not self._known or self._flushed in (0, self._known[0]):
                self._flushed = None
            del self._known[:1]
            return
        windows = self.windows
        offset, stack = windows.immediate(word), windows.stack
        ordinary = windows.base(word) == stack and windows.target(word) == stack
        if not self._known or offset is None or offset >= 0 or not ordinary:
            self._known.clear()  # the new frame's place is learned from its accesses
            return
        self._known.insert(0, self._known[0] + offset)
        del self._known[DEEPEST:]

    def touches(self, word: int, address: int, size: int) -> bool:
        """Learn from an access with %sp or %fp; return whether one lies in a save area."""
        windows = self.windows
        base, offset = windows.base(word), windows.immediate(word)
        if offset is not None and base in (windows.stack, windows.frame):
            start = address - offset
            if base == windows.stack and self._known[:1] != [start]:
                self._known = [start, *self._known[bisect.bisect_right(self._known, start) :]]
            return -size < offset < self._size
        at = bisect.bisect_right(self._known, address + size - 1) - 1
        return at >= 0 and address < self._known[at] + self._size
