"""STF: the text of a PowerPC register tracer, instruction by instruction."""

from __future__ import annotations

import re

from inst.trace.format import NO, SURE, Format

_START = re.compile(rb"\||(?:[RF]\d\d|XER|MSR|CTR|LNK|CCR|MQ|HQ|FPSCR|PCN|GAP)[ \t]*=")
"""The header, or a line of a trace that was cut out of a longer one."""


FORMAT = Format(
    name="stf",
    title="STF",
    what="STF, PowerPC only",
    begins="first character '|'",
    recognises=lambda _start, first: SURE if _START.match(first) else NO,
    types=("header", "state", "instr"),
    usual_arch="ppc",
    carries_registers=True,
    parts={
        "open": ".trace:StfTrace",
        "rows": ".text:stf_blocks",
        "event texts": ".text:event_texts",
        "batches": ".source:stf_batches",
        "views": ".view:stf_views",
        "written": ".gap_texts:WrittenStf",
        "writer": ".write:StfWriter",
        "losses": ".losses:count_losses",
        "check": ".well_formed:StfWellFormed",
        "check codes": ".well_formed:CODES",
        "compared": ".compare:compared",
        "words": "",
        "instructions": ".instructions:instructions",
        "register records": ".regvals:further",
    },
)
