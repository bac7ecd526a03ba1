"""Recordings: what the hook library `record` writes, read as the RST records of the same run."""

from __future__ import annotations

from inst.trace.format import CERTAIN, NO, Format

MAGIC = b"INST-REC"
"""The first bytes of a recording."""

FORMAT = Format(
    name="rec",
    title="a recording",
    what="a recording",
    begins="INST-REC",
    recognises=lambda start, _first: CERTAIN if start.startswith(MAGIC) else NO,
    types=(),
    parts={"open": ".trace:open_chunks", "open file": ".trace:open_file"},
)
