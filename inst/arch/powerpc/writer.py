"""How the sites of PowerPC code become calls of hooks."""

from __future__ import annotations

from inst.rewrite import powerpc, powerpc_functions, powerpc_leaving, powerpc_wanted
from inst.rewrite.writer import Writer

PART = Writer(
    site=powerpc.write,
    count=powerpc.count,
    can_stay=powerpc_leaving.can_stay,
    wanted=powerpc_wanted.is_wanted,
    left_out=powerpc_wanted.between_entries,
    may_report_functions=lambda work: True,
    enter=powerpc_functions.enter,
    leave=powerpc_functions.leave,
    end_leaving=powerpc_leaving.end,
)
