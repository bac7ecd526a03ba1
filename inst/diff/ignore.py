"""What a comparison may ignore, as a table: name, meaning."""

from __future__ import annotations

import numpy as np

from inst.trace.model import Array, Trace

IGNORE = {
    "addresses": "where programs, stacks and heaps lie: an address in an image counts from its "
    "base, any other by its place in its page",
    "all-addresses": "every pc, effective address and target",
    "timestamps": "times of CPU, TRACEINFO and BUSTRACE records",
    "untaken": "effective addresses of untaken conditional branches",
    "ids": "sequence ids, places in the order of threads; in RST the counts of FILEMARKER and "
    "RECNUM",
    "threads": "thread and process ids",
    "cpus": "cpu numbers",
    "strings": "what the producers say: strings, producer and image records",
    "values": "values read and written, and registers",
    "nulls": "NULLREC records",
    "stale": "bytes that no field covers, and bytes behind the end of a text",
    "spelling": "white space, key names and number forms of s-expressions and STF",
}

IMAGE_LIMIT = 1 << 28
"""Bytes behind an image's base that may be its own."""


def relative(values: Array, trace: Trace) -> Array:
    """Return addresses as offsets in their images, or else in their pages."""
    bases = sorted({image.base for image in trace.facts.images})
    page = values & np.uint64(0xFFF) | np.uint64(0xFF << 56)
    if not bases:
        return page
    known = np.array(bases, "u8")
    which = np.searchsorted(known, values, side="right") - 1
    offsets = values - known[np.maximum(which, 0)]
    inside = (which >= 0) & (offsets < np.uint64(IMAGE_LIMIT))
    numbered = offsets | np.maximum(which, 0).astype("u8") << np.uint64(48)
    return np.where(inside, numbered, page)
