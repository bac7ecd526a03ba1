"""How sites are written: by calls of glue, which calls hooks, or inline (`inst.rewrite.record`).

What a site is and what is live there is found before (`inst.rewrite.sites`).
"""

from __future__ import annotations

from collections.abc import Iterator

from inst.flow.code import statement_error
from inst.rewrite.context import Rewriting, is_event
from inst.rewrite.leaving import find_leaving
from inst.rewrite.sites import NO_BRANCH, Site
from inst.rewrite.writer import Writer


def find_regions(work: Rewriting) -> None:
    """Find the regions in which hooks stay on the stack that the program leaves."""
    can_stay = work.isa.part(Writer).can_stay
    found = find_leaving(work.code, work.isa)
    work.leaving = {start: region for start, region in found.items() if can_stay(work, start)}


def write_sites(work: Rewriting) -> None:
    """Write the probes of all sites."""
    write = work.isa.part(Writer).site
    sites = list(collect_sites(work))
    recorded = _recorded(work, sites) if work.options.record else frozenset()
    for site in sites:
        if site.index in recorded:
            continue
        if site.reported:
            write(work, site)
        elif site.access is not None:
            work.leave_unreported(site.index, site.access.size, certain=not site.from_table)
    if not work.addresses:
        from inst.rewrite.record.sites import add_code

        add_code(work, recorded)


def _recorded(work: Rewriting, sites: list[Site]) -> frozenset[int]:
    """Record accesses inline where that is possible; return them."""
    from inst.rewrite.record.sites import record_sites  # seven modules, which few builds need

    return record_sites(work, sites)


def end_regions(work: Rewriting) -> None:
    """Move to the program's new stack at the end of each such region."""
    end = work.isa.part(Writer).end_leaving
    for region in work.leaving.values():
        end(work, region, work.options.frames and not work.options.record)


def collect_sites(work: Rewriting) -> Iterator[Site]:
    """Yield the sites in the order of the code."""
    facts, ends = work.code.facts, set(work.code.section_end)
    before, after = work.liveness.before, work.liveness.after
    writer = work.isa.part(Writer)
    removed = writer.left_out(work)
    branch = NO_BRANCH
    for index, fact in enumerate(facts):
        access = fact.access
        if branch != NO_BRANCH:
            if access is not None:
                yield Site(index, access, before[index], after[index], branch)
            branch = NO_BRANCH
        elif fact.runs_slot:
            if index + 1 in ends:
                message = "the file ends where a delay slot should be"
                raise statement_error(work.code, index, message)
            branch = index
        elif fact.system_call or index in work.leaving:
            switches = index in work.leaving
            yield Site(index, access, before[index], after[index], switches_stack=switches)
        elif access is not None and index not in removed:
            site = Site(index, access, before[index], after[index])
            if writer.wanted(work, site, access):
                yield site
        elif fact.event and is_event(work, fact) and index not in work.reserved:
            yield Site(index, None, before[index], after[index], event=fact.event)
