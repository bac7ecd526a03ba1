"""STF records by columns: an instruction and its registers are one record."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import cast

import numpy as np

from inst.formats.stf.columns import words_of
from inst.formats.stf.gap import WORD, gap_in
from inst.formats.stf.lost import StfPart
from inst.formats.stf.record import StfRecord
from inst.trace import branches as branch_words
from inst.trace.batch import Batches
from inst.trace.model import Array, Flag, Kind
from inst.trace.view import Column, View
from inst.words import decode
from inst.words.access import BOTH, READ, RESERVE_BIT, WRITE

ARCH = "ppc"
"""STF is a format of PowerPC tracers."""


class StfView(View):
    """One batch of STF records; each is a group of its own."""

    batch: StfPart

    def __init__(self, batch: StfPart, first: int, following: int | None) -> None:
        super().__init__(batch, first)
        self.following = following
        """Where the record after the batch was executed; None at the end."""

    @cached_property
    def records(self) -> list[StfRecord]:
        records: list[StfRecord] = self.batch.records
        return records

    @cached_property
    def leader(self) -> Array:
        return np.arange(len(self))

    @cached_property
    def instructions(self) -> Array:
        return np.array([record.kind == "instr" for record in self.records], bool)

    @cached_property
    def words(self) -> Array:
        return words_of(self.records)

    @cached_property
    def accessed(self) -> tuple[Array, Array]:
        """What each instruction accesses (bits), and how many bytes."""
        return decode.accesses_of(self.words, ARCH)

    @cached_property
    def pcs(self) -> Array:
        return np.array([record.pc for record in self.records], "u8")

    @cached_property
    def context(self) -> Array:
        return ~self.instructions

    def is_type(self, word: str) -> Array:
        if word in ("header", "state", "instr"):
            return np.array([record.kind == word for record in self.records], bool)
        return self.mark(word) if not word.startswith("rtype=") else np.zeros(len(self), bool)

    def columns(self, name: str) -> list[Column]:
        everything = np.ones(len(self), bool)
        if name in ("id", "record"):
            rows = np.arange(self.first, self.first + len(self), dtype="u8")
            return [(rows, everything)]
        if name == "pc":
            return [(self.pcs, self.instructions)]
        if name == "word":
            return [(self.words.astype("u8"), self.instructions)]
        if name in ("ea", "value"):
            return self._stated(name)
        if name == "size":
            what, size = self.accessed
            return [(size.astype("u8"), self.instructions & (what & 3 != 0) & (size != 0))]
        return [(np.zeros(len(self), "u8"), ~everything)]

    def _stated(self, name: str) -> list[Column]:
        """Return values of the records' events; the n-th column has each one's n-th event."""
        events = self.batch.events
        if events is None or not len(events):
            return [(np.zeros(len(self), "u8"), np.zeros(len(self), bool))]
        ordinals = np.array([record.ordinal for record in self.records], "u8")
        low, high = (
            np.searchsorted(events["record"], ordinals, side) for side in ("left", "right")
        )
        column, flag = ("address", Flag.HAS_ADDRESS) if name == "ea" else ("value", Flag.HAS_VALUE)
        stated = (events["flags"] & int(flag) != 0) & (events["kind"] != int(Kind.TRAP))
        columns: list[Column] = []
        for nth in range(int((high - low).max(initial=1))):
            there = low + nth < high
            place = np.minimum(low + nth, len(events) - 1)
            columns.append((events[column][place], there & stated[place]))
        return columns

    def mark(self, name: str) -> Array:
        if name == "context":
            return self.context
        if name == "instruction":
            return self.instructions
        if name == "branch":
            return self.instructions & branch_words.decode(self.words, self.pcs, ARCH).is_branch
        if name == "taken":
            return self._taken()
        what, _ = self.accessed
        bits = {
            "load": READ,
            "store": WRITE,
            "access": BOTH,
            "reserve": RESERVE_BIT,
            "atomic": RESERVE_BIT,
        }
        return np.asarray(self.instructions & (what & bits.get(name, 0) != 0), bool)

    def _taken(self) -> Array:
        """A branch was taken when the next record is elsewhere; the trace's last was not."""
        if not len(self):
            return np.zeros(0, bool)
        straight = self.pcs + np.uint64(4)
        after = np.append(self.pcs[1:], self.following or 0)
        there = np.append(self.instructions[1:], self.following is not None)
        for row, lost in self.batch.lost.items():
            if row:
                after[row - 1], there[row - 1] = lost.first.pc, lost.first.kind == "instr"
        for row, record in enumerate(self.records):
            gap = gap_in(record.after) if WORD in record.after else None
            if gap is not None:
                after[row], there[row] = gap.following or 0, gap.following is not None
        return np.asarray(self.mark("branch") & there & (after != straight), bool)

    def mnemonics(self) -> tuple[Array, list[str]]:
        known: dict[str, int] = {"": 0}
        numbers = [known.setdefault(record.mnemonic, len(known)) for record in self.records]
        return np.array(numbers, "i8"), [name.lower() for name in known]

    def places(self) -> tuple[Array, list[tuple[str, int, str]]]:
        rows = np.flatnonzero(self.instructions)
        return self.located(rows, self.pcs[rows])


def stf_views(batches: Batches) -> Iterator[StfView]:
    """Yield views that know what follows them: that shows whether a branch was taken."""
    waiting: StfPart | None = None
    count = 0
    for batch in cast(Iterator[StfPart], batches):
        if waiting is not None:
            yield StfView(waiting, count, _executed_first(batch))
            count += len(waiting)
        waiting = batch
    if waiting is not None:
        yield StfView(waiting, count, None)


def _executed_first(batch: StfPart) -> int | None:
    """Return the address of what a batch, or what was removed of it, begins with."""
    first = batch.lost[0].first if 0 in batch.lost else batch.records[0] if len(batch) else None
    return first.pc if first is not None and first.kind == "instr" else None
