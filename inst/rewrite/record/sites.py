"""Records the plain accesses of a file."""

from __future__ import annotations

from collections.abc import Iterator

from inst.errors import InstError
from inst.flow.code import statement_error
from inst.isa.model import Form
from inst.rewrite.context import Rewriting, named_event
from inst.rewrite.edits import DEBUG_LABELS
from inst.rewrite.record.arrivals import find_arrivals
from inst.rewrite.record.calls import add_calls
from inst.rewrite.record.model import Segment
from inst.rewrite.record.recorder import Recorder
from inst.rewrite.record.reserved import find_reserved, write_reserved
from inst.rewrite.record.restored import restores
from inst.rewrite.record.segments import find_segments, plain_stores
from inst.rewrite.record.states import Placed, place
from inst.rewrite.record.writing import (
    end_ways,
    mark_access,
    size_of,
    write_segment,
)
from inst.rewrite.segment_table import Place
from inst.rewrite.sites import Site

_WHOLE = (Form.SIMPLE, Form.SPECIAL)
"""Of accesses that are reported as one."""


def record_sites(work: Rewriting, sites: list[Site]) -> frozenset[int]:
    """Write the segments of a file; return the accesses that need no call of glue."""
    if work.addresses:
        return _recorded(work, [*sites, *_frames(work)], [])
    if work.isa.part(Recorder).loose is None:
        raise InstError(
            f"code of {work.isa.name} ({work.isa.abi}) cannot be re-executed yet",
            hint="record values instead (--inst-record=values)",
        )
    work.kept_values = find_reserved(work, sites)
    arrivals = find_arrivals(work)
    computed = [*plain_stores(work, sites), *restores(work, sites), *_constants(work, sites)]
    work.computed = frozenset(site.index for site in computed)
    rest = [site for site in sites if site.index not in work.computed]
    recorded = _recorded(work, rest, arrivals)
    for site in computed:
        _mark(work, site)
    add_calls(work)
    return recorded | work.computed


def _constants(work: Rewriting, sites: list[Site]) -> list[Site]:
    """Return the sites that load addresses from the linker's tables."""
    loose = work.isa.part(Recorder).loose
    assert loose is not None
    loads = (site for site in sites if site.access and site.access.load and site.reported)
    return [site for site in loads if loose.loads_constant(work, site.index)]


def _frames(work: Rewriting) -> Iterator[Site]:
    """Yield the places after instructions that make frames, where these can be recorded."""
    labelled = work.code.labelled(DEBUG_LABELS)
    for index in work.isa.part(Recorder).frames(work):
        if index + 1 < len(work.code.facts) and index + 1 not in labelled:
            after = work.liveness.after[index]
            yield Site(index + 1, None, after, after, frame=True)


def _recorded(work: Rewriting, sites: list[Site], arrivals: list[Site]) -> frozenset[int]:
    """Write the segments of accesses and of registers that arrive; return these accesses."""
    every = sorted([*arrivals, *sites], key=lambda site: (site.place, not site.frame))
    found = find_segments(work, every)
    work.framed = frozenset(one.first - 1 for one in found if one.is_frame)
    sites = [site for site in sites if not site.frame]
    placed = place(work, found, [size_of(work, segment) for segment in found], sites)
    _refuse_lost(work, arrivals, placed.segments)
    recorder = work.isa.part(Recorder)
    for index in placed.stores_first:
        work.edit(index).before.append(recorder.store_pointer(work))
    for segment in placed.segments:
        write_segment(work, segment)
    for index in placed.stores_before:
        work.edit(index).before.append(recorder.store_pointer(work))
    for index in placed.stores_after:
        work.edit(index).after.append(recorder.store_pointer(work))
    end_ways(work, placed.segments)
    _set_counters(work, placed)
    work.file.segments.add(placed.segments)
    recorded = (site for segment in placed.segments for site in segment.sites)
    return frozenset(site.index for site in recorded if site.access is not None)


def _set_counters(work: Rewriting, placed: Placed) -> None:
    """Set the register that counts checks before loops where it does."""
    loose = work.isa.part(Recorder).loose
    for index, count in placed.sets.items():
        code = loose.set_counter(work, index, count, False) if loose else None
        work.edit(index).before += code or ()
    for index, count in placed.sets_after.items():
        code = loose.set_counter(work, index + 1, count, False) if loose else None
        work.edit(index).after += code or ()


def _refuse_lost(work: Rewriting, arrivals: list[Site], segments: list[Segment]) -> None:
    """Refuse code where a register that arrives cannot be recorded."""
    written = {id(site) for segment in segments for site in segment.sites}
    for site in arrivals:
        if id(site) not in written and not site.optional:
            message = "no register is free to record what arrives here for re-execution"
            hint = "record values (--inst-record=values), or leave the function out (--inst-except)"
            raise statement_error(work.code, site.index, message, hint)


def _mark(work: Rewriting, site: Site) -> None:
    """Put a label at an access that nothing records."""
    assert site.access is not None
    label = work.mark_site(site.index, named_event(site.access), site.access.size)
    mark_access(work, site.index, label)


def is_windowed(work: Rewriting, index: int) -> bool:
    """Return whether the hooks of `windows` may leave the value of an access out.

    They write records of all others: those that order threads, or load and store, or are reported
    in parts. `hooks/windows` tells the two apart in the same way.
    """
    access = work.code.facts[index].access
    if access is None or access.form not in _WHOLE or access.size not in (1, 2, 4, 8):
        return False
    is_wide = bool(access.asi) and (access.value or "").startswith("f")
    if index in work.unreported or is_wide:
        return False
    return index not in work.orders and not (access.load and access.store)


def add_code(work: Rewriting, recorded: frozenset[int]) -> None:
    """Add where instrumented code begins and ends to the table of segments, with the accesses that
    re-execution computes and those that call hooks; `recorded` are all others, with the former.

    The hooks of all sites have been written.
    """
    write_reserved(work, work.kept_values)
    index_of = {statement: index for index, statement in enumerate(work.code.statement)}
    labels = {
        index: Place(label, hooked=False, left=True)
        for index, label in work.recorded_results.items()
    }
    for row in work.rows:
        index = index_of[row.statement]
        if index not in recorded:
            windowed = work.options.windows and is_windowed(work, index)
            labels[index] = Place(row.label, hooked=not windowed, windowed=windowed)
        elif index in work.computed:
            labels[index] = Place(row.label, hooked=False)
    start = 0
    for end in work.code.section_end:
        kept = [index for index in range(start, end) if index not in work.left_out]
        for first, last in _ranges(kept):
            begin, finish = work.edits.new_label(), work.edits.new_label()
            work.edit(first).before.insert(0, f"{begin}:")
            work.edit(last).after.append(f"{finish}:")
            accesses = [labels[index] for index in range(first, last + 1) if index in labels]
            work.file.segments.add_code(begin, finish, accesses)
        start = end


def _ranges(numbers: list[int]) -> list[tuple[int, int]]:
    """Return the first and last of each row of consecutive numbers."""
    found: list[tuple[int, int]] = []
    for number in numbers:
        if found and found[-1][1] == number - 1:
            found[-1] = (found[-1][0], number)
        else:
            found.append((number, number))
    return found
