"""A small RST reader of the oracle's own, so that it does not depend on inst's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from truth.emulator import CHUNK, Array

RECORD = np.dtype(
    [
        ("type", "u1"),
        ("flags", "u1"),
        ("byte2", "u1"),
        ("byte3", "u1"),
        ("word", ">u4"),
        ("first", ">u8"),
        ("second", ">u8"),
    ]
)
HEADER, INSTR, STATUS, MEMVAL = 2, 3, 23, 26
EVENT = np.dtype(
    [
        ("pc", "u8"),
        ("address", "u8"),
        ("value", "u8"),
        ("word", "u4"),
        ("size", "u1"),
        ("stores", "u1"),
        ("known", "u1"),
        ("cpu", "u2"),
    ]
)
"""One access. size 0: the trace says no more than the instruction word. `stores`: the record
says that the store half of an atomic access was done. `known`: there is a value. `cpu`: the
number of the thread."""


def read_events(path: Path) -> Iterator[Array]:
    """Yield the accesses of an RST file in batches, in the file's order."""
    waiting = np.zeros(0, RECORD)
    with path.open("rb") as stream:
        while len(batch := np.fromfile(stream, RECORD, CHUNK)):
            batch = np.frombuffer(waiting.tobytes() + batch.tobytes(), RECORD)
            starts = np.flatnonzero(batch["type"] == INSTR)
            cut = int(starts[-1]) if len(starts) else 0
            waiting = batch[cut:]
            yield _events(batch[:cut])
    yield _events(waiting)


def _events(batch: Array) -> Array:
    """Convert each INSTR to one event, or to one for each MEMVAL after it."""
    rows = np.flatnonzero((batch["type"] == INSTR) | (batch["type"] == MEMVAL))
    instruction = batch["type"][rows] == INSTR
    followed = np.append(~instruction[1:], False)
    events = rows[~(instruction & followed)]
    owner = np.flatnonzero(batch["type"] == INSTR)
    owner = owner[np.searchsorted(owner, events, side="right") - 1]
    valued = batch["type"][events] == MEMVAL
    made = np.zeros(len(events), EVENT)
    made["pc"] = batch["first"][owner]
    made["word"] = batch["word"][owner]
    made["stores"] = batch["flags"][owner] >> 2 & 1
    made["known"] = valued
    low, high = batch["byte2"][owner].astype("u2"), batch["byte3"][owner].astype("u2")
    made["cpu"] = (low & 3) << 8 | high >> 6 << 6 | low >> 2
    made["address"] = np.where(valued, batch["first"][events], batch["second"][owner])
    made["size"] = np.where(valued, batch["byte3"][events] & 15, 0)
    made["value"] = np.where(valued, batch["second"][events], 0)
    return made
