"""Entries of the software instruction counter for SPARC.

Where windowhook reads the program's registers, an entry counts first and, where a window has ended,
restores all registers and then stores them to memory: a count costs a few instructions more.
"""

from __future__ import annotations

from dataclasses import replace

from inst.arch.sparc.glue import windowed
from inst.arch.sparc.glue.events import plain_members
from inst.glue.model import Templates
from inst.glue.usage import COUNT, DOWN, WINDOW, Usage, reads_registers
from inst.hooktable import BY_NAME

_EVENT, _HOOK = "window", "windowhook"


def counter_members(abi: windowed.Abi, usages: dict[str, Usage]) -> Templates:
    """Return for a template the members to render from it, with their variables."""
    alone = replace(abi, site_frame=0)  # a site that passes nothing has a register for its %o7
    if reads_registers(usages):
        return {"window.s.j2": {_EVENT: {**_whole(alone, usages), "number": BY_NAME[_HOOK].id}}}
    return {"glue.s.j2": plain_members(alone, _EVENT, usages.get(COUNT), passes_frame=False)}


def _whole(abi: windowed.Abi, usages: dict[str, Usage]) -> dict[str, object]:
    """Return the variables of entries, which preserve the condition codes."""
    counting, saving = (
        abi.saving(usages[name].clobbers | {"icc"}, True, False) for name in (DOWN, WINDOW)
    )
    entries = [
        {
            "symbol": windowed.symbol_of(_EVENT, "", flags),
            "link_saved": "k" in flags,
            "counting": counting,
            "saving": saving,
        }
        for flags in windowed.FLAGS
    ]
    return {"entries": entries, **abi.window}
