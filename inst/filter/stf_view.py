"""STF records by columns: an instruction and its registers are one record."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from inst.filter import branch_words
from inst.filter.model import Batch, Batches
from inst.filter.rst_view import located
from inst.filter.view import Column, View
from inst.trace import decode
from inst.trace.model import Array
from inst.trace.stf_record import StfRecord

ARCH = "ppc"
"""STF is a format of PowerPC tracers."""


class StfView(View):
    """One batch of STF records; each is a group of its own."""

    def __init__(self, batch: Batch, first: int, following: int | None) -> None:
        super().__init__(batch, first)
        self.following = following
        """Where the record behind the batch was executed; None at the end."""

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
        return np.array([record.word for record in self.records], "u4")

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
        what, size = decode.lookup(self.words, ARCH)
        if name == "size":
            return [(size.astype("u8"), self.instructions & (what & 3 != 0) & (size != 0))]
        return [(np.zeros(len(self), "u8"), ~everything)]

    def mark(self, name: str) -> Array:
        if name == "context":
            return self.context
        if name == "instruction":
            return self.instructions
        if name == "branch":
            return self.instructions & branch_words.decode(self.words, self.pcs, ARCH).is_branch
        if name == "taken":
            return self._taken()
        what, _ = decode.lookup(self.words, ARCH)
        bits = {
            "load": decode.READ,
            "store": decode.WRITE,
            "access": decode.BOTH,
            "reserve": decode.RESERVE_BIT,
            "atomic": decode.RESERVE_BIT,
        }
        return np.asarray(self.instructions & (what & bits.get(name, 0) != 0), bool)

    def _taken(self) -> Array:
        """A branch was taken when the next record is elsewhere; the trace's last was not."""
        if not len(self):
            return np.zeros(0, bool)
        last = self.pcs[-1] + np.uint64(4)
        after = last if self.following is None else np.uint64(self.following)
        moved = np.append(self.pcs[1:], after) != self.pcs + np.uint64(4)
        return np.asarray(self.mark("branch") & moved, bool)

    def mnemonics(self) -> tuple[Array, list[str]]:
        known: dict[str, int] = {"": 0}
        numbers = [known.setdefault(record.mnemonic, len(known)) for record in self.records]
        return np.array(numbers, "i8"), [name.lower() for name in known]

    def places(self) -> tuple[Array, list[tuple[str, int, str]]]:
        rows = np.flatnonzero(self.instructions)
        return located(self, rows, self.pcs[rows])


def stf_views(batches: Batches) -> Iterator[StfView]:
    """Yield views that know what follows them: that says whether a branch was taken."""
    waiting: Batch | None = None
    count = 0
    for batch in batches:
        if waiting is not None:
            yield StfView(waiting, count, batch.records[0].pc if len(batch) else None)
            count += len(waiting)
        waiting = batch
    if waiting is not None:
        yield StfView(waiting, count, None)
