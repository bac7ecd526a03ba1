"""Tables of events: Parquet and CSV that `inst convert` wrote, read as the RST records of them."""

from __future__ import annotations

from inst.trace.event_table import NAMES
from inst.trace.format import CERTAIN, NO, Format

PARQUET = b"PAR1"
HEADING = ",".join(NAMES[:3]).encode()
"""How the line of names begins in CSV."""

FORMAT = Format(
    name="table",
    title="a table of inst convert",
    what="Parquet or CSV",
    begins="PAR1, or record,id,thread",
    recognises=lambda start, _: CERTAIN if start.startswith((PARQUET, HEADING[:16])) else NO,
    types=(),
    parts={"open": ".trace:open_chunks", "open file": ".trace:open_file"},
)
