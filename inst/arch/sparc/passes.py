"""The translation of SPARC assembly as one list of passes."""

from __future__ import annotations

from inst.arch.sparc.rewrite import immediates, insertable, site, windows
from inst.rewrite import (
    analysis,
    counter,
    exits,
    function_calls,
    growth,
    marks,
    reach,
    unreportable,
    writers,
)
from inst.rewrite.passes import Passes

PART = Passes((
    growth.refuse_jumps_by_length,
    exits.open_reported_exits,
    insertable.make_insertable,
    growth.refuse_code_by_length,
    unreportable.refuse_unreportable,
    analysis.analyse,
    writers.find_regions,
    writers.write_sites,
    marks.name_accesses,
    windows.report_windows,
    counter.place_counts,
    writers.end_regions,
    function_calls.report_functions,
    reach.relax,
    immediates.refuse_long_immediates,
    site.declare_registers,
))  # fmt: skip
