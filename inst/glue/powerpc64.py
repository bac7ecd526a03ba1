"""Entries for 64-bit PowerPC, of either ABI: which names a member holds, and how it saves.

An entry's name says the event, the register with the value, the register that carries the
address (none: r0) and, by `x`, that special registers are live.
"""

from __future__ import annotations

from dataclasses import dataclass

from inst.glue.usage import RARE, Usage, noticed
from inst.hooktable import ACCESS_HOOKS, Hook

CARRIERS = ("r0", "r12", "r11")
FLAGS = ("", "x")
VALUE_OFFSET = 112
"""Where a frame keeps a value that has to go through memory; below lies what a callee may use."""
_SCRATCH_OFFSET = 120
_SAVES_OFFSET = 128
RED_ZONE = 512
"""Bytes below the stack pointer that belong to the program: 288 by both ABIs, 512 by Linux."""
_RARE_ROOM = 272  # 32 registers, cr and xer
_VOLATILE = ("r0", *(f"r{n}" for n in range(3, 13)))
_BEYOND_GENERAL = frozenset(
    ("fpscr", "vscr", *(f"f{n}" for n in range(32)), *(f"v{n}" for n in range(20)))
)
_FLOAT_ROOM = 128
_VECTOR_ROOM = 336 + 512  # v0-v19 and vscr; all VSX registers, whose second halves are volatile
_FIELDS = frozenset(("cr0", "cr1", "cr5", "cr6", "cr7"))


@dataclass(frozen=True, slots=True)
class Stub:
    """An entry that makes the frame, fetches its value and goes on to a shared body."""

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
    """What must be done while the carrier is still what it was."""
    after: bool
    """Whether the access has run already, two instructions before the return address."""
    arguments: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Saving:
    """What is saved around the call, and where in the frame."""

    frame: int
    offsets: dict[str, int]
    """General registers, lr, and cr, ctr, xer where they need saving."""
    floats: int
    """Where the floating-point registers are saved; 0: nowhere."""
    vectors: int
    """Where the vector and VSX registers are saved, if the machine has them; 0: nowhere.  One
    goes with the other: reloading a float ruins the second half of its VSX register."""
    scratch: int = _SCRATCH_OFFSET


def templates(usages: dict[str, Usage]) -> dict[str, dict[str, dict[str, object]]]:
    """Return for each template the members to render from it, with their variables."""
    if not noticed(usages):
        return {"glue.s.j2": {**members(usages), "rare": {"bare": _rare_names()}}}
    return {"glue.s.j2": members(usages), "rare.s.j2": {"rare": _rare(usages[RARE])}}


def members(usages: dict[str, Usage]) -> dict[str, dict[str, object]]:
    """Return for each archive member the variables of its template."""
    result: dict[str, dict[str, object]] = {}
    for hook in ACCESS_HOOKS:
        if hook.size == 16:  # the decoder of rare accesses calls these
            continue
        usage = usages.get(hook.name)
        values = ("", *_value_registers(hook))
        if usage is None or usage.empty:
            names = [
                _symbol(hook.event, value, carrier, flags)
                for carrier in CARRIERS
                for flags in FLAGS
                for value in values
            ]
            result[hook.event] = {"bare": names}
            continue
        for carrier in CARRIERS:
            for flags in FLAGS:
                name = _symbol(hook.event, "", carrier, flags)
                result[name] = _member(hook, usage, carrier, flags, values[1:])
    return result


def _symbol(event: str, value: str, carrier: str, flags: str) -> str:
    where = "" if carrier == "r0" else f"a{carrier[1:]}"
    return ".".join(part for part in ("inst", event, value, where, flags) if part)


def _value_registers(hook: Hook) -> tuple[str, ...]:
    general = tuple(f"r{n}" for n in range(32))
    floats = tuple(f"f{n}" for n in range(32))
    return general + floats if hook.size in (4, 8) else general


def _member(
    hook: Hook, usage: Usage, carrier: str, flags: str, values: tuple[str, ...]
) -> dict[str, object]:
    plan = saving(usage, "x" in flags, _overwritten(usage), carrier)
    plain, after = [_symbol(hook.event, "", carrier, flags)], []
    named = [_symbol(hook.event, value, carrier, flags) for value in values]
    stubs: list[Stub] = []
    if usage.value:
        stubs = [
            _stub(hook, value, symbol, plan.offsets)
            for value, symbol in zip(values, named, strict=True)
        ]
    elif usage.pc and hook.event.startswith("ld"):
        after = named
    else:
        plain += named
    bodies = [_body("plain", hook, usage, plan, carrier, plain)]
    if after:
        bodies.append(_body("after", hook, usage, plan, carrier, after))
    kinds = sorted({stub.kind for stub in stubs})
    bodies += [_body(kind, hook, usage, plan, carrier, []) for kind in kinds]
    return {
        "stubs": stubs,
        "bodies": bodies,
        "hook": usage.name,
        "number": hook.id,
        "saving": plan,
        "pc": usage.pc,
    }


