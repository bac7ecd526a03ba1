"""RST batches as views of whole groups, and the records that must not be lost between them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from inst.formats.rst.batch import insert
from inst.formats.rst.codes import AFTER, BEFORE, CPU, LEADERS, THREAD
from inst.formats.rst.record_view import Threads
from inst.formats.rst.view import RstView
from inst.trace.batch import Batch, Batches, stack
from inst.trace.model import Array
from inst.trace.view import Keeper, View

WAITING = 512
"""Records that may wait for the rest of their group."""


def rst_views(batches: Batches) -> Iterator[RstView]:
    """Yield views of whole groups: what may go on waits for the next batch."""
    threads, count = Threads(), 0
    waiting: Batch | None = None
    for batch in batches:
        gap = batch.first >= 0 and batch.first != count + (0 if waiting is None else len(waiting))
        if waiting is not None and (
            gap or (waiting.version, waiting.source) != (batch.version, batch.source)
        ):
            view = RstView(waiting, count, threads)
            count, waiting = count + len(waiting), None
            yield view
        if waiting is not None:
            batch = Batch(stack([waiting.records, batch.records]), batch.source, batch.version)
        elif gap:  # space that was reserved and not written has numbers, too
            count = batch.first
        batch = replace(batch, first=-1)
        cut = settled(batch.records["rtype"])
        waiting = batch.part(cut, len(batch)) if cut < len(batch) else None
        if cut:
            view = RstView(batch.part(0, cut), count, threads)
            count += cut
            yield view
    if waiting is not None:
        yield RstView(waiting, count, threads)


def settled(codes: Array) -> int:
    """Return how many records no further record can change the grouping of."""
    recent = codes[-WAITING:]
    passing = BEFORE[recent] | AFTER[recent]
    anchors = np.flatnonzero(~passing)
    if not len(anchors):
        return len(codes)
    last = int(anchors[-1])
    if not LEADERS[recent[last]]:
        return len(codes) - len(recent) + last + 1
    # What is between two instructions may belong to either: both wait.
    earlier = int(anchors[-2]) if len(anchors) > 1 else 0
    after = len(anchors) > 1 and not LEADERS[recent[earlier]]
    return len(codes) - len(recent) + earlier + after


class Switches(Keeper):
    """Keeps the CPU record before a THREAD record, when a selection took it away."""

    def __init__(self) -> None:
        self._lost: bytes = b""

    def kept(self, view: View, keep: Array) -> Batch:
        """Return the batch with the selected records and the CPU records that explain them."""
        codes = view.batch.records["rtype"]
        switches = np.flatnonzero(codes == CPU)
        if keep.all() and not self._lost:
            return view.batch
        keep = keep.copy()
        named = keep & (codes == THREAD)
        end = int(switches[0]) if len(switches) else len(codes)
        found = np.flatnonzero(named[:end])
        places = []
        if self._lost and len(found):
            before = int(np.count_nonzero(keep[: found[0]]))
            places, self._lost = [(before, self._lost)], b""
        if len(switches):
            owner = np.searchsorted(switches, np.flatnonzero(named), side="right") - 1
            keep[switches[np.unique(owner[owner >= 0])]] = True
            last = int(switches[-1])
            self._lost = b"" if keep[last] else view.batch.records[last : last + 1].tobytes()
        return insert(view.batch.take(keep), places)
