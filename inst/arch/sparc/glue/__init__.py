"""The glue of SPARC: entries that hold what they save in a register window of their own."""

from __future__ import annotations

from functools import partial

from inst.arch.sparc.glue import v8, v9
from inst.arch.sparc.glue.counter import counter_members
from inst.arch.sparc.glue.events import event_members
from inst.arch.sparc.glue.windowed import Abi, templates
from inst.glue.model import Entries, Glue


def _entries(abi: Abi) -> Entries:
    return Entries(
        partial(templates, abi), partial(event_members, abi), partial(counter_members, abi)
    )


PART = Glue(
    entries={abi: _entries(one) for abi, one in {**v8.ABIS, "v9": v9.ABI}.items()},
    windows=True,
    registers="g1 g2 g3 g4 o0 o1 o2 o3 o4 o5 o7",
    conditions="icc xcc y",
    distance="%r_disp32({})",
)
