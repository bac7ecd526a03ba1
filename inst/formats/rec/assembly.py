"""The blocks of a window put together with the events between them."""

from __future__ import annotations

import itertools

import numpy as np

from inst.formats.rec.columns import PART, Decoder
from inst.formats.rec.events import UNORDERED, Groups
from inst.formats.rec.execution import Pieces
from inst.formats.rec.expand import Expander, loose
from inst.formats.rec.signals import Cut
from inst.formats.rec.stretch import Stretch, merged
from inst.formats.rec.window import Window
from inst.formats.rst.record import RECORD
from inst.trace.model import Array

FEW = 32
"""Groups that are put between records one by one."""


class Assembly:
    """Puts the blocks of a window together with events."""

    def __init__(
        self,
        window: Window,
        decoder: Decoder,
        expander: Expander,
        record_counts: Array,
        *,
        is_loose: bool,
        by_columns: bool,
        is_divided: bool,
    ) -> None:
        self._decoder, self._expander, self._window = decoder, expander, window
        self._is_loose, self._by_columns, self._is_divided = is_loose, by_columns, is_divided
        if self._is_loose:
            self._items = self._records = np.arange(len(window.trailers) + 1)
        else:
            self._items = sums(decoder.counts(window.segments))
            self._records = sums(record_counts[window.segments])
        self._done = 0

    def begin(self, block: int) -> None:
        """Leave out the blocks before one, which have been yielded."""
        self._done = block

    def up_to(self, cut: Cut, count: int = 0) -> Pieces:
        """Yield the blocks up to the last group and all groups, or so many blocks."""
        groups, blocks, done = cut.groups, cut.blocks, 0
        end = max(count, self._done) if count else int(blocks[-1]) if len(blocks) else self._done
        for start, stop in self._slices(end):
            count = int(np.searchsorted(blocks, stop + (stop == end)))
            part = groups.part(done, count)
            yield from self._slice(start, stop, part, blocks[done:count], cut.removed)
            done = count
        self._done = end

    def _slices(self, end: int) -> list[tuple[int, int]]:
        """Return ranges of blocks with so many accesses that little memory is needed."""
        items, start = self._items, self._done
        places = np.arange(int(items[start]) + PART, int(items[end]), PART)
        cuts = [start, *np.searchsorted(items, places).tolist(), end]
        return list(itertools.pairwise(cuts))

    def _slice(
        self, start: int, stop: int, groups: Groups, blocks: Array, removed: dict[int, Array]
    ) -> Pieces:
        if self._by_columns:
            return self._stretches(start, stop, groups, blocks, removed)
        records = self._made(start, stop)
        places = self._records[blocks] - self._records[start]
        inside = [block for block in removed if start <= block < stop]
        if inside:
            late = np.zeros(len(records), bool)
            for block in inside:
                first = int(self._records[block] - self._records[start])
                late[first : first + len(removed[block])] = removed[block]
            places = places - sums(late)[places]
            records = records[~late]
        return cut_at_orders(records, groups, places)

    def _stretches(
        self, start: int, stop: int, groups: Groups, blocks: Array, removed: dict[int, Array]
    ) -> Pieces:
        window, expander = self._window, self._expander
        trailers, segments = window.trailers[start:stop], window.segments[start:stop]
        item, address = self._decoder.addresses(window.data, trailers, segments)
        places = self._items[blocks] - self._items[start]
        inside = [block for block in removed if start <= block < stop]
        if inside:
            late = np.zeros(len(item), bool)
            for block in inside:
                first, last = self._items[block : block + 2] - self._items[start]
                counts = expander.counts[item[first:last]]
                late[first:last] = removed[block][np.cumsum(counts) - counts]
            places = places - sums(late)[places]
            item, address = item[~late], address[~late]
        whole = Stretch(expander, item, address, np.zeros(0, RECORD), np.zeros(0, "i8"))
        yield from whole.between(groups, places, divided=self._is_divided)

    def _made(self, start: int, stop: int) -> Array:
        """Return the records of blocks."""
        window = self._window
        trailers = window.trailers[start:stop]
        if self._is_loose:
            return loose(window.data[trailers])
        found = self._decoder.accesses(window.data, trailers, window.segments[start:stop])
        return self._expander.expanded(found)


def sums(counts: Array) -> Array:
    """Return how much comes before each place, and before the end."""
    return np.concatenate([[0], np.cumsum(counts, dtype="i8")])


def cut_at_orders(records: Array, groups: Groups, places: Array) -> Pieces:
    """Yield records with groups put in at places, in pieces that begin with an order."""
    if len(groups) <= FEW:
        yield from _between(records, groups, places)
        return
    others, lengths = groups.gathered()
    whole = merged(records, others, np.repeat(places, lengths))
    starts = places + np.cumsum(lengths) - lengths
    ordered = np.flatnonzero(groups.order != UNORDERED)
    cuts = [0, *starts[ordered].tolist(), len(whole)]
    orders = [UNORDERED, *groups.order[ordered].tolist()]
    for order, start, end in zip(orders, cuts[:-1], cuts[1:], strict=True):
        if start < end:
            yield order, whole[start:end]


def _between(records: Array, groups: Groups, places: Array) -> Pieces:
    """Yield records and, at places, groups, without a copy."""
    done = 0
    columns = (places, groups.first, groups.last, groups.order)
    for place, first, last, order in zip(*(each.tolist() for each in columns), strict=True):
        if done < place:
            yield UNORDERED, records[done:place]
        if first < last:
            yield order, groups.records[first:last]
        done = place
    if done < len(records):
        yield UNORDERED, records[done:]
