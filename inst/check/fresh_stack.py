"""Frames of functions, with which of their bytes were never written since they were made.

Only what a function reads of its own frame is judged: the frame is the topmost one that the
reading function made. So no memory counts that code without instrumentation may have used
since: frames that are gone stay known until another function takes the memory.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from inst.arch.registry import is_wide, producer
from inst.check.cells import CELL
from inst.check.frames import Frames
from inst.check.straight import Code
from inst.trace.model import Array, Flag, Kind, Trace
from inst.words.model import Words

LARGEST = 1 << 20
"""Bytes of the largest frame that is followed."""
ROOM = 1 << 24
"""Bytes of all frames that are followed at a time."""
_SAVED = 16
"""Registers of a window, which the processor saves at the end of a frame without a record."""


@dataclass(slots=True)
class Block:
    """Some memory, with a byte of its own for each that was never written."""

    start: int
    fresh: bytearray
    record: int
    site: int
    pc: int = 0
    function: int = 0
    """Of a frame: where the function begins that made it."""

    @property
    def end(self) -> int:
        return self.start + len(self.fresh)

    def clear(self, low: int, high: int) -> None:
        """Remember that some bytes were written, as far as they are in the block."""
        low, high = max(low, self.start), min(high, self.end)
        if low < high:
            self.fresh[low - self.start : high - self.start] = bytes(high - low)

    def is_fresh(self, low: int, size: int) -> bool:
        """Return whether all of some bytes are in the block, and none was written."""
        first = low - self.start
        return first >= 0 < size and self.fresh[first : first + size] == b"\1" * size


class FreshStack:
    """The frames of one thread, the outermost first: each is below the one before."""

    def __init__(self, trace: Trace) -> None:
        self._code = Code(trace)
        self._frames = Frames(trace, self._code)
        self._trace = trace
        self._blocks: list[Block] = []
        self._below: list[int] = []
        """The negative starts of the blocks, which ascend."""
        self._bytes = 0

    def made(self, rows: Array) -> list[tuple[int, Block]]:
        """Return the frames that are made in further rows, each with the row before which it is
        fresh, in the order of these rows."""
        taken = self._frames.taken(rows)
        saved = self._saved() if len(taken) else 0
        found = []
        columns = (taken.began, taken.row, taken.low, taken.high)
        for began, at, low, high in zip(*(column.tolist() for column in columns), strict=True):
            start, size = low * CELL + saved, (high - low) * CELL - saved
            row = rows[_with_place(rows, at)]
            function = self._code.function(int(row["pc"]))
            if function and size > 0:
                fresh = bytearray(b"\1") * (size if size <= LARGEST else 0)
                places = (int(row["record"]), int(row["site"]), int(row["pc"]))
                found.append((began, Block(start, fresh, *places, function)))
        return sorted(found, key=lambda pair: pair[0])

    def _saved(self) -> int:
        """Return how many bytes at a frame's lower end hold a window."""
        arch = self._trace.facts.arch
        if producer(arch).part(Words).windows is None:
            return 0
        return _SAVED * (8 if is_wide(arch) else 4)

    def enter(self, block: Block) -> None:
        """Take a new frame; those that begin below its end are gone."""
        while self._blocks and self._blocks[-1].start < block.end:
            self._leave()
        if self._bytes + len(block.fresh) <= ROOM:
            self._blocks.append(block)
            self._below.append(-block.start)
            self._bytes += len(block.fresh)

    def _leave(self) -> None:
        self._below.pop()
        self._bytes -= len(self._blocks.pop().fresh)

    def forget(self) -> None:
        """Know of no frame any more."""
        while self._blocks:
            self._leave()

    def written(self, low: int, high: int) -> None:
        """Remember that some bytes were written."""
        for block in self._from(high - 1):
            if block.end <= low:
                break
            block.clear(low, high)

    def _from(self, address: int) -> Iterator[Block]:
        """Return the blocks that begin at an address or below, the highest first."""
        for at in range(bisect_left(self._below, -address), len(self._blocks)):
            yield self._blocks[at]

    def unwritten(self, address: int, size: int, pc: int) -> Block | None:
        """Return the frame with some bytes if the function at `pc` made it and nothing was
        written there since."""
        block = next(self._from(address), None)
        if block is None or not block.is_fresh(address, size):
            return None
        function = self._code.function(pc)
        own = next((one for one in reversed(self._blocks) if one.function == function), None)
        return block if own is block else None


def _with_place(rows: Array, at: int) -> int:
    """Return the index of the row that says where the function is that made a frame: the next
    access, where the frame has an event of its own."""
    if int(rows["flags"][at]) & Flag.HAS_PC:
        return at
    kinds, flags = rows["kind"][at + 1 :], rows["flags"][at + 1 :]
    for later, (kind, flag) in enumerate(zip(kinds.tolist(), flags.tolist(), strict=True), at + 1):
        if kind == Kind.FRAME:
            break
        if flag & Flag.HAS_PC:
            return later
    return at
