"""How sites are written: the one way there is calls glue at each, and glue calls a hook.

What a site is and what is live there is found before (`inst.rewrite.sites`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from inst.rewrite import powerpc, powerpc_leaving, sparc, sparc_count, sparc_leaving
from inst.rewrite.context import Rewriting
from inst.rewrite.leaving import Leaving, find_leaving
from inst.rewrite.sites import Site, collect_sites


@dataclass(frozen=True, slots=True)
class Writer:
    """A way to write the sites of one instruction set."""

    site: Callable[[Rewriting, Site], None]
    """Write an access, a system call or a switch of stacks."""
    count: Callable[[Rewriting, int, str], None]
    """Write a call of the software counter's entry before an instruction."""
    can_stay: Callable[[Rewriting, int], bool]
    """Return whether hooks can stay on the stack that an instruction leaves."""
    end_leaving: Callable[[Rewriting, Leaving, bool], None]
    """End a region in which they do; report the new frame, if that is wanted."""


HOOK_CALLS = {
    "sparc": Writer(sparc.write, sparc_count.count, sparc_leaving.can_stay, sparc_leaving.end),
    "powerpc": Writer(powerpc.write, powerpc.count, powerpc_leaving.can_stay, powerpc_leaving.end),
}
"""Instruction set -> how its sites become calls of hooks."""


def find_regions(work: Rewriting) -> None:
    """Find the regions in which hooks stay on the stack that the program leaves."""
    can_stay = HOOK_CALLS[work.isa.name].can_stay
    found = find_leaving(work.code, work.isa)
    work.leaving = {start: region for start, region in found.items() if can_stay(work, start)}


def write_sites(work: Rewriting) -> None:
    """Write the probes of all sites."""
    write = HOOK_CALLS[work.isa.name].site
    for site in collect_sites(work):
        if site.reported:
            write(work, site)
        elif site.access is not None:
            work.leave_unreported(site.index, site.access.size, certain=not site.from_table)


def end_regions(work: Rewriting) -> None:
    """Move to the program's new stack at the end of each such region."""
    end = HOOK_CALLS[work.isa.name].end_leaving
    for region in work.leaving.values():
        end(work, region, work.options.frames)
