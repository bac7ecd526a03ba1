"""Entries for SPARC: members made alike for its two ABIs, from a value that holds what differs.

An entry's name contains the event, the register with the value, and the flags: `x` where condition
codes or %y are live, `k` where the site has saved its live %o7 for the entry to restore.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from inst.arch.sparc.sites import AFTER, KEPT, ORDERED, TABLE
from inst.glue.model import Members
from inst.glue.usage import RARE, Usage, noticed
from inst.hooktable import Hook

FLAGS = ("", "x", "k", "xk")
_RARE_EVENTS = {
    "rare": 0,
    "rare.after": AFTER,
    "table": AFTER | TABLE,
    "rare.release": ORDERED,
    "rare.ahead": ORDERED,
    "rare.after.acquire": AFTER | ORDERED,
}
"""Entries for what C decodes, with what they say of the access. Atomic accesses have two."""
INTEGERS = tuple(f"{bank}{n}" for bank in "goli" for n in range(8))
FLOATS = frozenset(f"f{n}" for n in range(64)) | {"fsr", "fcc0", "fcc1", "fcc2", "fcc3"}


@dataclass(frozen=True, slots=True)
class Stub:
    """An entry that fetches its value and continues in a shared body."""

    symbol: str
    lines: tuple[str, ...]
    """Instructions before the branch; the last one is in its delay slot."""


@dataclass(frozen=True, slots=True)
class Body:
    """What stubs of one kind share: save, find the arguments, call the hook, restore."""

    label: str
    symbols: tuple[str, ...]
    """Entries that start here and need no stub."""
    moved: int
    """How far site and stub have moved %sp."""
    arguments: tuple[str, ...]
    """Instructions that fill %o0, %o2 ... ; the last one can stand in a delay slot."""
    place: int = 0
    """Distance of the access from the call, if the entry's name says it."""
    past: int = 0
    """Else the distance from the call of the first instruction that may be the access."""


@dataclass(frozen=True, slots=True)
class Abi:
    """What differs between the entries of 32-bit and of 64-bit code."""

    word: int
    """Bytes of an integer register."""
    bias: int
    """What %sp is less than the stack's address."""
    least: int
    """Bytes that a frame must leave free, from its %sp without the bias."""
    address: str
    """Register in which a site passes an address."""
    kept: str
    """Register in which a site has saved %o7; "" where it has a frame for it."""
    keep: tuple[str, ...]
    """Instructions of a site that save %o7."""
    site_frame: int
    """How far a site moves %sp to save %o7 in that frame. 0: saved in a register."""
    link: int
    """Where in that frame, from %sp."""
    stub_frame: int
    """How far %sp has to be moved for a value in memory."""
    value: int
    """Where such a value is then, from %sp."""
    direct: str
    """The kind of body for a value that needs no memory."""
    hooks: tuple[Hook, ...]
    """Accesses with entries of their own; others are decoded in C."""
    values: Callable[[Hook, bool], list[str]]
    """Names of registers that a site may pass the value in, where %o7 is saved or not."""
    stub: Callable[[Hook, str, str], tuple[str, Stub]]
    """The kind of body a value needs, and its stub: of hook, register and flags."""
    arguments: Callable[[Hook, Usage, str], tuple[str, ...]]
    saving: Callable[[frozenset[str], bool, bool], dict[str, object]]
    """The template's variables about what is saved: of what the hook clobbers, whether
    special registers are live, and whether the hook reads the place."""
    rare: dict[str, object]
    """Variables of the entries for instructions that C decodes."""
    window: dict[str, object]
    """Variables of the entries where windowhook is passed the registers."""


def symbol_of(event: str, value: str, flags: str) -> str:
    """Return the name of an entry: the event, where its value is, the flags."""
    return ".".join(part for part in ("inst", event, value, flags) if part)


def templates(abi: Abi, usages: dict[str, Usage]) -> dict[str, Members]:
    """Return for each template the members to render from it, with their variables."""
    clobbers = usages[RARE].clobbers
    entries = [
        {
            "symbol": symbol_of(event, "", flags),
            "said": said | (KEPT if "k" in flags else 0),
            "link_saved": "k" in flags,
            "saving": abi.saving(clobbers, "x" in flags, False),
        }
        for event, said in _RARE_EVENTS.items()
        for flags in FLAGS
    ]
    if noticed(usages):
        rare: Members = {"rare": {"entries": entries, **abi.rare}}
        return {"glue.s.j2": _members(abi, usages), "rare.s.j2": rare}
    bare = bare_entries(abi, lambda flags: [symbol_of(event, "", flags) for event in _RARE_EVENTS])
    return {"glue.s.j2": {**_members(abi, usages), "rare": bare}}


