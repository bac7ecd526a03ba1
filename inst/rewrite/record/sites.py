"""Records the plain accesses of a file."""

from __future__ import annotations

from inst.rewrite.context import Rewriting
from inst.rewrite.record.model import Recorder
from inst.rewrite.record.segments import find_segments
from inst.rewrite.record.states import place
from inst.rewrite.record.writing import size_of, write_segment
from inst.rewrite.sites import Site


def record_sites(work: Rewriting, sites: list[Site]) -> frozenset[int]:
    """Write the segments of a file; return the accesses that they record."""
    found = find_segments(work, sites)
    placed = place(work, found, [size_of(work, segment) for segment in found], sites)
    recorder = work.isa.part(Recorder)
    for index in placed.stores_first:
        work.edit(index).before.append(recorder.store_pointer(work))
    for segment in placed.segments:
        write_segment(work, segment)
    for index in placed.stores_before:
        work.edit(index).before.append(recorder.store_pointer(work))
    for index in placed.stores_after:
        work.edit(index).after.append(recorder.store_pointer(work))
    work.file.segments.add(placed.segments)
    return frozenset(site.index for segment in placed.segments for site in segment.sites)
