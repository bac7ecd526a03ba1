"""RST 2.13: records of 24 bytes."""

from __future__ import annotations

from inst.arch.registry import producer
from inst.formats.rst.rstzip import is_compressed
from inst.formats.rst.table import BY_NAME, OWN, SIZE, TYPES
from inst.trace.format import CERTAIN, LIKELY, NO, Format

_HEADER = BY_NAME["header"].code
_LAST = 63
"""The highest code that the records of any producer are taken to have."""


def _recognises(start: bytes, first: bytes) -> int:
    """A trace cut out of a longer one has no header: take records that look like RST."""
    if is_compressed(start):
        return CERTAIN
    looks = (
        len(start) >= SIZE
        and _HEADER < start[0] <= OWN
        and all(_HEADER <= kind <= _LAST for kind in start[: SIZE * 8 : SIZE])
    )
    if first[:1] == b"(" and b"\0" in start[:SIZE] and looks:
        return CERTAIN  # the code of EVENT records is that of the character
    return LIKELY if start and (start[0] == _HEADER or not start.strip(b"\0") or looks) else NO


FORMAT = Format(
    name="rst",
    title="RST",
    what="RST 2.13",
    begins="first byte 02, or RZ3",
    recognises=_recognises,
    types=(*(kind.name for kind in TYPES), "context", "unknown"),
    usual_arch=producer("").unnamed,
    carries_registers=True,
    parts={
        "open": ".trace:RstTrace",
        "rows": ".text:rst_blocks",
        "event texts": ".text:event_texts",
        "batches": ".batch:batches",
        "views": ".groups:rst_views",
        "keeper": ".groups:Switches",
        "written": "inst.trace.written:Written",
        "merged": ".merge:MergedRst",
        "writer": ".write:writer",
        "losses": ".losses:count_losses",
        "check": ".well_formed:RstWellFormed",
        "check codes": ".well_formed:CODES",
        "compared": ".compare:compared",
        "describe": ".compare:describe",
        "threads": "",
        "cpus": "",
        "words": "",
        "instructions": ".instructions:instructions",
        "registers": ".regvals:RstRegisters",
        "anonymise": ".anonymise:anonymiser",
        "fill-symbols": ".symbols:fill_symbols",
        "rstzip": "",
        "physical": ".physical:Physical",
        "renumber": ".renumber:renumber",
    },
)