def bare_entries(abi: Abi, names: Callable[[str], list[str]]) -> dict[str, object]:
    """Return the variables of entries that only return; `names` returns which have some flags."""
    plain, link_saved = (
        [name for flags in FLAGS if ("k" in flags) is which for name in names(flags)]
        for which in (False, True)
    )
    return {
        "bare": plain,
        "bare_saved": link_saved,
        "link": abi.link,
        "kept": abi.kept,
        "site_frame": abi.site_frame,
    }


def variables(abi: Abi, usage: Usage, number: int, flags: str, moved: int) -> dict[str, object]:
    """Return variables for entries whose stubs, where they need memory, move %sp by `moved`."""
    link_saved = "k" in flags
    return {
        "hook": usage.name,
        "number": number,
        "link_saved": link_saved,
        "moved": moved,
        "site_frame": abi.site_frame if link_saved else 0,
        "link": abi.link,
        "saving": abi.saving(usage.clobbers, "x" in flags, usage.pc),
    }


def _members(abi: Abi, usages: dict[str, Usage]) -> Members:
    result: Members = {}
    for hook in abi.hooks:
        usage = usages.get(hook.name)
        if usage is None or usage.empty:
            result[hook.event] = bare_entries(abi, partial(_all_names, abi, hook))
            continue
        for flags in FLAGS:
            for event in _events(hook, flags):
                name = ".".join(part for part in (event, flags) if part)
                result[name] = _member(abi, hook, usage, event, flags)
    return result


def _events(hook: Hook, flags: str) -> tuple[str, ...]:
    """Return what entries of a hook are named after.

    A load that uses %o7 cannot run in the slot of its call: it runs before it.
    """
    if hook.event.startswith("ld") and "k" in flags:
        return (hook.event, f"{hook.event}.after")
    return (hook.event,)


def _all_names(abi: Abi, hook: Hook, flags: str) -> list[str]:
    return [name for event in _events(hook, flags) for name in _names(abi, hook, event, flags)]


def _names(abi: Abi, hook: Hook, event: str, flags: str) -> list[str]:
    values = abi.values(hook, "k" in flags)
    plain = [] if event.endswith(".after") else [""]
    return [symbol_of(event, value, flags) for value in (*plain, *values)]


def _member(abi: Abi, hook: Hook, usage: Usage, event: str, flags: str) -> dict[str, object]:
    named, stubs = _names(abi, hook, event, flags), []
    symbols = named
    if usage.value:
        values = abi.values(hook, "k" in flags)
        symbols = [symbol_of(event, "", flags)] if event == hook.event else []
        stubs = [_renamed(abi.stub(hook, value, flags), event, value, flags) for value in values]
    frame = abi.site_frame if "k" in flags else 0
    # A site's own frame has space for the value.
    moved = 0 if frame else abi.stub_frame
    place, past = _places(abi, hook, event)
    bodies: list[Body] = []
    if symbols:
        at = 0 if event == hook.event else place
        bodies.append(
            Body("plain", tuple(symbols), frame, abi.arguments(hook, usage, ""), at, past)
        )
    for kind in sorted({kind for kind, _ in stubs}):
        whole = frame + (moved if kind == "memory" else 0)
        bodies.append(Body(kind, (), whole, abi.arguments(hook, usage, kind), place, past))
    kinds = (abi.direct, "memory")
    return {
        **variables(abi, usage, hook.id, flags, moved),
        "stubs": {kind: [stub for one, stub in stubs if one == kind] for kind in kinds},
        "bodies": bodies,
    }


def _places(abi: Abi, hook: Hook, event: str) -> tuple[int, int]:
    """Return where the access is, if a name with a value says it, and where else it may begin."""
    if event != hook.event:
        return -4 * (1 + len(abi.keep)), 0  # then %o7 is saved, then the call
    return (4, 4) if event.startswith("ld") else (0, 8)


def _renamed(found: tuple[str, Stub], event: str, value: str, flags: str) -> tuple[str, Stub]:
    kind, stub = found
    return kind, replace(stub, symbol=symbol_of(event, value, flags))
