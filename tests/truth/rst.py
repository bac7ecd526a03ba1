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
OWN, OWN_PC, OWN_SIZE = 40, 41, 42
_READ, _WRITE = 1, 2
_STATED = 7
"""Flags of an event that has a pc, an address and a value."""
_LITTLE = b"arch=ppc64le"
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
        little = _LITTLE in stream.read(CHUNK)
        stream.seek(0)
        while len(batch := np.fromfile(stream, RECORD, CHUNK)):
            batch = np.frombuffer(waiting.tobytes() + batch.tobytes(), RECORD)
            starts = np.flatnonzero((batch["type"] == INSTR) | (batch["type"] == OWN))
            cut = int(starts[-1]) if len(starts) else 0
            waiting = batch[cut:]
            yield _all_events(batch[:cut], little)
    yield _all_events(waiting, little)


def _all_events(batch: Array, little: bool) -> Array:
    """Return the accesses of instructions, and those that are events of inst's own."""
    rows, events = _events(batch)
    own_rows, own = _own_events(batch, little)
    order = np.argsort(np.concatenate([rows, own_rows]), kind="stable")
    return np.concatenate([events, own])[order]


def _own_events(batch: Array, little: bool) -> tuple[Array, Array]:
    """Return reads and writes that are an EVENT, EVENT_PC and EVENT_SIZE; 16 bytes are two."""
    is_access = (batch["type"] == OWN) & ((batch["flags"] == _READ) | (batch["flags"] == _WRITE))
    rows = np.flatnonzero(is_access & (batch["byte3"] == _STATED))
    sizes = batch["first"][rows + 2].astype("i8")
    assert (batch["type"][rows + 1] == OWN_PC).all() and (batch["type"][rows + 2] == OWN_SIZE).all()
    copies = np.where(sizes == 16, 2, 1)
    second = np.arange(int(copies.sum())) - np.repeat(np.cumsum(copies) - copies, copies)
    rows, sizes = np.repeat(rows, copies), np.minimum(np.repeat(sizes, copies), 8)
    is_high = (second == 1) == little
    is_high &= np.repeat(copies == 2, copies)
    made = np.zeros(len(rows), EVENT)
    made["pc"] = batch["first"][rows + 1]
    made["address"] = batch["first"][rows] + 8 * second.astype("u8")
    made["value"] = np.where(is_high, batch["second"][rows + 2], batch["second"][rows])
    made["size"], made["known"] = sizes, 1
    made["stores"] = batch["flags"][rows] == _WRITE
    made["cpu"] = batch["word"][rows] & 0x3FF
    return rows, made


def _events(batch: Array) -> tuple[Array, Array]:
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
    return events, made
