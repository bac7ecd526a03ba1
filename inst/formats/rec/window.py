"""Some runs of one thread: their words, and the blocks in them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from inst.formats.rec.blocks import Broken, Finder
from inst.formats.rec.index import Head, Thread
from inst.formats.rec.layout import File
from inst.trace.model import Array, TraceError

PLACE = 25
"""Bits of a place in a chunk, above which its key has the number of the head."""


def key_of(head: int, offset: int) -> int:
    """Return what orders the places of a thread's blocks; head -1 is before all."""
    return (head + 1) << PLACE | offset


@dataclass(slots=True)
class Slab:
    """Runs of one head, which follow each other."""

    head: int
    start: int
    end: int
    """The bytes of the chunk."""
    runs: list[tuple[int, int]]
    """Their first bytes and those after their last."""
    base: int = 0
    """The word of the window at which it begins."""


Begins = tuple[tuple[int, int], tuple[int, int]]
"""Where a window begins: its first run, and the first one after those that were in the window
before; each is the number of its head, and its own in the head."""


@dataclass(slots=True)
class Window:
    """Words of some slabs, with a word of zeros before each, and the blocks in them."""

    width: int
    slabs: list[Slab]
    data: Array
    trailers: Array = field(default_factory=lambda: np.zeros(0, "i8"))
    """The words in which blocks end."""
    segments: Array = field(default_factory=lambda: np.zeros(0, "i4"))
    damage: TraceError | None = None
    """What follows the blocks."""
    is_last: bool = False
    may_be_partial: bool = False
    """The thread still ran when its program ended: its last block may not be filled."""
    run_ends: Array = field(default_factory=lambda: np.zeros(0, "i8"))
    """The words after the runs."""
    begins: Begins = ((0, 0), (0, 0))
    """Where to go on so that this is the first window."""

    @property
    def end(self) -> int:
        """Return the key of the window's end."""
        return key_of(self.slabs[-1].head, self.slabs[-1].end) if self.slabs else 0

    def words(self, keys: Array) -> Array:
        """Return the words of the window at which places are; -1 for a place outside."""
        first = np.array([key_of(slab.head, slab.start) for slab in self.slabs], "i8")
        last = np.array([key_of(slab.head, slab.end) for slab in self.slabs], "i8")
        base = np.array([slab.base for slab in self.slabs], "i8")
        which = np.searchsorted(first, keys, side="right") - 1
        inside = (which >= 0) & (keys <= last[which]) if len(first) else which >= 0
        found = base[which] + (keys - first[which]) // self.width if len(first) else which
        return np.where(inside, found, np.where(keys == 0, 0, -1))

    def blocks(self, words: Array) -> tuple[Array, Array, Array]:
        """Return how many blocks come before words, which end there, and which slabs begin."""
        before = np.searchsorted(self.trailers, words)
        ends = np.zeros(len(words), bool)
        if len(self.trailers):
            ends = (before > 0) & (self.trailers[before - 1] == words - 1)
        return before, ends, np.isin(words, [0, *(slab.base for slab in self.slabs)])

    def block_ends(self, blocks: Array) -> Array:
        """Return the places after blocks; -1 for what is before the first one."""
        if not len(self.trailers):
            return np.full(len(blocks), -1)
        ends = self._keys(self.trailers[np.maximum(blocks, 0)], 1)
        return np.where(blocks >= 0, ends, -1)

    def limit(self, finder: Finder) -> tuple[int, int]:
        """Return up to which place, and how many blocks, the window is to be yielded."""
        if self.is_last or self.damage or not len(self.trailers):
            return self.end, len(self.trailers)
        start = self._keys(self.trailers[-1:], 1 - finder.length(int(self.segments[-1])))
        return int(start[0]), len(self.trailers) - 1

    def last_run(self) -> int:
        """Return the run of the last block, among those of the window; or how many there are."""
        if not len(self.trailers):
            return len(self.run_ends)
        return int(np.searchsorted(self.run_ends, self.trailers[-1], side="right"))

    def _keys(self, words: Array, further: int) -> Array:
        """Return the places of words of the window, moved by some words of their slabs."""
        bases, starts, heads = np.array([[s.base, s.start, s.head] for s in self.slabs], "i8").T
        slab = np.searchsorted(bases, words, side="right") - 1
        offsets = starts[slab] + (words - bases[slab] + further) * self.width
        return np.asarray(heads[slab] + 1 << PLACE | offsets)


