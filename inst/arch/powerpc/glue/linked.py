"""Entries for PowerPC: members made alike for its ABIs, from a value that holds what differs.

An entry's name contains the event, the register with the value, the register that carries the
address where it is not the usual one, and by `x` that special registers are live.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from inst.arch.powerpc.glue.saving import Saving
from inst.arch.powerpc.sites import (
    ADDRESS_WORDS,
    AFTER,
    BEHIND,
    ORDERED,
    RESTORES,
    TABLE,
    WITHIN,
    Form,
)
from inst.glue.model import Members
from inst.glue.usage import RARE, ROOM, UNREPORTED, Usage, noticed, reports_accesses
from inst.hooktable import BY_NAME, Hook

FLAGS = ("", "x")
_ACCESS_FLAGS = (*FLAGS, RESTORES, f"x{RESTORES}")
_AFTER = -8
"""Distance of an access from the return address if the call comes right after it."""
_RARE_EVENTS = {
    "rare": 0,
    "rare.after": AFTER,
    "table": TABLE,
    "rare.release": ORDERED,
    "rare.after.acquire": AFTER | ORDERED,
}
"""Entries for what C decodes, with what they say of the access."""


@dataclass(frozen=True, slots=True)
class Stub:
    """An entry that makes the frame, fetches its value and continues in a shared body."""

    symbol: str
    kind: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Body:
    """What stubs of one kind share: save, find the arguments, call the hook, restore."""

    label: str
    symbols: tuple[str, ...]
    """Entries that start here, without a stub."""
    framed: bool
    """Whether the stub has made the frame."""
    saved: dict[str, int]
    """Registers to save here, and where."""
    first: tuple[str, ...]
    """What must be done while the carrier still holds the address."""
    place: int
    """Distance of the access from the return address."""
    arguments: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Framed:
    """A site without a dead register: its carrier, and where its access is.

    Distances are counted from the return address, in bytes.
    """

    carrier: str
    slot: int
    """Where in the site's frame the program's value of the carrier is; 0: it is not there."""
    before: int
    """Where an access is that has not run."""
    loads: dict[str, int]
    """Where a load is that has run, by what its entry's name ends with."""


def framed_sites(form: Form) -> tuple[Framed, ...]:
    """Return the sites with a frame whose accesses have entries by name."""
    if form.is_free:
        return tuple(Framed(one, 0, 12, {BEHIND: -20}) for one in form.carriers)
    loads = {BEHIND: -4 * (6 + ADDRESS_WORDS), WITHIN: -8}
    return tuple(Framed(one, form.slot, 16, loads) for one in form.carriers if one != "r0")


