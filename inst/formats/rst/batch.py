"""RST records made and put into batches of filters."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from inst.formats.rst.codes import STRCONT, STRDESC
from inst.formats.rst.record import RECORD
from inst.trace.batch import Batch, Batches, Source, stack
from inst.trace.model import Array


def raw_records(data: bytes) -> Array:
    """Return bytes of whole records as an array that may be put into a batch."""
    return np.frombuffer(data, RECORD)


def insert(batch: Batch, places: list[tuple[int, bytes]]) -> Batch:
    """Put encoded records before the rows named, in order; row len(batch) is the end."""
    if not places:
        return batch
    parts: list[Array] = []
    start = 0
    for row, data in places:
        parts += [batch.records[start:row], raw_records(data)]
        start = row
    parts.append(batch.records[start:])
    return replace(batch, records=stack(parts), first=-1)


def batches(source: Source, *, accesses: bool) -> Batches:
    """Yield the batches of a trace for filters."""
    for batch in source.trace.batches():
        yield Batch(batch.raw, source, batch.version, first=batch.first)


class StringRows:
    """Finds the records of strings that begin with one of some words."""

    def __init__(self, *beginnings: bytes) -> None:
        self._beginnings = beginnings
        self._goes_on = self._found = False

    def rows(self, raw: Array) -> Array:
        """Return which records of the next batch belong to such a string."""
        found = np.zeros(len(raw), bool)
        codes = raw["rtype"]
        for row in np.flatnonzero((codes == STRDESC) | (codes == STRCONT)).tolist():
            if not self._goes_on:
                self._found = raw[row : row + 1].tobytes()[1:].startswith(self._beginnings)
            found[row] = self._found
            self._goes_on = codes[row] == STRCONT
        return found
