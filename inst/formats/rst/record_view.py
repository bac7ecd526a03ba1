"""RST batches by columns: groups, threads, what belongs together."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from inst.formats.rst import table as rst_table
from inst.formats.rst.codes import (
    AFTER,
    BEFORE,
    CPU,
    CPU_FIELD,
    EVENTS,
    FLAGS,
    FOLLOWERS,
    FRAME,
    INSTR,
    INSTRUCTIONS,
    LEADERS,
    MEMVAL,
    PHYSADDR,
    POST,
    REGVAL,
    STATUS,
    THREAD,
    TRAPPING,
    TRAPPING_FLAGS,
)
from inst.formats.rst.record import RstBatch
from inst.trace import branches as branch_words
from inst.trace.batch import Batch
from inst.trace.model import Array
from inst.trace.view import Column, View
from inst.words import decode


class Threads:
    """Which thread runs on each cpu, from CPU and THREAD records."""

    def __init__(self) -> None:
        self.cpu = 0
        self.of_cpu = np.arange(1024, dtype="u8")

    def columns(self, batch: Batch, cpu_column: Column, current: Array) -> Column:
        """Return the thread of each row; a CPU record is of the thread named after it."""
        cpus, known = cpu_column
        codes = batch.records["rtype"]
        switches = np.flatnonzero(codes == THREAD)
        threads = np.zeros(len(codes), "u8")
        start = 0
        for switch in switches.tolist():
            begin = switch - (switch > start and codes[switch - 1] == CPU)
            threads[start:begin] = self.of_cpu[cpus[start:begin]]
            self.of_cpu[current[switch]] = batch.records["first"][switch]
            start = begin
        threads[start:] = self.of_cpu[cpus[start:]]
        if len(codes):
            self.cpu = int(current[-1])
        return threads, known


class RecordView(View):
    """One batch of RST records, with what follows from their types and order."""

    def __init__(self, batch: Batch, first: int, threads: Threads) -> None:
        super().__init__(batch, first)
        self.raw: Array = batch.records
        self.codes: Array = self.raw["rtype"]
        self.rst = RstBatch(first, self.raw, batch.version)
        self.current_cpu = self._current_cpu(threads.cpu)
        self._threads: Column | None = None  # thread and cpu are one
        if (self.codes == THREAD).any() or (threads.of_cpu != _IDENTITY).any():
            self._threads = threads.columns(batch, self.cpu_column, self.current_cpu)
        elif len(self.codes):
            threads.cpu = int(self.current_cpu[-1])

    def _current_cpu(self, before: int) -> Array:
        """Return the cpu of the last CPU record before or at each row."""
        switches = np.flatnonzero(self.codes == CPU)
        if not len(switches):
            return np.full(len(self), before, "u8")
        named = self.raw["word"][switches].astype("u8") & np.uint64(0x3FF)
        values = np.concatenate([np.array([before], "u8"), named])
        which = np.searchsorted(switches, np.arange(len(self)), side="right")
        return values[which]

    @cached_property
    def known_types(self) -> Array:
        return np.array([code in rst_table.CODES for code in range(256)])[self.codes]

    @cached_property
    def leader(self) -> Array:
        """An INSTR leads what belongs to it; any other record leads itself."""
        result = np.arange(len(self))
        after = FOLLOWERS[self.codes] | ((self.codes == REGVAL) & self._post)
        before = (self.codes == PHYSADDR) | ((self.codes == REGVAL) & ~self._post)
        if after.any():
            self._follow(result, np.flatnonzero(after))
        if before.any():
            self._precede(result, np.flatnonzero(before))
        return result

    @property
    def _post(self) -> Array:
        return np.asarray(self.raw["flags"] & POST != 0, bool)

    def _follow(self, result: Array, rows: Array) -> None:
        anchors = np.flatnonzero(~AFTER[self.codes])
        if len(anchors):
            place = np.searchsorted(anchors, rows) - 1
            owners = anchors[np.maximum(place, 0)]
            owned = (place >= 0) & LEADERS[self.codes[owners]]
            result[rows[owned]] = owners[owned]

    def _precede(self, result: Array, rows: Array) -> None:
        anchors = np.flatnonzero(~BEFORE[self.codes])
        place = np.searchsorted(anchors, rows)
        found = place < len(anchors)
        rows, owners = rows[found], anchors[place[found]]
        cpus, _ = self.cpu_column
        owned = LEADERS[self.codes[owners]] & (cpus[rows] == cpus[owners])
        result[rows[owned]] = owners[owned]

    @cached_property
    def context(self) -> Array:
        own = self.leader == np.arange(len(self))
        return np.asarray(~EVENTS[self.codes] & own, bool)

    @property
    def frame(self) -> Array:
        return np.isin(self.codes, FRAME)

    @property
    def ends(self) -> Array:
        return np.asarray(self.codes == STATUS, bool)

    def times(self) -> Column:
        known = self.codes == CPU
        return np.where(known, self.raw["second"], 0).astype("u8"), known

    @cached_property
    def cpu_column(self) -> Column:
        """The cpu each record names; CPU and THREAD records name the one they switch to."""
        values = np.zeros(len(self), "u8")
        known = np.zeros(len(self), bool)
        for code in np.unique(self.codes).tolist():
            rows = np.flatnonzero(self.codes == code)
            kind = CPU_FIELD.get((code, 0))
            if kind is not None and code == MEMVAL:  # both layouts have it in the same bits
                kind = rst_table.BY_NAME["memval64"]
            if kind is not None:
                values[rows] = self.rst.column(kind.name, "cpuid", rows) & np.uint64(0x3FF)
                known[rows] = True
            elif code in (CPU, THREAD):
                values[rows] = self.current_cpu[rows]
                known[rows] = True
        return values, known

    @cached_property
    def accesses(self) -> tuple[Array, Array]:
        """What each instruction word does to memory, and the size."""
        what, size = decode.lookup(self.raw["word"], self.batch.source.arch)
        instruction = INSTRUCTIONS[self.codes]
        return np.where(instruction, what, 0), np.where(instruction, size, 0)

    @cached_property
    def branches(self) -> branch_words.Branches:
        return branch_words.decode(self.raw["word"], self.raw["first"], self.batch.source.arch)

    def flag(self, name: str) -> Array:
        """Which INSTRs have a bit of their second byte."""
        instr = self.codes == INSTR
        if name == "hpriv" and self.batch.version < rst_table.MODERN:
            return np.zeros(len(self), bool)
        found: Array = instr & (self.raw["flags"] & FLAGS[name] != 0)
        trapping = TRAPPING_FLAGS.get(name, 0)
        if trapping:
            found |= (self.codes == TRAPPING) & (self.raw["flags"] & trapping != 0)
        return found

    @property
    def thread_column(self) -> Column:
        return self._threads if self._threads is not None else self.cpu_column


_IDENTITY = np.arange(1024, dtype="u8")
