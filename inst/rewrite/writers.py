"""Which functions write the probes of each instruction set."""

from __future__ import annotations

from collections.abc import Callable

from inst.rewrite import powerpc, powerpc64, powerpc_leaving, sparc, sparc_leaving
from inst.rewrite.context import Rewriting
from inst.rewrite.leaving import Leaving

_PROBES: dict[tuple[str, int], Callable[[Rewriting], None]] = {
    ("sparc", 32): sparc.place_probes,
    ("sparc", 64): sparc.place_probes,
    ("powerpc", 32): powerpc.place_probes,
    ("powerpc", 64): powerpc64.place_probes,
}
_ENDS: dict[str, Callable[[Rewriting, Leaving, bool], None]] = {
    "sparc": sparc_leaving.end,
    "powerpc": powerpc_leaving.end,
}


def write_probes(work: Rewriting) -> None:
    """Insert a probe at each access and system call."""
    _PROBES[work.isa.name, 64 if work.small_data else work.isa.bits](work)


def end_leaving(work: Rewriting) -> None:
    """End the regions in which hooks use the stack that is left."""
    for line in work.leaving.values():
        _ENDS[work.isa.name](work, line, work.options.frames)
