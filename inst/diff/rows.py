"""Events of any trace as blocks of keys."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterator

import numpy as np

from inst.trace.compare import VALUED, Block, Ignored
from inst.trace.model import Array, Flag, Kind, Trace

ACCESSES = (Kind.READ, Kind.WRITE, Kind.RESERVE)
"""Kinds of events that every format has."""


def event_blocks(trace: Trace, ignored: Ignored, *, shared: bool) -> Iterator[Block]:
    """Yield a trace's events as blocks; `shared`: only what every format can carry."""
    for batch in trace.events():
        kinds = batch["kind"]
        if shared:
            wanted = np.isin(kinds, ACCESSES)
        else:
            wanted = ~np.isin(kinds, (Kind.PRODUCER, Kind.IMAGE) if "strings" in ignored else ())
        events = batch[wanted]
        keys = _event_keys(trace, events, ignored, shared)
        plain = None
        if ignored.pointers:
            plain = _event_keys(trace, events, ignored.plain, shared)
        yield Block(events["record"].astype("i8"), keys, events, plain)


def _event_keys(trace: Trace, events: Array, ignored: Ignored, shared: bool) -> Array:
    flags = events["flags"].astype("u8")
    known = int(Flag.HAS_PC | Flag.HAS_ADDRESS)
    known |= 0 if "values" in ignored else int(Flag.HAS_VALUE)
    if not shared:
        known |= int(Flag.ATOMIC | Flag.PRIVILEGED | Flag.TAKEN | Flag.ANNULLED | Flag.TRAPPED)
    kinds = events["kind"].astype("u8")
    head = kinds | flags & np.uint64(known) << np.uint64(16) | events["size"] << np.uint64(32)
    columns = [head]
    columns += [ignored.addresses(events[name].astype("u8")) for name in ("pc", "address")]
    if "values" not in ignored:
        columns += [_values(events, ignored), events["value_high"]]
    if not shared:
        columns += [] if "threads" in ignored else [events["thread"]]
        columns += [] if "cpus" in ignored else [events["cpu"].astype("u8")]
        columns.append(_texts(trace.words.texts, events["detail"]))
        columns.append(_texts(trace.sites.texts, events["site"]))
    return np.stack(columns, axis=1) if columns else np.zeros((len(events), 1), "u8")


def _values(events: Array, ignored: Ignored) -> Array:
    """Return the values, with pointers of memory and registers named by their regions."""
    values = events["value"].astype("u8")
    if ignored.pointers:
        rows = np.isin(events["kind"], VALUED)
        values[rows] = ignored.pointers.values(values[rows], events["size"][rows])
    return values


def _texts(texts: list[str], numbers: Array) -> Array:
    """Return a hash of the text after each number: numbers differ from trace to trace."""
    distinct, where = np.unique(numbers, return_inverse=True)
    hashes = [
        struct.unpack(
            "<Q", hashlib.blake2b(texts[n].encode(errors="replace"), digest_size=8).digest()
        )[0]
        for n in distinct.tolist()
    ]
    return np.array(hashes, "u8")[where]
