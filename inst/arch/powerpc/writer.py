"""How the sites of PowerPC code become calls of hooks."""

from __future__ import annotations

from inst.arch.powerpc.rewrite import functions, leaving, lr_slot, probes, wanted
from inst.rewrite.writer import Writer

PART = Writer(
    site=probes.write,
    count=probes.count,
    can_stay=leaving.can_stay,
    share_saved=lr_slot.find_lr_slot,
    wanted=wanted.is_wanted,
    left_out=wanted.between_entries,
    may_report_functions=lambda work: True,
    enter=functions.enter,
    leave=functions.leave,
    open_exit=functions.open_exit,
    end_leaving=leaving.end,
)
