"""A recording's events as statistics need them, from the columns of its accesses.

Each item of the tables has one event, of which only addresses and values differ from access to
access. So it is made once, and how often it came is counted. What is between the accesses is
read as the records of any RST trace. Where a record might change what comes after it, or the
numbers of records are asked for, all is made into records.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from inst.formats.rec.columns import PART
from inst.formats.rec.expand import Pairs, Recorder
from inst.formats.rec.stretch import CONTINUES, Stretch, joined
from inst.formats.rst import events as rst_events
from inst.formats.rst.codes import CPU, THREAD
from inst.formats.rst.record import RstBatch
from inst.formats.rst.trace import NOTABLE, RstTrace
from inst.trace.model import EVENT, Array, TraceError
from inst.trace.model import joined as together
from inst.trace.tally import Tally, tally_of, touching

_PLAIN = ~np.isin(np.arange(256), NOTABLE)
_NONE = Pairs(0, *(np.zeros(0, "i8"),) * 4)


class Tallying:
    """Reads one recording."""

    def __init__(self, trace: RstTrace) -> None:
        self._trace = trace
        self._converting = rst_events.Converting(trace)
        self._items: _Items | None = None
        self._waiting: list[Stretch] = []
        self._size = 0

    def tallies(self, pieces: Iterable[Any]) -> Iterator[Tally]:
        """Yield what pieces have: records, or stretches. On damage, all before it comes first."""
        try:
            yield from self._all(pieces)
        except Exception:
            yield from self._rest()
            raise
        yield from self._rest()

    def _all(self, pieces: Iterable[Any]) -> Iterator[Tally]:
        try:
            for piece in pieces:
                stretch = piece if isinstance(piece, Stretch) else self._of_records(piece)
                if self._size >= PART or not self._trace.count:  # the header comes by itself
                    yield from self._take(ends=not stretch.continues)
                self._waiting.append(stretch)
                self._size += len(stretch.item) + len(stretch.others)
        except TraceError:
            yield from self._take(ends=True)
            raise
        yield from self._take(ends=True)

    def _rest(self) -> Iterator[Tally]:
        """Yield the event that waits, and the items that came."""
        yield from map(tally_of, self._converting.flush())
        if self._items is not None:
            yield from self._items.tallies()

    def _of_records(self, records: Array) -> Stretch:
        """Return records as a stretch without accesses."""
        none = np.zeros(0, "i8")
        recorder = self._items.recorder if self._items else _NONE
        return Stretch(recorder, none, none, records, np.zeros(len(records), "i8"))

    def _take(self, *, ends: bool) -> Iterator[Tally]:
        """Yield what is waiting; an event ends there, or may go on."""
        waiting, self._waiting, self._size = self._waiting, [], 0
        if not waiting:
            return
        whole = joined(waiting)
        if ends and self._is_plain(whole):
            if self._items is None and len(whole.item):
                self._items = _Items(whole.recorder, self._trace)
            items = self._items
            if items and items.are_events:
                yield from map(tally_of, self._converting.flush())
                yield self._tally(items, waiting, whole)
                return
        for batch in self._trace.batches_of(together([one.records() for one in waiting])):
            yield from map(tally_of, self._converting.take(batch))

    def _is_plain(self, whole: Stretch) -> bool:
        """Return whether the other records change nothing but what they themselves are."""
        codes, places = whole.others["rtype"], whole.places
        if not self._trace.is_plain or not _PLAIN[codes].all():
            return False
        more = np.flatnonzero(CONTINUES[codes])
        if len(more) and (more[0] == 0 or (places[more] != places[more - 1]).any()):
            return False  # of an access, or of what was before
        switches = np.flatnonzero((codes == CPU) | (codes == THREAD))
        return self._converting.state.threads.stay(whole.others[switches])

    def _tally(self, items: _Items, waiting: list[Stretch], whole: Stretch) -> Tally:
        """Return what is waiting, but for the accesses themselves, which the items count."""
        trace, state = self._trace, self._converting.state
        items.add(whole.item)
        events = _events(whole.others, trace, state)
        trace.count += len(whole.others) + int(items.recorder.counts[whole.item].sum())
        own = [one for one in waiting if len(one.item)]
        numbers = np.array([one.recorder.thread & 1023 for one in own], "i8")
        lengths = np.array([len(one.item) for one in own], "i8")
        threads = np.append(state.threads.of_cpu[numbers], events["thread"])
        of_thread = np.append(lengths, np.ones(len(events), "i8"))
        address, size = items.touched(whole, events)
        return Tally(events, None, threads, of_thread, address, size)


class _Items:
    """The events of a recording's items, and how often each has come."""

    def __init__(self, recorder: Recorder, trace: RstTrace) -> None:
        self.recorder = recorder
        count = len(recorder.counts)
        none = np.zeros(count, "u8")
        records = recorder.records(np.arange(count), none, none)
        self._events = _events(records, trace, rst_events.State(trace))
        self.are_events = len(self._events) == count
        self._times = np.zeros(count, "i8")
        self._size = self._events["size"].astype("u8")
        known = touching(self._events)
        self._known = None if known.all() else known

    def add(self, item: Array) -> None:
        """Count accesses."""
        self._times += np.bincount(item, minlength=len(self._times))

    def tallies(self) -> Iterator[Tally]:
        """Yield the items with their times."""
        came = np.flatnonzero(self._times)
        none = np.zeros(0, "u8")
        if len(came):
            times = self._times[came]
            yield Tally(self._events[came], times, none, none, none, none)

    def touched(self, whole: Stretch, events: Array) -> tuple[Array, Array]:
        """Return address and size of what accesses and the events between them touched."""
        item, address = whole.item, whole.address
        own = touching(events)
        places = whole.places[events["record"][own].astype("i8")]
        if self._known is not None:
            known = self._known[item]
            places = np.concatenate([[0], np.cumsum(known)])[places]
            item, address = item[known], address[known]
        size = self._size.take(item)
        if not len(places):
            return address.astype("u8", copy=False), size
        at = places + np.arange(len(places))
        is_access = np.ones(len(item) + len(at), bool)
        is_access[at] = False
        return (
            _merged(is_access, at, address, events["address"][own]),
            _merged(is_access, at, size, events["size"][own]),
        )


def _merged(is_access: Array, at: Array, accesses: Array, others: Array) -> Array:
    result = np.empty(len(is_access), "u8")
    result[is_access], result[at] = accesses, others
    return result


def _events(records: Array, trace: RstTrace, state: rst_events.State) -> Array:
    """Return the events of records, of which the last is whole."""
    batch = RstBatch(0, records, trace.version)
    found = list(rst_events.convert(batch, trace.facts.arch, state))
    return found[0] if found else np.zeros(0, EVENT)
