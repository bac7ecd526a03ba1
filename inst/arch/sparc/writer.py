"""How the sites of SPARC code become calls of hooks."""

from __future__ import annotations

from inst.arch.sparc.rewrite import count, functions, keepers, leaving, probes, site
from inst.rewrite.writer import Writer

PART = Writer(
    site=probes.write,
    count=count.count,
    can_stay=leaving.can_stay,
    share_saved=site.share_link,
    wanted=lambda work, site, access: True,
    left_out=keepers.left_out,
    may_report_functions=functions.may_report,
    enter=functions.enter,
    leave=functions.leave,
    open_exit=functions.open_exit,
    end_leaving=leaving.end,
    keep=keepers.keep,
)
