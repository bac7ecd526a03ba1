"""Entries for what is no access: the counter, and the turns of SPARC's register window.

They are members of the archive like those for accesses, rendered from the same template.
Where a library has no use for an event its entries only return.
"""

from __future__ import annotations

from collections.abc import Callable

from inst.glue import powerpc, sparc
from inst.glue.usage import COUNT, MOVED, Usage
from inst.hooktable import BY_NAME

_BUFFER = 96
"""Where the glue for a restore puts the registers: above what a frame must leave free."""
_ROOM = _BUFFER + 64
_FRAME_ARGUMENTS = ("mov %fp, %o0", "mov %i7, %o2", "mov %g5, %o1")
"""The program's %sp, the place, and its %fp, which the site put into %g5."""


def event_members(runtime: str, usages: dict[str, Usage]) -> dict[str, dict[str, object]]:
    """Return the members for a runtime, with the variables of their template."""
    build = _RUNTIMES.get(runtime)
    return build(usages) if build else {}


def _number(usage: Usage) -> int:
    """Return the number of the hook behind a function that glue calls."""
    name = (
        "windowhook" if usage.name == COUNT else "savehook" if usage.name == MOVED else usage.name
    )
    return BY_NAME[name].id


def _sparc(usages: dict[str, Usage]) -> dict[str, dict[str, object]]:
    frames = sparc.Body("plain", (), 0, _FRAME_ARGUMENTS)
    return {
        **_sparc_members("window", usages.get(COUNT), sparc.Body("plain", (), 0, ())),
        **_sparc_members("save", usages.get("savehook"), frames),
        **_sparc_members("move", usages.get(MOVED), frames),
        **_restore_members(usages.get("restorehook")),
    }


def _names(event: str, flags: str) -> str:
    return ".".join(part for part in ("inst", event, flags) if part)


def _sparc_members(
    event: str, usage: Usage | None, body: sparc.Body
) -> dict[str, dict[str, object]]:
    if usage is None or usage.empty:
        return {event: _sparc_bare(event)}
    return {
        _names(event, flags): {
            **_sparc_variables(usage, flags),
            "stubs": {"register": [], "memory": []},
            "bodies": [sparc.Body("plain", (_names(event, flags),), 0, body.arguments)],
        }
        for flags in sparc.FLAGS
    }


def _sparc_bare(event: str) -> dict[str, object]:
    return {
        "bare": [_names(event, flags) for flags in sparc.FLAGS if "k" not in flags],
        "bare_kept": [_names(event, flags) for flags in sparc.FLAGS if "k" in flags],
    }


def _sparc_variables(usage: Usage, flags: str) -> dict[str, object]:
    return {
        "hook": usage.name,
        "kept": "k" in flags,
        "moved": _ROOM,
        "number": _number(usage),
        "saving": sparc.saving(usage.clobbers, "x" in flags, False),
    }


def _restore_members(usage: Usage | None) -> dict[str, dict[str, object]]:
    """Return the entries behind a restore: the window is put into memory for the hook."""
    if usage is None or usage.empty:
        return {"restore": _sparc_bare("restore")}
    pairs = [f"{bank}{n}" for bank in "il" for n in range(0, 8, 2)]
    stores = [f"std %{pair}, [%sp+{_BUFFER + 8 * n}]" for n, pair in enumerate(pairs)]
    lines = (f"add %sp, -{_ROOM}, %sp", *stores)
    body = sparc.Body("memory", (), _ROOM, (f"add %fp, {_BUFFER}, %o0",))
    return {
        _names("restore", flags): {
            **_sparc_variables(usage, flags),
            "stubs": {
                "register": [],
                "memory": [sparc.Stub(_names("restore", flags), lines)],
            },
            "bodies": [body],
        }
        for flags in sparc.FLAGS
    }


def _powerpc(usages: dict[str, Usage]) -> dict[str, dict[str, object]]:
    usage = usages.get(COUNT)
    if usage is None:
        return {"window": {"bare": [_names("window", flags) for flags in powerpc.FLAGS]}}
    return {_names("window", flags): _powerpc_window(usage, flags) for flags in powerpc.FLAGS}


def _powerpc_window(usage: Usage, flags: str) -> dict[str, object]:
    plan = powerpc.saving(usage.clobbers, "x" in flags, set(), usage.name)
    saved = {name: at for name, at in plan.offsets.items() if name.startswith("r")}
    body = powerpc.Body("plain", (_names("window", flags),), False, saved, False, ())
    return {
        "stubs": [],
        "bodies": [body],
        "hook": usage.name,
        "saving": plan,
        "pc": False,
        "number": _number(usage),
    }


_RUNTIMES: dict[str, Callable[[dict[str, Usage]], dict[str, dict[str, object]]]] = {
    "sparc": _sparc,
    "powerpc": _powerpc,
}
