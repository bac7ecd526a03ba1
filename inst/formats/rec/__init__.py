"""Recordings: what the hook library `record` writes, read as the RST records of the same run."""

from __future__ import annotations

from inst.trace.format import CERTAIN, NO, Format

RAW, RING, PACKED = MAGICS = b"INST-REC", b"INST-RNG", b"INST-RZP"
"""The first bytes of a recording: of the chunks themselves, of a ring of them, and packed."""

FORMAT = Format(
    name="rec",
    title="a recording",
    what="a recording",
    begins="INST-REC, INST-RNG or INST-RZP",
    recognises=lambda start, _first: CERTAIN if start.startswith(MAGICS) else NO,
    types=(),
    parts={"open": ".trace:open_chunks", "open file": ".trace:open_file"},
)
