"""Entries of the software instruction counter for PowerPC.

Where windowhook reads the program's registers, an entry counts first and, where a window has ended,
restores all registers and then stores them to memory: a count costs a few instructions more.
"""

from __future__ import annotations

from dataclasses import replace

from inst.arch.powerpc.glue import linked
from inst.glue.model import Members, Templates
from inst.glue.usage import COUNT, DOWN, WINDOW, Usage, reads_registers
from inst.hooktable import BY_NAME

_EVENT, _HOOK = "window", "windowhook"


def counter_members(abi: linked.Abi, usages: dict[str, Usage]) -> Templates:
    """Return for a template the members to render from it, with their variables."""
    if reads_registers(usages):
        return {"window.s.j2": {_EVENT: {**_whole(abi, usages), "number": BY_NAME[_HOOK].id}}}
    return {"glue.s.j2": _plain(abi, usages.get(COUNT))}


def _plain(abi: linked.Abi, usage: Usage | None) -> Members:
    names = linked.event_symbols(abi, _EVENT)
    if usage is None:
        return {_EVENT: {"bare": list(names)}}
    number = BY_NAME[_HOOK].id
    return {
        name: linked.event_member(abi, usage, number, name, site) for name, site in names.items()
    }


def _whole(abi: linked.Abi, usages: dict[str, Usage]) -> dict[str, object]:
    """Return the variables of entries, which preserve all condition codes."""
    counting = replace(usages[DOWN], clobbers=usages[DOWN].clobbers | {"cr0"})
    entries = [
        {
            "symbol": symbol,
            "own": int(free != "r13"),
            "counting": abi.saving(counting, True, set(abi.changed), free),
        }
        for symbol, (free, _) in linked.event_symbols(abi, _EVENT).items()
    ]
    return {"entries": entries, **abi.rare(usages[WINDOW])}
