"""Traces of s-expressions, a record a line."""

from __future__ import annotations

from inst.formats.sexp.table import KINDS
from inst.trace.format import NO, SURE, Format


def _recognises(_start: bytes, first: bytes) -> int:
    """A file without any record is an empty trace of this format."""
    return SURE if not first or first[:1] in (b"(", b"!") else NO


FORMAT = Format(
    name="sexp",
    title="s-expressions",
    what="s-expressions, one a line",
    begins="first character '('",
    recognises=_recognises,
    types=tuple(KINDS),
    states_ids=True,
    names_sources=True,
    parts={
        "open": ".trace:SexpTrace",
        "rows": ".text:sexp_blocks",
        "event texts": ".write:event_texts",
        "views": ".view:sexp_views",
        "writer": ".write:writer",
        "losses": ".losses:count_losses",
        "check": ".well_formed:SexpWellFormed",
        "check codes": ".well_formed:CODES",
        "compared": ".compare:compared",
        "threads": "",
        "located events": ".located:located",
        "anonymise": ".anonymise:anonymiser",
        "fill-symbols": ".symbols:fill_symbols",
        "renumber": ".renumber:renumber",
    },
)
