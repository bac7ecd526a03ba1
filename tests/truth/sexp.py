"""A small reader of s-expression traces of the oracle's own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from truth.emulator import Array
from truth.rst import EVENT

_ACCESS = re.compile(
    rb"\(mem-(read|write|reserve) \(id (\d+)\) \(tid \d+\)(?: \(mem-order \w+\))?"
    rb" \(address (\w+)\)(?: \(value (\w+)\))?(?: \(size (\d+)\))?(?: \(src (\w+)\))?\)"
)


def read_events(path: Path) -> Iterator[Array]:
    """Yield the accesses of a trace as one batch of rst.EVENT; `src` is the address of the code.

    A file with other memory events than these, or with ids out of order, is an error.
    """
    text = path.read_bytes()
    found = _ACCESS.findall(text)
    if len(found) != text.count(b"(mem-") - text.count(b"(mem-order "):
        raise ValueError(f"{path} has memory events in another form")
    ids = [int(match[1]) for match in found]
    if sorted(set(ids)) != ids:
        raise ValueError(f"{path} has ids out of order")
    events = np.zeros(len(found), EVENT)
    events["stores"] = [match[0] == b"write" for match in found]
    events["address"] = [int(match[2], 16) for match in found]
    events["value"] = [int(match[3] or b"0", 16) for match in found]
    events["known"] = [bool(match[3]) for match in found]
    events["size"] = [int(match[4] or b"8") for match in found]
    events["pc"] = [int(match[5] or b"0", 16) for match in found]
    yield events
