"""RST records made and put into batches of filters."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from inst.formats.rst.record import RECORD
from inst.trace.batch import Batch, stack
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
    return replace(batch, records=stack(parts))
