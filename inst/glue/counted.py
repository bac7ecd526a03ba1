"""Entries of the software instruction counter.

Where windowhook reads the program's registers, an entry counts first and, where a window has ended,
restores all registers and then stores them to memory: a count costs a few instructions more.
"""

from __future__ import annotations

from dataclasses import replace

from inst.glue import linked, powerpc, powerpc64, sparc, sparc64, windowed
from inst.glue.events import plain_members
from inst.glue.usage import COUNT, DOWN, WINDOW, Usage
from inst.hooktable import BY_NAME

_EVENT, _HOOK = "window", "windowhook"
_TEMPLATE = "window.s.j2"
_LINKED = {"powerpc": powerpc.ABI, "powerpc64": powerpc64.ABI}
# A site that passes nothing has a register left for its %o7.
_WINDOWED = {
    "sparc": replace(sparc.ABI, site_frame=0),
    "sparc64": replace(sparc64.ABI, site_frame=0),
}


def counter_members(runtime: str, usages: dict[str, Usage]) -> dict[str, linked.Members]:
    """Return for a template the members to render from it, with their variables."""
    hook = usages.get(_HOOK)
    if COUNT in usages and hook is not None and hook.address:
        whole = _from_linked if runtime in _LINKED else _from_windowed
        number = {"number": BY_NAME[_HOOK].id}
        return {_TEMPLATE: {_EVENT: {**whole(runtime, usages), **number}}}
    if runtime in _WINDOWED:
        made = plain_members(_WINDOWED[runtime], _EVENT, usages.get(COUNT), told=False)
    else:
        made = _plain_linked(_LINKED[runtime], usages.get(COUNT))
    return {"glue.s.j2": made}


def _plain_linked(abi: linked.Abi, usage: Usage | None) -> linked.Members:
    names = linked.event_symbols(abi, _EVENT)
    if usage is None:
        return {_EVENT: {"bare": list(names)}}
    number = BY_NAME[_HOOK].id
    return {
        name: linked.event_member(abi, usage, number, name, site) for name, site in names.items()
    }


def _from_linked(runtime: str, usages: dict[str, Usage]) -> dict[str, object]:
    """Return the variables of entries for PowerPC, which preserve all condition codes."""
    abi = _LINKED[runtime]
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


def _from_windowed(runtime: str, usages: dict[str, Usage]) -> dict[str, object]:
    """Return the variables of entries for SPARC, which preserve the condition codes."""
    abi = _WINDOWED[runtime]
    counting, saving = (
        abi.saving(usages[name].clobbers | {"icc"}, True, False) for name in (DOWN, WINDOW)
    )
    entries = [
        {
            "symbol": windowed.symbol_of(_EVENT, "", flags),
            "kept": "k" in flags,
            "counting": counting,
            "saving": saving,
        }
        for flags in windowed.FLAGS
    ]
    return {"entries": entries, **abi.window}
