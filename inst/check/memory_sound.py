"""Checks that each read returns what was last written there, or reports a hole or a race.

The accesses are replayed byte by byte. A byte that changed between two recorded accesses was
written by something the trace does not show. Where the trace shows every instruction, or the
program's own words prove that no other code ran in between, that is a hole in the trace.

A trace of accesses may record what the kernel and the C library touch, too, as this project's
runtime does: then each change is a finding, as long as the program has one thread and no
library besides that of C: the run-time libraries of C++, Fortran and Ada write objects of the
program (strings, nodes of trees, streams) without being instrumented, and the trace names them.
Where such code is not recorded changes are counted, and reported one by one with
`--set memory=strict`; `--set memory=lenient` counts in any trace. What several threads do is
replayed in the order that the runtime records; a change that another thread may have made, in no
order that is known, is counted in any mode (see `unordered`). Changes are only counted, too, where
the trace records that accesses could not be reported (`unreported=`), or that a filter took
instructions out.

Where the recording paused or accesses were left out on purpose (`gap`), nothing is known of memory
any more: what was stored in between is not in the trace.

Nothing is known of a function's own stack memory until it has written there (see `frames`), and
reads of it before that are counted; `--set memory=all` assumes that it holds what it held before,
which finds functions that read what they never wrote as well as a first store that is missing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from inst.arch.registry import producer
from inst.check.cells import CELL, LONGEST, is_big_endian, is_range
from inst.check.frames import Frames, Taken
from inst.check.happens import is_chunked
from inst.check.held import Held
from inst.check.interleave import Interleaving
from inst.check.interruptions import Interruptions
from inst.check.mappings import Mappings
from inst.check.replay import Changes, Fresh, replay
from inst.check.shadow import Memory
from inst.check.straight import Code
from inst.check.uninstrumented import Uninstrumented
from inst.check.unordered import Unordered
from inst.common.usage import meant
from inst.errors import InstError
from inst.trace.ending import unreported
from inst.trace.finding import ERROR, Check, Finding, Options, Other, finding_at
from inst.trace.model import Array, Flag, Kind, Trace, among
from inst.words.model import Words

CODES = {
    "memory-hole": "A read returned bytes that no record wrote: they are not what the last "
    "recorded access left there, and nothing that the trace leaves out can have written them.",
    "memory-race": "A read returned bytes that are not what another thread's access, the last "
    "one recorded, left there: the two are not ordered, or a write is missing.",
}

PIECE = 1 << 16
"""Events replayed at once: few enough for the columns to stay in the caches."""
HISTORY = 256
"""Events before a piece that are remembered, to recognise a straight run of code."""
_PLACE = np.dtype([(name, "u8") for name in ("record", "thread", "pc", "address", "size")])
"""What is remembered of them."""
_REGIONS = among(Kind.INIT, Kind.FREE, Kind.SET)
_NEW_THREAD = "thread created"
"""Source of the runtime's hint: from here on the file's order is not that of what happened."""


def _is_unexplained_call(rows: Array) -> Array:
    """Return the system calls that may have written anything: with a place, and no ranges.

    The runtime's own records of calls have no place, and their ranges are what was written.
    """
    found: Array = (rows["kind"] == Kind.TRAP) & (rows["flags"] & int(Flag.HAS_PC) != 0)
    return found


def _of_instructions(rows: Array) -> Array:
    """Return the rows without what code that is not instrumented wrote."""
    found: Array = rows[~((rows["kind"] == Kind.WRITE) & is_range(rows))]
    return found


def _places(rows: Array) -> Array:
    """Return what is kept of rows that have been judged."""
    found = np.zeros(len(rows), _PLACE)
    for name in found.dtype.names or ():
        found[name] = rows[name]
    return found


def start(trace: Trace, options: Options) -> Check:
    """Return the check; the setting `memory` may be strict."""
    demand = options.settings.get("memory", "")
    if demand not in ("", "strict", "lenient", "all"):
        hint = meant(demand, ("strict", "lenient", "all"))
        raise InstError(f"memory={demand}: it should be strict, lenient or all", hint=hint)
    return MemorySound(trace, demand)


class MemorySound(Check):
    """The check at work on one trace."""

    needs_all = True

    def __init__(self, trace: Trace, demand: str) -> None:
        self._trace = trace
        self._demand = demand
        self._strict = demand in ("strict", "all")
        self._all = demand == "all"
        self._records_ranges = False
        self._thread: int | None = None
        """The only thread so far."""
        self._threads = False
        """Whether there are, or will be, several."""
        self._memory = Memory()
        self._gaps = 0
        self._code = Code(trace)
        self._frames = Frames(trace, self._code)
        self._every_instruction = False
        self._ordered = True
        """Whether records of different threads stand in the order of what happened."""
        self._last_id = -1
        self._last_call = -1
        self._recent = np.zeros(0, _PLACE)
        self._silent = self._silent_bytes = 0
        self._of_windows = 0
        """Reads of bytes that had changed, by loads that may find a register window there."""
        self._missing = ""
        """How many accesses were not reported, as the trace records; empty for none."""
        self._fresh = Fresh()
        self._interruptions = Interruptions(trace)
        self._mappings = Mappings()
        self._of_mappings = 0
        """Reads of bytes that had changed, of mappings that others may write."""
        self._interleaving = Interleaving(trace)
        self._unordered: Unordered | None = None
        """What orders threads, in a trace of this project's runtime."""

    def events(self, rows: Array) -> Iterator[Finding]:
        if self._unordered is None and is_chunked(self._trace):
            self._unordered = Unordered(is_big_endian(self._trace))
        yield from self._pieces(self._interleaving.take(rows) if self._unordered else rows)

    def _pieces(self, rows: Array) -> Iterator[Finding]:
        for at in range(0, len(rows), PIECE):
            yield from self._piece(rows[at : at + PIECE])
            if self._unordered:
                yield from map(self._finding, self._unordered.due(not self._interleaving.late))

    def finish(self) -> Iterator[Finding]:
        if self._unordered:
            yield from self._pieces(self._interleaving.finish())
        yield from self._found(self._interruptions.finish())
        if self._unordered:
            yield from map(self._finding, self._unordered.finish(not self._interleaving.late))
        self._note()

    def _note(self) -> None:
        """State what was not judged."""
        if self._silent:
            self._trace.notes.append(
                f"{self._silent_bytes} bytes had changed without a record when they were read "
                f"({self._silent} reads): {self._excuse()}; --set memory=strict reports "
                + ("those that are certain" if self._threads and self._unordered else "each")
            )
        if self._of_windows:
            self._trace.notes.append(
                f"{self._of_windows} read{'s' * (self._of_windows != 1)} found bytes that had "
                "changed without a record where the processor may have saved register windows: "
                "loads of a save area, and loads that never fault, past the end of an object"
            )
        if self._of_mappings:
            self._trace.notes.append(
                f"{self._of_mappings} read{'s' * (self._of_mappings != 1)} found bytes that had "
                "changed without a record in mappings that others may write, of files or with "
                "other processes"
            )
        if self._gaps:
            self._trace.notes.append(
                f"memory-sound: accesses are missing on purpose ({self._gaps} marks): what was "
                "known of memory before each mark is not compared with what is read after it"
            )
        if self._fresh.bytes:
            saved = "" if self._part().windows is None else "the processor saved a window there, "
            self._trace.notes.append(
                f"at least {self._fresh.bytes} bytes of the stack were read, at "
                f"{len(self._fresh.places)} places, before the function they belong to was seen to "
                f"write them: it never did, as in copies of structures, {saved}or its store is "
                "missing; --set memory=all reports each"
            )
        if self._unordered and self._unordered.reads:
            reads = self._unordered.reads
            self._trace.notes.append(
                f"{reads} read{'s' * (reads != 1)} found bytes that had changed and that several "
                "threads use in no order that the trace records: which of them came last is not "
                "known"
            )

    def _excuse(self) -> str:
        """Return why changes were counted only."""
        if self._trace.facts.is_filtered and not self._strict:
            return "a filter took instructions out of the trace, which may have written them"
        if self._missing and not self._demand:
            return f"{self._missing} could not be reported, and may have written them"
        if self._records_ranges and self._threads:
            return "several threads ran, and the trace does not order all that they do"
        uninstrumented = self._uninstrumented()
        if self._records_ranges and uninstrumented and not self._demand:
            return f"{uninstrumented.sentence()}, and may have written them"
        if self._records_ranges:
            return "they are only counted, as was asked for"
        return (
            "code that is not instrumented wrote them, such as a C library or the kernel, and the "
            "trace does not record what these touch"
        )

    def _uninstrumented(self) -> Uninstrumented:
        """Return what the trace lists as not instrumented."""
        return Uninstrumented.of(self._trace.facts)

    def _piece(self, rows: Array) -> Iterator[Finding]:
        self._learn(rows)
        rows = self._without_barriers(rows)
        kinds = rows["kind"]
        written = (kinds == Kind.WRITE) & (rows["size"] > LONGEST) & is_range(rows)
        regions = np.flatnonzero(_REGIONS[kinds] | written)
        gaps = np.flatnonzero(kinds == Kind.GAP)
        taken = None if self._every_instruction or self._all else self._frames.taken(rows)
        open_to = self._interruptions.find(rows)
        yield from self._found(self._interruptions.release())
        if open_to.unjudged:
            rows = rows.copy()
            rows["kind"][open_to.unjudged] = Kind.OTHER
        if self._unordered:
            self._unordered.take(rows, self._threads)
        forgotten = (each.row for each in open_to.forget)
        mapped = Mappings.find(rows, self._trace.words.texts)
        stops = sorted({*regions.tolist(), *gaps.tolist(), *forgotten, *mapped, len(rows)})
        begin = 0
        for stop in stops:
            part = taken.part(begin, stop) if taken else None
            yield from self._replay(rows[begin:stop], part)
            for each in open_to.forget:
                if each.row == stop:
                    self._memory.fill(each.address, each.size, None, (0, 0, 0))
            begin = stop
            if stop in mapped:
                self._mappings.step(rows[stop], self._trace.words.texts)
            if stop in regions:
                self._region(rows[stop])
                begin += 1
            if stop in gaps:
                self._memory, self._gaps = Memory(), self._gaps + 1
        calls = np.flatnonzero(_is_unexplained_call(rows))
        if len(calls):
            self._last_call = int(rows["record"][calls[-1]])

    def _found(self, changes: Iterable[Held]) -> Iterator[Finding]:
        """Report changes, unless what other threads do has to be looked at first."""
        for held in changes:
            if self._threads and self._unordered:
                self._unordered.hold(held)
            else:
                yield self._finding(held)

    def _without_barriers(self, rows: Array) -> Array:
        """Return rows in which accesses that only are barriers state no values.

        What is below the stack pointer, where they are, is nobody's.
        """
        barriers = self._part().barriers
        if barriers is None:
            return rows
        asked = (rows["size"] == 1) & ((rows["kind"] == Kind.READ) | (rows["kind"] == Kind.WRITE))
        found = np.flatnonzero(asked & barriers(self._code.words(rows, asked)))
        if len(found) == 0:
            return rows
        rows = rows.copy()
        rows["flags"][found] &= ~np.uint16(Flag.HAS_VALUE | Flag.HAS_PC)
        return rows

    def _learn(self, rows: Array) -> None:
        """See what kind of trace this is: every instruction of it, or in the order of ids."""
        if not self._every_instruction:
            plain = rows["kind"] == Kind.INSTRUCTION
            plain &= rows["flags"] & int(Flag.ANNULLED | Flag.TRAPPED) == 0
            self._every_instruction = bool(plain.any()) and not self._trace.facts.lacks_code
        self._learn_strictness(rows)
        if self._ordered:
            ids = rows["id"]
            self._ordered = int(ids[0]) > self._last_id and bool((ids[1:] > ids[:-1]).all())
            self._ordered = self._ordered and not is_chunked(self._trace)
            self._last_id = int(ids[-1])

    def _learn_strictness(self, rows: Array) -> None:
        """See whether the trace states what libraries touch, and has one thread."""
        if not self._records_ranges and is_chunked(self._trace):
            self._records_ranges = bool(is_range(rows).any())
        if not self._threads:
            self._thread = int(rows["thread"][0]) if self._thread is None else self._thread
            hints = np.flatnonzero(rows["kind"] == Kind.HINT)
            texts = self._trace.sites.texts
            self._threads = bool((rows["thread"] != self._thread).any()) or any(
                texts[site] == _NEW_THREAD for site in np.unique(rows["site"][hints]).tolist()
            )
        self._missing = unreported(self._trace.facts)
        if not self._demand:
            self._strict = self._records_ranges and not (self._threads or self._uninstrumented())

    def _region(self, row: Array) -> None:
        byte = {Kind.INIT: 0, Kind.FREE: None, Kind.WRITE: None}.get(
            Kind(int(row["kind"])), int(row["value"]) & 255
        )
        who = (int(row["record"]), int(row["pc"]), int(row["thread"]) & 0xFFFFFFFF)
        self._memory.fill(int(row["address"]), int(row["size"]), byte, who)

    def _replay(self, rows: Array, taken: Taken | None) -> Iterator[Finding]:
        if len(rows) == 0:
            return
        changes = replay(self._memory, rows, is_big_endian(self._trace), taken, self._fresh)
        if changes is not None:
            yield from self._judge(rows, changes)
        self._recent = _places(_of_instructions(rows[-HISTORY:]))

    def _judge(self, rows: Array, changes: Changes) -> Iterator[Finding]:
        """Return which changes have an innocent explanation; report the others."""
        readers = rows[changes.rows]
        calls = np.concatenate([[-1], rows["record"][_is_unexplained_call(rows)].astype("i8")])
        calls[0] = self._last_call
        last_call = calls[np.searchsorted(calls, readers["record"].astype("i8")) - 1]
        explained = last_call >= changes.records.astype("i8")
        foreign = changes.threads != readers["thread"].astype("u4")
        of_windows = self._may_read_windows(readers)
        self._of_windows += int((of_windows & ~explained).sum())
        explained |= of_windows
        of_mappings = self._mappings.hold(readers) & ~explained
        self._of_mappings += int(of_mappings.sum())
        for place in np.flatnonzero(~explained & ~of_mappings).tolist():
            if self._is_certain(rows, changes, place, bool(foreign[place])):
                held = _held(rows, changes, place)
                yield from self._found(self._interruptions.judge(held))
            else:
                self._silent += 1
                self._silent_bytes += int(changes.masks[place]).bit_count()

    def _may_read_windows(self, readers: Array) -> Array:
        """Return which rows are loads that may find windows of registers there.

        They are in a save area by their own words, as in backtraces, or never fault: the library's
        memcmp compares words of 8 bytes in this way beyond the bytes it is asked for.
        """
        part, found = self._part(), np.zeros(len(readers), bool)
        if part.without_faults is None and part.windows is None:
            return found
        words = self._code.words(readers, np.ones(len(readers), bool))
        if part.without_faults is not None:
            found |= part.without_faults(words)
        if part.windows is not None:
            found |= part.windows.by_base(words, part.windows.area(self._trace.facts.arch))
        return found

    def _part(self) -> Words:
        return producer(self._trace.facts.arch).part(Words)

    def _is_certain(self, rows: Array, changes: Changes, place: int, foreign: bool) -> bool:
        """Return whether a change is to be reported, as far as one thread's records tell."""
        if self._missing and self._demand not in ("strict", "all"):
            return False
        if self._trace.facts.is_filtered and not self._strict:
            return False
        if foreign:
            return self._ordered or self._strict
        certain = self._strict or self._every_instruction
        return certain or self._is_straight(rows, changes, place)

    def _is_straight(self, rows: Array, changes: Changes, place: int) -> bool:
        """Return that nothing but the recorded accesses ran between the two of the finding."""
        row = int(changes.rows[place])
        first, last = int(changes.pcs[place]), int(rows["pc"][row])
        if not self._code.is_straight(first, last):
            return False
        inside = _of_instructions(rows[max(row - HISTORY, 0) : row])
        between = [
            table[
                (table["record"] > changes.records[place])
                & (table["thread"] == rows["thread"][row])
            ]["pc"]
            for table in (self._recent, inside)
        ]
        if not self._left(changes, place, self._recent, inside):
            return False
        oldest = self._recent if len(self._recent) and row < HISTORY else inside
        own = oldest["record"][oldest["thread"] == rows["thread"][row]]
        seen = len(own) > 0 and int(own[0]) <= int(changes.records[place])
        path = np.concatenate([[first], *between, [last]]).astype("u8")
        return seen and bool((path[1:] >= path[:-1]).all())

    def _left(self, changes: Changes, place: int, *tables: Array) -> bool:
        """Return that the access before the finding left one of the bytes that have changed.

        Of what earlier pieces did, the last access to a cell is known, which may be of its other
        bytes.
        """
        before = np.concatenate([_places(one) for one in tables])
        before = before[before["record"] == changes.records[place]]
        start = before["address"].astype("i8") - int(changes.cells[place]) * CELL
        masks = [
            (1 << max(first + size, 0)) - (1 << max(first, 0))
            for first, size in zip(start.tolist(), before["size"].tolist(), strict=True)
        ]
        return not masks or any(mask & int(changes.masks[place]) for mask in masks)

    def _finding(self, held: Held) -> Finding:
        row, record, size = held.row, held.record, int(held.row["size"])
        lanes = [lane for lane in range(CELL) if held.mask >> lane & 1]
        state = tuple(
            f"byte {held.cell * CELL + lane:#x}: read {held.found >> 8 * lane & 255:#04x}, "
            f"last known {held.expected >> 8 * lane & 255:#04x}"
            for lane in lanes
        )
        uninstrumented = self._uninstrumented()
        message = (
            f"thread {row['thread']} reads {size} byte{'s' * (size != 1)} at "
            f"{int(row['address']):#x}, and {len(lanes)} of them changed without a record"
        )
        other = f"the last access before, by thread {held.other}"
        return finding_at(
            row,
            self._trace,
            "memory-race" if held.foreign else "memory-hole",
            ERROR,
            message,
            site=self._trace.sites.texts[int(row["site"])],
            state=state,
            expected=f"the bytes as record {record} left them, or a record of what wrote them"
            + (f" ({uninstrumented.clause('records', 'record')} none)" if uninstrumented else ""),
            others=(Other(record, other, pc=held.pc or None),),
        )


def _held(rows: Array, changes: Changes, place: int) -> Held:
    """Return one of some changes."""
    columns = ("cells", "masks", "found", "expected", "records", "pcs", "threads")
    numbers = (int(getattr(changes, name)[place]) for name in columns)
    return Held(rows[int(changes.rows[place])].copy(), *numbers)
