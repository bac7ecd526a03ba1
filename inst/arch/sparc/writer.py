"""How the sites of SPARC code become calls of hooks."""

from __future__ import annotations

from inst.rewrite import sparc, sparc_count, sparc_functions, sparc_leaving
from inst.rewrite.writer import Writer

PART = Writer(
    site=sparc.write,
    count=sparc_count.count,
    can_stay=sparc_leaving.can_stay,
    wanted=lambda work, site, access: True,
    left_out=lambda work: frozenset(),
    may_report_functions=sparc_functions.may_report,
    enter=sparc_functions.enter,
    leave=sparc_functions.leave,
    end_leaving=sparc_leaving.end,
)
