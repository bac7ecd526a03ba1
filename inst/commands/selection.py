"""Selection of the rows that a viewer shows: ranges, names, source files, and how many."""

from __future__ import annotations

import fnmatch
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from inst.common.usage import meant
from inst.errors import InstError
from inst.trace.model import EVENT_NAMES, Array
from inst.trace.place import Place
from inst.trace.rows import Block, Column


@dataclass(frozen=True, slots=True)
class Range:
    """A closed range of addresses or numbers; one value is a range of one."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Count:
    """A number of records, or of instructions (`100i`)."""

    number: int
    instructions: bool


@dataclass(frozen=True, slots=True)
class SourceLines:
    """A source file, perhaps only some of its lines."""

    pattern: str
    lines: Range | None

    def holds(self, file: str, line: int) -> bool:
        """Return whether the pattern is the file, the end of its path, or matches it."""
        fits = fnmatch.fnmatchcase(file, self.pattern) or fnmatch.fnmatchcase(
            file, f"*/{self.pattern}"
        )
        return fits and (self.lines is None or self.lines.first <= line <= self.lines.last)


@dataclass(slots=True)
class Selection:
    """The user's request; None and empty select everything."""

    pc: Range | None = None
    ea: Range | None = None
    cpu: tuple[Range, ...] = ()
    thread: tuple[Range, ...] = ()
    types: tuple[str, ...] = ()
    source: SourceLines | None = None
    within: Callable[[Array], Array] | None = None
    """Return of the records of these numbers, which ascend, whether they are wanted."""
    instructions: bool = False
    skip: Count = field(default=Count(0, False))
    limit: Count | None = None


class Selector:
    """Applies a selection to block after block."""

    def __init__(
        self, selection: Selection, locator: Callable[[int], Place | None] | None = None
    ) -> None:
        self._selection = selection
        self._locator = locator
        self._skip = selection.skip.number
        self._left = selection.limit.number if selection.limit else 1
        self._wanted: dict[str, bool] = {}
        without = Selection(skip=selection.skip, limit=selection.limit)
        self._plain = selection == without and not selection.skip.instructions

    @property
    def done(self) -> bool:
        """Whether no later row can be chosen."""
        return self._left <= 0

    def choose(self, block: Block) -> Array:
        """Return which of the block's rows are chosen, in order."""
        rows = self._first(self._matching(block), block)
        if self._selection.limit is None:
            return rows
        count, self._left = _count(block, rows, self._selection.limit, self._left)
        return rows[:count]

    def _first(self, rows: Array, block: Block) -> Array:
        """Return the rows without those to skip; without a selection a row counts what it holds."""
        if self._plain:
            return rows[block.records[rows] >= self._skip]
        count, self._skip = _count(block, rows, self._selection.skip, self._skip)
        return rows[count:]

    def _matching(self, block: Block) -> Array:
        asked = self._selection
        mask = block.instructions.copy() if asked.instructions else np.ones(len(block), "?")
        if asked.pc:
            mask &= block.pc.within(asked.pc.first, asked.pc.last)
        if asked.ea:
            mask &= block.address.within(asked.ea.first, asked.ea.last)
        if asked.cpu:
            mask &= _in_any(block.cpu, asked.cpu)
        if asked.thread:
            mask &= _in_any(block.thread, asked.thread)
        if asked.within:
            mask &= asked.within(block.records)
        if asked.types:
            mask &= np.array([name in asked.types for name in block.names], "?")[block.kinds]
        rows = np.flatnonzero(mask)
        return rows[self._from_source(block, rows)] if asked.source else rows

    def _from_source(self, block: Block, rows: Array) -> Array:
        """Return which rows belong to a place in the requested source file."""
        result = np.zeros(len(rows), "?")
        if self._locator is not None:
            known = np.flatnonzero(block.pc.known[rows])
            pcs, inverse = np.unique(block.pc.values[rows[known]], return_inverse=True)
            places = [self._locator(pc) for pc in pcs.tolist()]
            wanted = [place is not None and self._holds(place.file, place.line) for place in places]
            result[known] = np.array(wanted, "?")[inverse]
        if block.sites is not None:
            result |= np.array([self._site(text) for text in block.sites(rows)], "?")
        return result

    def _site(self, text: str) -> bool:
        if text not in self._wanted:
            if len(self._wanted) > 1 << 16:
                self._wanted.clear()
            file, _, line = text.rpartition(":")
            self._wanted[text] = self._holds(file, int(line) if line.isdecimal() else 0)
        return self._wanted[text]

    def _holds(self, file: str, line: int) -> bool:
        source = self._selection.source
        return source is not None and source.holds(file, line)


def _in_any(column: Column, ranges: tuple[Range, ...]) -> Array:
    result = np.zeros(len(column.values), "?")
    for each in ranges:
        result |= column.within(each.first, each.last)
    return result


def _count(block: Block, rows: Array, count: Count, left: int) -> tuple[int, int]:
    """Return how many of the rows use up what is left, and what is left then."""
    if left <= 0 or len(rows) == 0:
        return 0, left
    if not count.instructions:
        taken = min(left, len(rows))
        return taken, left - taken
    executed = np.cumsum(block.instructions[rows])
    taken = min(int(np.searchsorted(executed, left)) + 1, len(rows))
    return taken, left - int(executed[taken - 1])


def check_types(types: tuple[str, ...]) -> None:
    """Raise InstError for a name that no record of any format has."""
    from inst.trace.registry import formats

    known = {*EVENT_NAMES, *(name for each in formats() for name in each.types)}
    for name in types:
        if name not in known:
            hint = meant(name, sorted(known))
            raise InstError(f"no record type is called {name!r}", hint=hint)
