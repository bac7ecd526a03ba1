"""Where the program may be seen to stand: before its own instructions, not the recording's.

Instrumented code has the program's instructions and, between them, those that record. A stop before
an instruction of the program that such code precedes is shown where the line begins, if it
begins with that code: a debugger looks for the first address of a line.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from inst.formats.rec.instrumented import Program
from inst.trace.model import Array
from inst.words.access import WRITE


@dataclass(frozen=True, slots=True)
class Places:
    """Run-time addresses, ascending."""

    own: Array
    """The program's own instructions."""
    visible: Array
    """Where it may be seen to stand."""

    def are_visible(self, pcs: Array) -> Array:
        """Return at which of some addresses the program may be seen to stand."""
        return _are_in(self.visible, pcs)

    def is_own(self, pc: int) -> bool:
        """Return whether an instruction is one of the program's own."""
        return bool(_are_in(self.own, np.array([pc], "u8"))[0])

    def is_visible(self, pc: int) -> bool:
        """Return whether the program may be seen to stand at an address."""
        return bool(self.are_visible(np.array([pc], "u8"))[0])


def places_of(program: Program, line_starts: Iterable[int]) -> Places:
    """Return the places of a program whose source lines start at some run-time addresses.

    A store that is not one of the program's stores records, as does the code that reserves space.
    """
    tables = program.tables
    linked = [np.arange(start, end, 4, dtype="u8") for start, end in tables.instrumented.tolist()]
    every = np.unique(np.concatenate([np.zeros(0, "u8"), *linked]))
    words, known = tables.code.at(every)
    what, _ = program.words.lookup(words, program.arch)
    stores = np.union1d(tables.stores, tables.hooked)
    records = (what & WRITE != 0) & ~np.isin(every, stores)
    records |= _reserving(program, every)
    records |= _calls_glue(program, every, words)
    starts = np.isin(program.loaded(every), np.array([*line_starts], "u8"))
    own = known & ~records
    visible = (own | starts & known) & ~_begun_before(own, starts)
    return Places(program.loaded(every[own]), program.loaded(every[visible]))


def _reserving(program: Program, every: Array) -> Array:
    """Return which of some link addresses are of code that reserves the space of a segment."""
    tables, change = program.tables, np.zeros(len(every) + 1, "i8")
    for segment in range(len(tables.distance)):
        first = tables.address(segment)
        last = tables.reserved(segment, program.words.recorded)
        ends = program.linked(np.array([first, last], "u8"))
        start, end = np.searchsorted(every, ends).tolist()
        change[start] += 1
        change[end] -= 1
    return np.asarray(np.cumsum(change[:-1]) > 0)


def _calls_glue(program: Program, every: Array, words: Array) -> Array:
    """Return which of some words call the entry of a hook."""
    transfers = program.words.transfers(words.astype("i8"), program.loaded(every))
    found = np.flatnonzero(transfers.is_call & transfers.is_direct)
    result = np.zeros(len(every), bool)
    for place in found.tolist():
        result[place] = program.is_glue(int(transfers.target[place]))
    return result


def _begun_before(own: Array, starts: Array) -> Array:
    """Return which instructions stand after code that records and in which a line begins."""
    result = np.zeros(len(own), bool)
    begun = False
    for place in range(len(own)) if len(own) else ():
        if own[place]:
            result[place] = begun and not starts[place]
            begun = False
        else:
            begun = begun or bool(starts[place])
    return result


def _are_in(column: Array, values: Array) -> Array:
    if not len(column):
        return np.zeros(len(values), bool)
    found = np.minimum(np.searchsorted(column, values), len(column) - 1)
    return np.asarray(column[found] == values)
