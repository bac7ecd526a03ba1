"""The translation of PowerPC assembly as one list of passes."""

from __future__ import annotations

from inst.arch.powerpc.rewrite import local_entries, probes, unreported
from inst.rewrite import (
    analysis,
    counter,
    exits,
    function_calls,
    growth,
    insertable,
    marks,
    reach,
    unreportable,
    writers,
)
from inst.rewrite.passes import Passes

PART = Passes((
    growth.refuse_jumps_by_length,
    exits.open_reported_exits,
    insertable.keep_distances,
    growth.refuse_code_by_length,
    unreportable.refuse_unreportable,
    analysis.analyse,
    unreportable.refuse_accumulators,
    writers.find_regions,
    writers.write_sites,
    probes.drop_markers,
    marks.name_accesses,
    unreported.count_unreported,
    counter.place_counts,
    writers.end_regions,
    function_calls.report_functions,
    reach.relax,
    local_entries.pad_local_entries,
))  # fmt: skip
