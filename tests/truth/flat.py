"""The reader of what hooks/flat.c writes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from truth.emulator import Array
from truth.rst import EVENT

_RECORD = np.dtype(
    [("pc", ">u8"), ("address", ">u8"), ("size", "u1"), ("store", "u1"), ("unused", "V6")]
)


def read_events(path: Path) -> Iterator[Array]:
    """Yield the accesses of a file as one batch of rst.EVENT."""
    records = np.fromfile(path, _RECORD)
    events = np.zeros(len(records), EVENT)
    for name in ("pc", "address", "size"):
        events[name] = records[name]
    events["stores"] = records["store"]
    yield events