def _overwritten(usage: Usage) -> set[str]:
    """Return the registers that an entry itself changes: for arguments, and r0 for lr."""
    wanted = (("r3", usage.address), ("r4", usage.pc), ("r5", usage.value))
    return {"r0", *(name for name, read in wanted if read)}


def saving(usage: Usage, special: bool, changed: set[str], dead: str) -> Saving:
    """Return what an entry has to save for a hook; `dead` is the register with the address."""
    clobbers = usage.clobbers
    beyond = bool(clobbers & _BEYOND_GENERAL)
    preserved = _FIELDS if special else {"cr1"}  # cr1 may be a call's argument: never lost
    wanted: list[str] = [one for one in ("ctr", "xer") if special and one in clobbers]
    if clobbers & preserved or (special and beyond):
        wanted.append("cr")
    if beyond:
        changed = changed | {"r3"}
    general = [one for one in _VOLATILE if one in clobbers | changed and one != dead]
    general += ["r2"] if usage.toc else []
    names = ["lr", *wanted, *general]
    offsets = {one: _SAVES_OFFSET + 8 * n for n, one in enumerate(names)}
    return _layout(offsets, _SAVES_OFFSET + 8 * len(offsets), beyond)


def _layout(offsets: dict[str, int], end: int, beyond: bool) -> Saving:
    end = -(-end // 16) * 16
    if not beyond:
        return Saving(end + RED_ZONE, offsets, 0, 0)
    vectors = end + _FLOAT_ROOM
    return Saving(vectors + _VECTOR_ROOM + RED_ZONE, offsets, end, vectors)


def _stub(hook: Hook, value: str, symbol: str, offsets: dict[str, int]) -> Stub:
    number = value[1:]
    keep = f"std 5, {offsets['r5']}(1)"
    if value.startswith("f"):
        store = "stfs" if hook.size == 4 else "stfd"
        return Stub(symbol, "memory", (f"{store} {number}, {VALUE_OFFSET}(1)",))
    if value == "r1":
        return Stub(symbol, "register", (keep, "ld 5, 0(1)", *_narrowed(hook, "5")))
    move = _narrowed(hook, number) or (() if number == "5" else (f"mr 5, {number}",))
    return Stub(symbol, "register", (keep, *move))


def _narrowed(hook: Hook, register: str) -> tuple[str, ...]:
    """Return what cuts a value to its size: a caller extends what C takes as uint32_t."""
    unused = 64 - 8 * hook.size
    return (f"clrldi 5, {register}, {unused}",) if unused else ()


def _body(
    label: str, hook: Hook, usage: Usage, plan: Saving, carrier: str, symbols: list[str]
) -> Body:
    saved = {
        name: at
        for name, at in plan.offsets.items()
        if name.startswith("r") and not (name == "r5" and label == "register")
    }
    arguments: list[str] = []
    if label == "memory":
        arguments = [f"{'lwz' if hook.size == 4 else 'ld'} 5, {VALUE_OFFSET}(1)"]
    elif label == "plain" and usage.value:
        arguments = ["li 5, 0"]
    return Body(
        label=label,
        symbols=tuple(symbols),
        framed=label in ("register", "memory"),
        saved=saved,
        first=(f"mr 3, {carrier[1:]}",) if usage.address else (),
        after=label != "plain" and hook.event.startswith("ld"),
        arguments=tuple(arguments),
    )


def _rare_names() -> list[str]:
    return [name for entry in _rare_entries() for name in entry[2]]


def _rare_entries() -> list[tuple[str, int, list[str]]]:
    return [
        (carrier, after, [_symbol(event, "", carrier, flags) for flags in FLAGS])
        for carrier in CARRIERS
        for after, event in enumerate(("rare", "rare.after", "table"))
    ]


def _rare(usage: Usage) -> dict[str, object]:
    plan = saving(usage, True, set(_VOLATILE), "")
    at = plan.frame - RED_ZONE
    for name in plan.offsets:
        if name.startswith("r"):
            plan.offsets[name] = at + 8 * int(name[1:])
    whole = Saving(plan.frame + _RARE_ROOM, plan.offsets, plan.floats, plan.vectors)
    entries = [
        {"carrier": carrier[1:], "after": after, "symbols": symbols}
        for carrier, after, symbols in _rare_entries()
    ]
    return {"entries": entries, "saving": whole, "at": at}
