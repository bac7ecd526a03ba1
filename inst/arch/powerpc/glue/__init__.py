"""The glue of PowerPC: entries that save in a frame what hooks change."""

from __future__ import annotations

from functools import partial

from inst.arch.powerpc.glue import narrow, wide
from inst.arch.powerpc.glue.counter import counter_members
from inst.arch.powerpc.glue.linked import Abi, event_members, templates
from inst.glue.model import Entries, Glue


def _entries(abi: Abi) -> Entries:
    return Entries(
        partial(templates, abi), partial(event_members, abi), partial(counter_members, abi)
    )


_WIDE = _entries(wide.ABI)
PART = Glue(
    entries={"svr4": _entries(narrow.ABI), "elfv1": _WIDE, "elfv2": _WIDE},
    windows=False,
    registers="r0 r3 r4 r5 r6 r7 r8 r9 r10 r11 r12 lr",
    conditions="cr0 cr1 cr5 cr6 cr7 ctr xer",
    distance="{}-.",
)