@dataclass(frozen=True, slots=True)
class Abi:
    """What differs between the entries of 32-bit and of 64-bit code."""

    word: int
    """Bytes of a general register."""
    carriers: tuple[str, ...]
    """Registers in which a site may pass an address; the usual one first."""
    counting: tuple[str, ...]
    """Registers that are free where nothing is passed, for an entry each; "" is none."""
    changed: frozenset[str]
    """What every entry changes by itself."""
    value: int
    """Where a frame stores a value that has to go through memory (16-byte aligned)."""
    hooks: tuple[Hook, ...]
    """Accesses with entries of their own; others are decoded in C."""
    values: Callable[[Hook], tuple[str, ...]]
    """Registers that a site may pass the value in."""
    framed: tuple[Framed, ...]
    """Sites without a dead register whose accesses have entries by name."""
    saving: Callable[[Usage, bool, set[str], str], Saving]
    """What to save: of a hook, whether special registers are live, what the entry itself
    changes, and the carrier, which is dead."""
    rare: Callable[[Usage], dict[str, object]]
    """Variables of the entries for instructions that C decodes."""

    @property
    def store(self) -> str:
        """Return the instruction that stores a general register."""
        return "stw" if self.word == 4 else "std"

    @property
    def load(self) -> str:
        """Return the instruction that loads one."""
        return "lwz" if self.word == 4 else "ld"

    def words(self, hook: Hook) -> int:
        """Return how many registers pass a hook's value."""
        return max(hook.size // self.word, 1)


def counters(clobbers: frozenset[str]) -> list[str]:
    """Return which of ctr and xer hooks change; the carry is saved with the rest of xer."""
    changes = {"ctr": "ctr" in clobbers, "xer": bool(clobbers & {"xer", "ca"})}
    return [name for name, changed in changes.items() if changed]


def templates(abi: Abi, usages: dict[str, Usage]) -> dict[str, Members]:
    """Return for each template the members to render from it, with their variables."""
    entries: list[dict[str, Any]] = [
        {
            "carrier": carrier[1:],
            "said": said,
            "symbols": [_symbol(abi, event, "", carrier, flags) for flags in FLAGS],
        }
        for carrier in abi.carriers
        for event, said in _RARE_EVENTS.items()
    ]
    if noticed(usages):
        rare: Members = {"rare": {"entries": entries, **abi.rare(usages[RARE])}}
        return {"glue.s.j2": _members(abi, usages), "rare.s.j2": rare}
    names = [symbol for entry in entries for symbol in entry["symbols"]]
    return {"glue.s.j2": {**_members(abi, usages), "rare": {"bare": names}}}


def event_members(abi: Abi, usages: dict[str, Usage]) -> Members:
    """Return the members for events: functions, and accesses that sites cannot report."""
    made = number_members(
        abi, "unreported", usages[UNREPORTED] if reports_accesses(usages) else None
    )
    if ROOM in usages:
        for symbol, site in event_symbols(abi, "room").items():
            made[symbol] = event_member(abi, usages[ROOM], 0, symbol, site)
    for event, name in (("enter", "enterhook"), ("leave", "leavehook")):
        made |= function_members(abi, event, usages.get(name), BY_NAME[name].id)
    return made


def event_symbols(abi: Abi, event: str) -> dict[str, tuple[str, str]]:
    """Return the entries of an event that passes nothing: what is free there, and the flags."""
    named = {one: f"a{abi.carriers[n][1:]}" if n else "" for n, one in enumerate(abi.counting)}
    return {
        ".".join(part for part in ("inst", event, named[free], flags) if part): (free, flags)
        for free in abi.counting
        for flags in FLAGS
    }


def event_member(
    abi: Abi, usage: Usage, number: int, symbol: str, site: tuple[str, str]
) -> dict[str, object]:
    """Return the variables of an entry whose hook is passed nothing."""
    free, flags = site
    plan = abi.saving(usage, "x" in flags, set(abi.changed), free)
    saved = {name: at for name, at in plan.offsets.items() if name.startswith("r")}
    body = Body("plain", (symbol,), False, saved, (), 0, ())
    return _variables(usage, number, plan, [], [body])


def function_members(abi: Abi, event: str, usage: Usage | None, number: int) -> Members:
    """Return the entries where functions are entered or left.

    A site passes its distance to the function in r12 and the return address in r0.  `f`: the
    stack pointer to report is the word that r1 points at.
    """
    sites = [(chained, flags) for chained in ("", "f") for flags in FLAGS]
    names = {".".join(part for part in ("inst", event, *site) if part): site for site in sites}
    if usage is None or usage.empty:
        return {event: {"bare": list(names)}}
    made: Members = {}
    for symbol, (chained, flags) in names.items():
        changed = {*abi.changed, "r0", "r3", "r4", "r5"}
        plan = abi.saving(usage, "x" in flags, changed, "r12")
        saved = {name: at for name, at in plan.offsets.items() if name.startswith("r")}
        first = ("mr 3, 12", "mr 4, 0")
        lr = f"{abi.load} 0, {plan.offsets['lr']}(1)"
        passed = [lr, "add 3, 3, 0", *(["mr 4, 0"] if event == "leave" else [])]
        passed.append(f"{abi.load} 5, {plan.frame}(1)" if chained else f"addi 5, 1, {plan.frame}")
        body = Body("plain", (symbol,), False, saved, first, 0, tuple(passed))
        made[symbol] = _variables(usage, number, plan, [], [body])
    return made


def number_members(abi: Abi, event: str, usage: Usage | None) -> Members:
    """Return the entries of an event that passes a number, as accesses pass their address."""
    sites = [(carrier, flags) for carrier in abi.carriers for flags in FLAGS]
    if usage is None:
        return {event: {"bare": [_symbol(abi, event, "", *site) for site in sites]}}
    made: Members = {}
    for carrier, flags in sites:
        symbol = _symbol(abi, event, "", carrier, flags)
        plan = abi.saving(usage, "x" in flags, {*abi.changed, "r3"}, carrier)
        saved = {name: at for name, at in plan.offsets.items() if name.startswith("r")}
        passed = (f"mr 3, {carrier[1:]}",)
        body = Body("plain", (symbol,), False, saved, passed, 0, ())
        made[symbol] = _variables(usage, 0, plan, [], [body])
    return made


def _members(abi: Abi, usages: dict[str, Usage]) -> Members:
    result: Members = {}
    for hook in abi.hooks:
        usage = usages.get(hook.name)
        if usage is None or usage.empty:
            names = [
                _symbol(abi, hook.event, value, carrier, flags)
                for carrier in abi.carriers
                for flags in _ACCESS_FLAGS
                for value in ("", *_values(abi, hook, flags))
            ]
            for site, kind in _framed(abi, hook):
                names += _framed_names(abi, hook, site, kind)
            result[hook.event] = {"bare": names}
            continue
        for carrier in abi.carriers:
            for flags in _ACCESS_FLAGS:
                name = _symbol(abi, hook.event, "", carrier, flags)
                result[name] = _member(abi, hook, usage, carrier, flags)
        for site, kind in _framed(abi, hook):
            name = _symbol(abi, hook.event, "", site.carrier, kind)
            result[name] = _framed_member(abi, hook, usage, site, kind)
    return result


def _values(abi: Abi, hook: Hook, flags: str) -> tuple[str, ...]:
    """Return the registers in names with some flags: a load with its value has run before them."""
    has_run = RESTORES in flags and hook.event.startswith("ld")
    return () if has_run else abi.values(hook)


def _framed(abi: Abi, hook: Hook) -> list[tuple[Framed, str]]:
    """Return the sites with a frame of an access, with what the names of their entries end with."""
    if hook.size > 8:
        return []
    loads = hook.event.startswith("ld")
    return [(site, kind) for site in abi.framed for kind in (site.loads if loads else (BEHIND,))]


def _framed_names(abi: Abi, hook: Hook, site: Framed, kind: str) -> list[str]:
    values = ("", *abi.values(hook)) if kind == BEHIND else abi.values(hook)
    return [_symbol(abi, hook.event, value, site.carrier, kind) for value in values]


def _framed_member(
    abi: Abi, hook: Hook, usage: Usage, site: Framed, kind: str
) -> dict[str, object]:
    """Return the variables of entries for a site with a frame; special registers may be live."""
    plan = abi.saving(usage, True, _overwritten(abi, hook, usage), site.carrier)
    values = {
        value: _symbol(abi, hook.event, value, site.carrier, kind) for value in abi.values(hook)
    }
    place = site.loads[kind] if hook.event.startswith("ld") else site.before
    bodies, stubs = [], []
    if kind == BEHIND:
        symbols = [_symbol(abi, hook.event, "", site.carrier, kind)]
        if not usage.value and place == site.before:
            symbols += values.values()
        bodies.append(_body(abi, "plain", hook, usage, plan, site.carrier, symbols, site.before))
    if usage.value:
        stubs = [_stub(abi, hook, one, name, plan, site) for one, name in values.items()]
    elif place != site.before:
        named = [*values.values()]
        bodies.append(_body(abi, "after", hook, usage, plan, site.carrier, named, place))
    bodies += [
        _body(abi, label, hook, usage, plan, site.carrier, [], place)
        for label in sorted({stub.kind for stub in stubs})
    ]
    return {**_variables(usage, hook.id, plan, stubs, bodies), "pc": usage.pc}


def _symbol(abi: Abi, event: str, value: str, carrier: str, flags: str) -> str:
    where = "" if carrier == abi.carriers[0] else f"a{carrier[1:]}"
    return ".".join(part for part in ("inst", event, value, where, flags) if part)


def _member(abi: Abi, hook: Hook, usage: Usage, carrier: str, flags: str) -> dict[str, object]:
    plan = abi.saving(usage, "x" in flags, _overwritten(abi, hook, usage), carrier)
    values = _values(abi, hook, flags)
    named = {value: _symbol(abi, hook.event, value, carrier, flags) for value in values}
    plain, after = [_symbol(abi, hook.event, "", carrier, flags)], []
    stubs: list[Stub] = []
    if usage.value:
        stubs = [_stub(abi, hook, one, symbol, plan) for one, symbol in named.items()]
    elif usage.pc and hook.event.startswith("ld"):
        after = list(named.values())
    else:
        plain += named.values()
    before = 4 if RESTORES in flags else 0
    bodies = [_body(abi, "plain", hook, usage, plan, carrier, plain, before)]
    if after:
        bodies.append(_body(abi, "after", hook, usage, plan, carrier, after, _AFTER))
    place = _AFTER if hook.event.startswith("ld") else before
    bodies += [
        _body(abi, kind, hook, usage, plan, carrier, [], place)
        for kind in sorted({stub.kind for stub in stubs})
    ]
    return {**_variables(usage, hook.id, plan, stubs, bodies), "pc": usage.pc}


def _variables(
    usage: Usage, number: int, plan: Saving, stubs: list[Stub], bodies: list[Body]
) -> dict[str, object]:
    return {
        "stubs": stubs,
        "bodies": bodies,
        "hook": usage.name,
        "number": number,
        "saving": plan,
        "pc": False,
    }


def _overwritten(abi: Abi, hook: Hook, usage: Usage) -> set[str]:
    """Return the registers that an entry itself changes to pass what the hook reads."""
    changed = set(abi.changed)
    if usage.address:
        changed.add("r3")
    if usage.pc:
        changed.add("r4")
    if usage.value:
        changed |= {f"r{5 + n}" for n in range(abi.words(hook))}
    return changed


def _stub(
    abi: Abi, hook: Hook, value: str, symbol: str, plan: Saving, site: Framed | None = None
) -> Stub:
    number = value[1:]
    keep = f"{abi.store} 5, {plan.offsets['r5']}(1)"
    if value.startswith("f"):
        store = "stfs" if hook.size == 4 else "stfd"
        return Stub(symbol, "memory", (f"{store} {number}, {abi.value}(1)",))
    if value.startswith("v"):
        vector = f"stvx {number}, 0, 5"
        return Stub(symbol, "vector", (keep, f"addi 5, 1, {abi.value}", vector))
    if site is not None and value == site.carrier and site.slot:
        old = f"{abi.load} 5, {plan.frame + site.slot}(1)"
        return Stub(symbol, "register", (keep, old, *_narrowed(abi, hook, "5")))
    if value == "r1":
        old = f"{abi.load} 5, {plan.frame if site is not None else 0}(1)"
        return Stub(symbol, "register", (keep, old, *_narrowed(abi, hook, "5")))
    move = _narrowed(abi, hook, number) or (() if number == "5" else (f"mr 5, {number}",))
    return Stub(symbol, "register", (keep, *move))


def _narrowed(abi: Abi, hook: Hook, register: str) -> tuple[str, ...]:
    """Return what truncates a value to its size: a caller extends what C takes as uint32_t."""
    unused = 8 * (abi.word - hook.size)
    clear = "clrlwi" if abi.word == 4 else "clrldi"
    return (f"{clear} 5, {register}, {unused}",) if unused > 0 else ()


def _body(
    abi: Abi,
    label: str,
    hook: Hook,
    usage: Usage,
    plan: Saving,
    carrier: str,
    symbols: list[str],
    place: int = 0,
) -> Body:
    by_stub = label not in ("plain", "after")
    stubbed = "r5" if by_stub and label != "memory" else ""
    arguments: list[str] = []
    if label in ("memory", "vector"):
        load = "lwz" if hook.size == 4 else abi.load
        at = [(5 + n, abi.value + abi.word * n) for n in range(abi.words(hook))]
        arguments = [f"{load} {register}, {offset}(1)" for register, offset in at]
    elif label == "plain" and usage.value:
        arguments = [f"li {5 + n}, 0" for n in range(abi.words(hook))]
    return Body(
        label=label,
        symbols=tuple(symbols),
        framed=by_stub,
        saved={r: at for r, at in plan.offsets.items() if r.startswith("r") and r != stubbed},
        first=(f"mr 3, {carrier[1:]}",) if usage.address else (),
        place=place,
        arguments=tuple(arguments),
    )
