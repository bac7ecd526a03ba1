"""How its sites call hooks: the address goes into t5, and t7 is saved in a dead register."""

from __future__ import annotations

from inst.flow.liveness import dead_registers
from inst.rewrite.context import Rewriting, event_of
from inst.rewrite.sites import Site
from inst.rewrite.writer import Writer

from .sites import ADDRESS


def _site(work: Rewriting, site: Site) -> None:
    access = site.access
    assert access is not None
    label = work.mark_site(site.index, event_of(access), access.size)
    lines = [f"la {ADDRESS},{access.offset}({access.base})", f"call inst.{event_of(access)}"]
    if site.live_before & work.isa.registers.link:
        free = dead_registers(work.isa, site.live_before, 0)[0]
        lines = [f"mv {free},t7", *lines, f"mv t7,{free}"]
    work.edit(site.index).before += [*lines, f"{label}:"]


def _count(work: Rewriting, index: int, entry: str) -> None:
    work.edit(index).before[:0] = [f"call {entry}"]


PART = Writer(
    site=_site,
    count=_count,
    can_stay=lambda work, index: False,
    share_saved=lambda work: None,
    wanted=lambda work, site, access: True,
    left_out=lambda work: frozenset(),
    may_report_functions=lambda work: False,
    enter=lambda work, index, label: [],
    leave=lambda work, index, label, live: [],
    open_exit=lambda statement, fact, leaving, past: [],
    end_leaving=lambda work, region, report: None,
)
