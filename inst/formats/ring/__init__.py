"""Rings in memory: what the hook library `ring` leaves, read as the RST records of the same run.

A file holds the rings of all processors as they lay in memory, one after the other.
"""

from __future__ import annotations

from inst.trace.format import CERTAIN, NO, Format

MAGIC = b"INSTRING"
"""The first bytes of a ring."""

FORMAT = Format(
    name="ring",
    title="a ring of records in memory",
    what="a ring in memory",
    begins="INSTRING",
    recognises=lambda start, _first: CERTAIN if start.startswith(MAGIC) else NO,
    types=(),
    parts={"open": ".trace:open_chunks", "open file": ".trace:open_file"},
)
