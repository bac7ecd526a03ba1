"""Checks that no memory of the heap or the stack is read before anything was written there.

The runtime records which blocks an allocator returns uninitialised (malloc and the like, not
calloc), and when functions make their frames. A load is a finding if none of its bytes was written
since, by an instruction, the C library or the kernel.

Correct programs load such bytes, too: a bit-field is stored by loading the word around it, a copy
of a structure takes what was never set with it, and compilers load what they need only on one way.
A load is none of these for the check if within the thread's next accesses neither the same
bytes are stored nor the same value is stored anywhere. Loads whose value only one path uses
cannot be recognised, so this check runs only where it is named (`--only uninitialised`).

Of the stack only what a function loads from its own frame is judged (see `fresh_stack`). That needs
the program, whose symbols say which function an instruction belongs to.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from inst.check.fresh_stack import Block, FreshStack
from inst.check.happens import AFTER, ALLOCATES, BEFORE, RAW
from inst.check.uninstrumented import Uninstrumented
from inst.trace.finding import ERROR, Check, Finding, Options, Other, finding_at
from inst.trace.model import Array, Flag, Kind, Trace

CODES = {
    "uninitialised": "An instruction reads memory of a block from malloc, or of its "
    "function's frame, of which none was written since: what it reads depends on what the memory "
    "was used for before.",
}

NEXT = 32
"""Accesses after a load that may show that it was part of a store or of a copy."""
LARGEST = 1 << 24
"""Bytes of the largest block that is followed."""
ROOM = 1 << 26
"""Bytes of all blocks that are followed at a time."""
_ACCESSES = (int(Kind.READ), int(Kind.WRITE))
_REGIONS = (int(Kind.INIT), int(Kind.FREE), int(Kind.SET))
_OF_INSTRUCTIONS = int(Flag.HAS_VALUE | Flag.HAS_PC)
"""Ranges that the C library or the kernel reads have neither."""
_HEAP = (
    "the block was allocated",
    "a block of {} bytes was allocated here",
    "the block before, or calloc",
)
_STACK = (
    "the function made its frame",
    "a frame of {} bytes was made here",
    "the frame before",
)
"""How a finding calls what was not written, where that is from, and what would be right."""
_WATCHED = (*_ACCESSES, *_REGIONS, int(Kind.HINT), int(Kind.TRAP), int(Kind.GAP))


def start(trace: Trace, options: Options) -> Check:
    """Return the check; it has no settings."""
    return _Uninitialised(trace)


@dataclass(slots=True)
class _Load:
    """A load of bytes that were never written, until it is clear what became of it."""

    row: Array
    block: Block
    left: int = NEXT


class _Uninitialised(Check):
    """The check at work on one trace."""

    needs_all = True

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._starts: list[int] = []
        self._blocks: dict[int, Block] = {}
        self._bytes = 0
        self._stack = FreshStack(trace)
        self._loads: list[_Load] = []
        self._found: dict[tuple[int, int], Finding] = {}
        """Findings by the place of the instruction: its address and its line."""
        self._thread: int | None = None
        self._unknown = ""
        """Why nothing more can be decided."""

    def events(self, rows: Array) -> Iterator[Finding]:
        if not self._unknown:
            self._learn(rows)
        if not self._unknown:
            words = self._trace.words.texts
            frames = self._stack.made(rows)[::-1]
            for index in np.flatnonzero(np.isin(rows["kind"], _WATCHED)).tolist():
                while frames and frames[-1][0] <= index:
                    self._stack.enter(frames.pop()[1])
                self._step(rows[index], words)
            for _, frame in reversed(frames):
                self._stack.enter(frame)
        yield from ()

    def finish(self) -> Iterator[Finding]:
        for load in self._loads:
            self._report(load)
        if self._unknown:
            self._trace.notes.append(f"uninitialised: {self._unknown}")
        else:
            yield from self._found.values()

    def _learn(self, rows: Array) -> None:
        """See whether the trace states all that is written, in the order in which it was."""
        uninstrumented = Uninstrumented.of(self._trace.facts)
        self._thread = int(rows["thread"][0]) if self._thread is None else self._thread
        if uninstrumented:
            self._unknown = f"{uninstrumented.sentence()}, so nothing was looked for"
        elif (rows["thread"] != self._thread).any():
            self._unknown = "the trace has several threads, so nothing was looked for"

    def _step(self, row: Array, words: list[str]) -> None:
        kind, address = int(row["kind"]), int(row["address"])
        if kind == Kind.GAP:  # what was stored in between is not known
            self._forget_all()
        elif kind == Kind.HINT:
            self._hint(row, words[int(row["detail"])])
        elif kind == Kind.TRAP:
            if int(row["flags"]) & Flag.HAS_PC:  # a call that may have written anything
                self._forget_all()
        elif kind == Kind.READ:
            self._watch(row)
            if int(row["flags"]) & _OF_INSTRUCTIONS:
                self._read(row)
        else:
            self._watch(row)
            self._written(address, int(row["size"]))

    def _hint(self, row: Array, word: str) -> None:
        address, size = int(row["address"]), int(row["value"])
        if word == ALLOCATES:
            self._unknown = "the program's allocator is instrumented, so nothing was looked for"
        elif word in (AFTER, BEFORE):
            self._drop(address, address + (size if word == AFTER and size <= LARGEST else 1))
        elif word == RAW and 0 < size <= LARGEST and self._bytes + size <= ROOM:
            self._drop(address, address + size)
            block = Block(address, bytearray(b"\1") * size, int(row["record"]), int(row["site"]))
            self._blocks[address] = block
            insort(self._starts, address)
            self._bytes += size

    def _forget_all(self) -> None:
        self._starts.clear()
        self._blocks.clear()
        self._bytes = 0
        self._stack.forget()

    def _overlapping(self, low: int, high: int) -> list[Block]:
        """Return the blocks that have bytes of a range, in order."""
        at = max(bisect_right(self._starts, low) - 1, 0)
        found = []
        while at < len(self._starts) and self._starts[at] < high:
            block = self._blocks[self._starts[at]]
            if block.end > low:
                found.append(block)
            at += 1
        return found

    def _drop(self, low: int, high: int) -> None:
        for block in self._overlapping(low, high):
            self._starts.remove(block.start)
            del self._blocks[block.start]
            self._bytes -= len(block.fresh)

    def _written(self, address: int, size: int) -> None:
        self._stack.written(address, address + size)
        for block in self._overlapping(address, address + size):
            block.clear(address, address + size)

    def _read(self, row: Array) -> None:
        address, size = int(row["address"]), int(row["size"])
        if _place(row) in self._found:
            return
        for block in self._overlapping(address, address + size):
            if block.is_fresh(address, size):
                self._loads.append(_Load(row.copy(), block))
        frame = self._stack.unwritten(address, size, int(row["pc"]))
        if frame is not None:
            self._loads.append(_Load(row.copy(), frame))

    def _watch(self, row: Array) -> None:
        """Judge the loads before an access by that access."""
        for load in list(self._loads):
            if int(row["kind"]) == Kind.WRITE and _explains(load.row, row):
                self._loads.remove(load)
                continue
            load.left -= 1
            if not load.left:
                self._loads.remove(load)
                self._report(load)

    def _report(self, load: _Load) -> None:
        row, sites = load.row, self._trace.sites.texts
        if _place(row) in self._found:
            return
        size, address, block = int(row["size"]), int(row["address"]), load.block
        since, given, instead = _HEAP if not block.function else _STACK
        self._found[_place(row)] = finding_at(
            row,
            self._trace,
            "uninitialised",
            ERROR,
            f"thread {row['thread']} reads {size} byte{'s' * (size != 1)} at {address:#x}, which "
            f"nothing has written since {since}",
            site=sites[int(row["site"])],
            expected=f"a store to byte {address - block.start} of {instead}",
            others=(
                Other(
                    block.record,
                    given.format(len(block.fresh)),
                    pc=block.pc or None,
                    site=sites[block.site],
                ),
            ),
        )


def _place(row: Array) -> tuple[int, int]:
    return int(row["pc"]), int(row["site"])


def _explains(load: Array, store: Array) -> bool:
    """Return whether a store changes some bits of what was loaded, or copies it."""
    address, size = int(load["address"]), int(load["size"])
    low, high = int(store["address"]), int(store["address"]) + int(store["size"])
    if low < address + size and address < high:
        return True
    known = int(load["flags"]) & int(store["flags"]) & Flag.HAS_VALUE
    same = int(store["value"]) == int(load["value"])
    return bool(known) and same and int(store["size"]) == size
