"""The translation of its assembly as one list of passes."""

from __future__ import annotations

from inst.rewrite import analysis, counter, insertable, marks, reach, unreportable, writers
from inst.rewrite.passes import Passes

PART = Passes((
    insertable.keep_distances,
    unreportable.refuse_unreportable,
    analysis.analyse,
    writers.find_regions,
    writers.write_sites,
    marks.name_accesses,
    counter.place_counts,
    writers.end_regions,
    reach.relax,
))  # fmt: skip
