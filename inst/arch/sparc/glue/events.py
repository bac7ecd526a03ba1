"""Entries for events of SPARC that are not accesses: window changes and functions.

They are members of the archive like those for accesses, rendered from the same template.
Where a library has no use for an event its entries only return.
"""

from __future__ import annotations

from dataclasses import replace

from inst.arch.sparc.glue.windowed import FLAGS, Abi, Body, Stub, bare_entries, symbol_of, variables
from inst.glue.model import Members
from inst.glue.usage import COUNT, MOVED, ROOM, Usage
from inst.hooktable import BY_NAME

_HOOKS = {COUNT: "windowhook", MOVED: "savehook"}
"""Functions of the runtime that are called instead of a hook."""
ENTERED, LEFT = "enterhook", "leavehook"


def _number(usage: Usage) -> int:
    """Return the number of the hook that a function called by glue serves; 0: none."""
    if usage.name == ROOM:
        return 0
    return BY_NAME[_HOOKS.get(usage.name, usage.name)].id


def event_members(abi: Abi, usages: dict[str, Usage]) -> Members:
    """Return the members for events, with the variables of their template."""
    # A site that passes nothing has a register left for its %o7.
    alone = replace(abi, site_frame=0)
    room = usages.get(ROOM)
    return {
        **(plain_members(alone, "room", room, passes_frame=False) if room else {}),
        **plain_members(abi, "save", usages.get("savehook"), passes_frame=True),
        **plain_members(abi, "move", usages.get(MOVED), passes_frame=True),
        **_restore_members(alone, usages.get("restorehook")),
        **_enter_members(abi, usages.get(ENTERED)),
        **_leave_members(abi, usages.get(LEFT)),
    }


def plain_members(abi: Abi, event: str, usage: Usage | None, passes_frame: bool) -> Members:
    """Return the entries of an event whose hook is passed a frame, or nothing."""
    if usage is None or usage.empty:
        return {event: bare_entries(abi, lambda flags: [symbol_of(event, "", flags)])}
    made: Members = {}
    for flags in FLAGS:
        moved = abi.site_frame if "k" in flags else 0
        # The program's %sp, the place, and its %fp, which the site has passed.
        arguments = (f"add %fp, {moved}, %o0", "mov %i7, %o2", f"mov %{abi.address}, %o1")
        body = Body(
            "plain", (symbol_of(event, "", flags),), moved, arguments if passes_frame else ()
        )
        made[symbol_of(event, "", flags)] = _event(abi, usage, flags, 0, [], body)
    return made


def _restore_members(abi: Abi, usage: Usage | None) -> Members:
    """Return the entries after a `restore`: the window is stored to memory for the hook."""
    if usage is None or usage.empty:
        return {"restore": bare_entries(abi, lambda flags: [symbol_of("restore", "", flags)])}
    room, buffer = abi.least + 16 * abi.word, abi.bias + abi.least
    stores = _window_stores(abi.word, buffer)
    made: Members = {}
    for flags in FLAGS:
        stub = Stub(symbol_of("restore", "", flags), stores)
        body = Body("memory", (), room, (f"add %fp, {buffer}, %o0",))
        made[stub.symbol] = _event(abi, usage, flags, room, [stub], body)
    return made


def _function(abi: Abi) -> tuple[str, ...]:
    """Return what adds the distance that a site has passed to its call's address."""
    if abi.word == 4:
        return (f"add %i7, %{abi.address}, %o0",)
    return (f"sra %{abi.address}, 0, %o0", "add %i7, %o0, %o0")


def _enter_members(abi: Abi, usage: Usage | None) -> Members:
    """Return the entries where functions are entered: the site has saved %o7."""
    if usage is None or usage.empty:
        return {"enter": bare_entries(abi, lambda flags: [symbol_of("enter", "", flags)])}
    made: Members = {}
    for flags in FLAGS:
        moved = abi.site_frame if "k" in flags else 0
        link = (f"mov %{abi.kept}, %o1",) if abi.kept else (f"ldx [%fp+{abi.link}], %o1",)
        arguments = (*_function(abi), *link, "add %o1, 8, %o1", f"add %fp, {moved}, %o2")
        body = Body("plain", (symbol_of("enter", "", flags),), moved, arguments)
        made[symbol_of("enter", "", flags)] = _event(abi, usage, flags, 0, [], body)
    return made


def _leave_members(abi: Abi, usage: Usage | None) -> Members:
    """Return the entries where functions are left, with a register window of theirs or without."""
    if usage is None or usage.empty:
        values = ("", "i6")
        names = lambda flags: [symbol_of("leave", value, flags) for value in values]  # noqa: E731
        return {"leave": bare_entries(abi, names)}
    made: Members = {}
    for flags in FLAGS:
        moved = abi.site_frame if "k" in flags else 0
        first = (*_function(abi), "mov %i7, %o1")
        plain, windowed = (symbol_of("leave", value, flags) for value in ("", "i6"))
        body = Body("plain", (plain,), moved, (*first, f"add %fp, {moved}, %o2"))
        made[plain] = _event(abi, usage, flags, 0, [], body)
        store, load = ("st", "ld") if abi.word == 4 else ("stx", "ldx")
        stub = Stub(windowed, (f"{store} %fp, [%sp+{abi.value}]",))
        more = 0 if moved else abi.stub_frame
        fetch = f"{load} [%fp+{abi.value}], %o2"
        body = Body("memory", (), moved + more, (*first, fetch))
        made[windowed] = _event(abi, usage, flags, more, [stub], body)
    return made


def _event(
    abi: Abi, usage: Usage, flags: str, moved: int, stubs: list[Stub], body: Body
) -> dict[str, object]:
    return {
        **variables(abi, usage, _number(usage), flags, moved),
        "stubs": {abi.direct: [], "memory": stubs},
        "bodies": [body],
    }


def _window_stores(word: int, buffer: int) -> tuple[str, ...]:
    """Return what stores %i0 to %i7 and %l0 to %l7; registers of 32 bits go by pairs."""
    names = [f"{bank}{n}" for bank in "il" for n in range(8)]
    store, step = ("std", 2) if word == 4 else ("stx", 1)
    return tuple(f"{store} %{names[n]}, [%sp+{buffer + word * n}]" for n in range(0, 16, step))
