"""Records the plain accesses of a file."""

from __future__ import annotations

from inst.rewrite.context import Rewriting
from inst.rewrite.record.checks import place_checks
from inst.rewrite.record.segments import find_segments
from inst.rewrite.record.writing import size_of, write_segment
from inst.rewrite.sites import Site


def record_sites(work: Rewriting, sites: list[Site]) -> frozenset[int]:
    """Write the segments of a file; return the accesses that they record."""
    found = find_segments(work, sites)
    placed = place_checks(work, found, [size_of(work, segment) for segment in found])
    for segment in placed:
        write_segment(work, segment)
    work.file.segments.add(placed)
    return frozenset(site.index for segment in placed for site in segment.sites)
