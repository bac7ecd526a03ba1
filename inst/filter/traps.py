"""System calls and signals as the traps that they are: TRAP and TRAPEXIT records.

Our hook library writes them as records of our own, which readers of other origin skip. Here they
become what the format has for them. A call's TRAP has the trap type of the system calls of its
word size and the call's number; its TRAPEXIT is before the next event of the cpu that is no
memory that the call touched. A signal's TRAP is asynchronous, and its type is 0x200 with the
signal's number added, which no trap of a processor has; its TRAPEXIT is where the handler returned.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from inst.arch.registry import is_wide
from inst.filter.model import Filter, Stage
from inst.formats.rst.batch import raw_records
from inst.formats.rst.codes import EVENT_PC, EVENT_RECORD, EVENT_SIZE, EVENTS
from inst.formats.rst.groups import rst_views
from inst.formats.rst.own import Texts
from inst.formats.rst.record import encode
from inst.formats.rst.trace import RstTrace
from inst.formats.rst.view import RstView
from inst.trace.batch import Batch, Batches, stack
from inst.trace.model import Array, Flag, Kind
from inst.trace.system_events import BACK, SIGNAL, SIGNAL_TRAPS, TRAP_TYPES

_CALL, _SIGNAL, _BACK = 1, 2, 3
_LARGEST_CALL = 0xFFF
"""The numbers that a TRAP has room for; a larger one stays a record of our own."""


def _traps() -> Stage:
    def stage(batches: Batches) -> Batches:
        work = _Traps()
        for view in rst_views(batches):
            yield work.changed(view)

    return stage


class _Traps:
    """Changes one view after the other, and remembers the calls that have not ended."""

    def __init__(self) -> None:
        self._texts = Texts(RstTrace("", []))
        self._vocabulary = self._texts.vocabulary
        self._open: dict[int, bytes] = {}
        """The TRAPEXIT of the call that each cpu is in."""

    def changed(self, view: RstView) -> Batch:
        """Return the view's records, with traps for calls and signals."""
        self._texts.take(view.rst)
        rows = np.flatnonzero(view.codes == EVENT_RECORD)
        if not len(rows) and not self._open:
            return view.batch
        what, ranges = self._kinds(view, rows)
        cpus, _ = view.cpu_column
        records, keep = view.raw.copy(), np.ones(len(view), bool)
        for row, kind in zip(rows[what > 0].tolist(), what[what > 0].tolist(), strict=True):
            records[row : row + 1] = raw_records(_record(view, row, kind, int(cpus[row])))
            end = row + 1
            while end < len(view) and view.codes[end] in (EVENT_PC, EVENT_SIZE):
                end += 1
            keep[row + 1 : end] = False
        exits = sorted(self._exits(view, rows[what == _CALL], rows[ranges], cpus))
        return replace(view.batch, records=stack(list(_pieces(records, keep, exits))))

    def _kinds(self, view: RstView, rows: Array) -> tuple[Array, Array]:
        """Return which events are calls, signals or returns, and which are a call's memory."""
        kinds, flags, values, details = (
            view.rst.column("event", name, rows) for name in ("kind", "flags", "value", "detail")
        )
        words = [self._texts.words.get(number, 0) for number in details.tolist()]
        texts = [self._vocabulary[word] for word in words]
        valued = (flags & int(Flag.HAS_VALUE) != 0) & (flags & int(Flag.HAS_ADDRESS) == 0)
        calls = (kinds == Kind.TRAP) & valued & (values <= _LARGEST_CALL)
        other = kinds == Kind.OTHER
        signals = other & np.array([text.startswith(SIGNAL) for text in texts], bool)
        back = other & np.array([text == BACK for text in texts], bool)
        what = np.select([calls, signals & (values < 128), back], [_CALL, _SIGNAL, _BACK], 0)
        memory = (kinds == Kind.READ) | (kinds == Kind.WRITE)
        return what, memory & (flags & int(Flag.HAS_PC | Flag.HAS_VALUE) == 0)

    def _exits(
        self, view: RstView, calls: Array, ranges: Array, cpus: Array
    ) -> Iterator[tuple[int, bytes]]:
        """Yield the rows that calls end before, and their TRAPEXITs."""
        ending = EVENTS[view.codes] & view.leads
        ending[ranges] = False
        for cpu in {*cpus[calls].tolist(), *self._open}:
            ends = np.flatnonzero(ending & (cpus == cpu))
            starts = [-1] * (cpu in self._open) + calls[cpus[calls] == cpu].tolist()
            data = self._open.pop(cpu, encode("trapexit", cpuid=cpu))
            for place in np.searchsorted(ends, starts, side="right").tolist():
                if place == len(ends):
                    self._open[cpu] = data
                else:
                    yield int(view.starts[ends[place]]), data


def _record(view: RstView, row: int, kind: int, cpu: int) -> bytes:
    """Return the TRAP or TRAPEXIT that an event becomes."""
    if kind == _BACK:
        return encode("trapexit", cpuid=cpu)
    number, pc = int(view.raw["second"][row]), 0
    if row + 1 < len(view) and view.codes[row + 1] == EVENT_PC:
        pc = int(view.raw["first"][row + 1])
    ttype = TRAP_TYPES[is_wide(view.batch.source.arch)]
    if kind == _SIGNAL:
        ttype = SIGNAL_TRAPS + number
    return encode(
        "trap", is_async=int(kind == _SIGNAL), cpuid=cpu, ttype=ttype, syscall=number, pc=pc
    )


def _pieces(records: Array, keep: Array, exits: list[tuple[int, bytes]]) -> Iterator[Array]:
    start = 0
    for row, data in exits:
        yield records[start:row][keep[start:row]]
        yield raw_records(data)
        start = row
    yield records[start:][keep[start:]]


FILTERS = (
    Filter(
        "traps", "change", "Make system calls and signals of our own traces TRAP and TRAPEXIT "
        "records: types 0x108 and 0x140 with the call's number, asynchronous ones from 0x200 on "
        "with the signal's. For other readers; checks of inst know signals by our own records.",
        "traps", _traps, (), "rst",
    ),
)  # fmt: skip