def windows(
    file: File,
    thread: Thread,
    finder: Finder,
    size: int,
    last_event: int = -1,
    begins: Begins = ((0, 0), (0, 0)),
) -> Iterator[Window]:
    """Yield the runs of a thread, about so many bytes at a time.

    What is recorded reaches to the last event at least, whose place is given. Each window but the
    last is repeated from the run of its last block on: a signal may state later where that was
    interrupted. Those from one on, if its beginning is given.
    """
    runs: list[tuple[int, int, int]] = []
    places: list[tuple[int, int]] = []
    waiting = 0
    first, new = begins
    for number, head in enumerate(thread.heads[first[0] :], first[0]):
        least = last_event & (1 << PLACE) - 1 if last_event >> PLACE == number + 1 else 0
        for place, (start, end) in enumerate(_runs(file, head, least)):
            at = number, place
            if at < first:
                continue
            if waiting >= size:
                window = _read(file, thread, finder, runs)
                window.begins = begins
                yield window
                again = window.last_run()
                runs, places, waiting = runs[again:], places[again:], 0
                begins = (places[0] if places else at), at
            runs.append((number, start, end))
            places.append(at)
            waiting += end - start if at >= new else 0
    if runs:
        window = _read(file, thread, finder, runs)
        window.begins = begins
        window.is_last = True
        number, start, end = runs[-1]
        head = thread.heads[number]
        window.may_be_partial = start == end and head.end - head.first > 1
        yield window


def _slabs(runs: list[tuple[int, int, int]]) -> list[Slab]:
    slabs: list[Slab] = []
    for number, start, end in runs:
        if not slabs or slabs[-1].head != number:
            slabs.append(Slab(number, start, start, []))
        slabs[-1].runs.append((start, end))
        slabs[-1].end = end
    return slabs


def _runs(file: File, head: Head, least: int) -> Iterator[tuple[int, int]]:
    starts = file.runs(head.chunk)["start"].astype("i8").tolist()
    if head.end < len(starts):
        end = starts[head.end]
    else:
        data = file.chunk(head.chunk, head.start)
        words = np.frombuffer(data, file.layout.word, len(data) // file.layout.width)
        used = np.flatnonzero(words[::-1][:256]) if len(words) else words
        if len(words) and not len(used):
            used = np.flatnonzero(words[::-1])
        end = head.start + (len(words) - int(used[0])) * file.layout.width if len(used) else 0
        end = max(end, starts[head.end - 1], least)
    places = [*starts[head.first : head.end], end]
    yield from itertools.pairwise(places)


def _read(file: File, thread: Thread, finder: Finder, places: list[tuple[int, int, int]]) -> Window:
    width, slabs = file.layout.width, _slabs(places)
    base = 1
    for slab in slabs:
        slab.base = base
        base += (slab.end - slab.start) // width + 1
    data = np.zeros(base, f"u{width}")
    for slab in slabs:
        chunk = thread.heads[slab.head].chunk
        part = file.chunk(chunk, slab.start, slab.end)
        found = np.frombuffer(part, file.layout.word, len(part) // width)
        data[slab.base : slab.base + len(found)] = found
    window = Window(width, slabs, data)
    runs = [(slab, start, end) for slab in slabs for start, end in slab.runs]
    starts = np.array([slab.base + (start - slab.start) // width for slab, start, _ in runs])
    ends = np.array([slab.base + (end - slab.start) // width for slab, _, end in runs])
    window.run_ends = ends
    try:
        window.trailers, window.segments = finder.blocks(data, starts, ends)
    except Broken as broken:
        slab = runs[broken.run][0]
        offset = slab.start + (broken.place - slab.base) * width
        chunk = thread.heads[slab.head].chunk
        window.damage = file.damage(broken.message, chunk, offset)
        whole = slice(broken.run)
        window.trailers, window.segments = finder.blocks(data, starts[whole], ends[whole])
    return window
