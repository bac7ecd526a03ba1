"""What programs without an operating system record inline, as it lies in their memory.

The hook library `flight` leaves it (`runtime/include/inst/flight.h`). It is read with its program,
which has the tables that explain it.
"""

from __future__ import annotations

from inst.trace.format import CERTAIN, NO, Format

MAGIC = b"INSTFLGT"
"""The first bytes."""

FORMAT = Format(
    name="flight",
    title="the memory of a program that records inline",
    what="the memory of a program that records inline",
    begins="INSTFLGT",
    recognises=lambda start, _first: CERTAIN if start.startswith(MAGIC) else NO,
    types=(),
    parts={"open": ".memory:open_chunks", "open file": ".memory:open_file"},
)
