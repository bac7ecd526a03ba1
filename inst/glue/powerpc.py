"""Entries for 32-bit PowerPC: which names each archive member holds, and how it saves."""

from __future__ import annotations

from dataclasses import dataclass

from inst.errors import InstError
from inst.glue.usage import RARE, Usage, noticed
from inst.hooktable import ACCESS_HOOKS, Hook

VALUE_OFFSET = 16
"""Where a frame of glue keeps a value that has to go through memory (16-byte aligned)."""
_SAVES_OFFSET = 32
_RARE_ROOM = 144  # 32 registers, cr and xer, a multiple of 16
FLAGS = ("", "x")
RARE_ENTRIES = ("inst.rare", "inst.rare.after", "inst.table")
"""Entries for what C decodes; their places are what it is told: 1, the access has run; 2, and
the linker may have made something else of it."""
_VOLATILE = ("r0", *(f"r{n}" for n in range(3, 13)))
_FLOATS = frozenset(f"f{n}" for n in range(14)) | {"fpscr"}
_VECTORS = tuple(f"v{n}" for n in range(20))
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
    after: bool
    """Whether the access has run already, two instructions before the return address."""
    arguments: tuple[str, ...]


def members(usages: dict[str, Usage]) -> dict[str, dict[str, object]]:
    """Return for each archive member the variables of its template."""
    result: dict[str, dict[str, object]] = {}
    for hook in ACCESS_HOOKS:
        usage = usages.get(hook.name)
        values = ("", *_value_registers(hook))
        if usage is None or usage.empty:
            names = [_symbol(hook, value, flags) for flags in FLAGS for value in values]
            result[hook.event] = {"bare": names}
            continue
        for flags in FLAGS:
            name = ".".join(part for part in (hook.event, flags) if part)
            result[name] = _member(hook, usage, flags, values[1:])
    return result


def _symbol(hook: Hook, value: str, flags: str) -> str:
    return ".".join(part for part in ("inst", hook.event, value, flags) if part)


def _value_registers(hook: Hook) -> tuple[str, ...]:
    general = tuple(f"r{n}" for n in range(32) if n != 13)
    floats = tuple(f"f{n}" for n in range(32))
    by_size = {4: general + floats, 8: floats, 16: tuple(f"v{n}" for n in range(32))}
    return by_size.get(hook.size, general)


def _member(hook: Hook, usage: Usage, flags: str, values: tuple[str, ...]) -> dict[str, object]:
    plan = saving(usage.clobbers, "x" in flags, _overwritten(hook, usage), usage.name)
    plain, after = [_symbol(hook, "", flags)], []
    stubs: list[Stub] = []
    if usage.value:
        stubs = [_stub(hook, value, flags, plan.offsets) for value in values]
    elif usage.pc and hook.event.startswith("ld"):
        after = [_symbol(hook, value, flags) for value in values]
    else:
        plain += [_symbol(hook, value, flags) for value in values]
    bodies = [_body("plain", hook, usage, plan, tuple(plain))]
    if after:
        bodies.append(_body("after", hook, usage, plan, tuple(after)))
    kinds = sorted({stub.kind for stub in stubs})
    bodies += [_body(kind, hook, usage, plan, ()) for kind in kinds]
    return {
        "stubs": stubs,
        "bodies": bodies,
        "hook": usage.name,
        "number": hook.id,
        "saving": plan,
        "pc": usage.pc,
    }


def _overwritten(hook: Hook, usage: Usage) -> set[str]:
    """Return the registers that an entry itself changes to pass what the hook reads."""
    changed = {"r3"} if usage.address else set()
    if usage.pc:
        changed |= {"r0", "r4"}
    if usage.value:
        changed |= {f"r{n}" for n in range(5, 6 + max(hook.size // 4 - 1, 0))}
    return changed


@dataclass(frozen=True, slots=True)
class Saving:
    """What is saved around the call, and where in the frame."""

    frame: int
    offsets: dict[str, int]
    """General registers, and cr, ctr, xer, lr where they need saving."""
    floats: int
    """Where the floating-point registers are saved; 0: nowhere."""
    vectors: int
    """Where the vector registers are saved, if the machine has them; 0: nowhere."""


def saving(clobbers: frozenset[str], special: bool, changed: set[str], name: str) -> Saving:
    """Return what an entry has to save for a hook with these clobbers."""
    if "r2" in clobbers:
        raise InstError(f"{name} changes r2, the thread pointer")
    wanted: list[str] = [one for one in ("ctr", "xer") if special and one in clobbers]
    preserved = _FIELDS if special else {"cr1"}  # cr1 may be a call's argument: never lost
    wanted += ["cr"] if clobbers & preserved else []
    vectors = bool(clobbers & {*_VECTORS, "vscr"})
    if vectors:
        changed = changed | {"r0"}
        wanted += ["cr"] if special and "cr" not in wanted else []
    wanted += ["lr"] if "r13" in clobbers else []
    if wanted:
        changed = changed | {"r0"}
    general = [register for register in _VOLATILE if register in clobbers | changed]
    offsets = {one: _SAVES_OFFSET + 4 * n for n, one in enumerate([*general, *wanted])}
    end = -(-(_SAVES_OFFSET + 4 * len(offsets)) // 16) * 16
    floats = end if clobbers & _FLOATS else 0
    end += 128 if floats else 0
    at = end if vectors else 0
    end += 16 * (len(_VECTORS) + 1) if vectors else 0
    return Saving(frame=end, offsets=offsets, floats=floats, vectors=at)


def _stub(hook: Hook, value: str, flags: str, offsets: dict[str, int]) -> Stub:
    symbol, number = _symbol(hook, value, flags), value[1:]
    keep = f"stw 5, {offsets['r5']}(1)"
    if value.startswith("f"):
        store = "stfs" if hook.size == 4 else "stfd"
        return Stub(symbol, "memory", (f"{store} {number}, {VALUE_OFFSET}(1)",))
    if value.startswith("v"):
        vector = f"stvx {number}, 0, 5"
        return Stub(symbol, "vector", (keep, f"addi 5, 1, {VALUE_OFFSET}", vector))
    if value == "r1":
        return Stub(symbol, "register", (keep, "lwz 5, 0(1)", *_narrowed(hook, "5")))
    move = _narrowed(hook, number) or (() if number == "5" else (f"mr 5, {number}",))
    return Stub(symbol, "register", (keep, *move))


def _narrowed(hook: Hook, register: str) -> tuple[str, ...]:
    return {1: (f"clrlwi 5, {register}, 24",), 2: (f"clrlwi 5, {register}, 16",)}.get(hook.size, ())


def _body(label: str, hook: Hook, usage: Usage, plan: Saving, symbols: tuple[str, ...]) -> Body:
    stubbed = {"register": {"r5"}, "vector": {"r5"}}.get(label, set())
    saved = {
        name: at for name, at in plan.offsets.items() if name in _VOLATILE and name not in stubbed
    }
    words = max(hook.size // 4, 1)
    lines: list[str] = []
    if label in ("memory", "vector"):
        lines = [f"lwz {5 + n}, {VALUE_OFFSET + 4 * n}(1)" for n in range(words)]
    elif label == "plain" and usage.value:
        lines = [f"li {5 + n}, 0" for n in range(words)]
    if usage.address:
        lines.append("mr 3, 13")
    return Body(
        label=label,
        symbols=symbols,
        framed=label in ("register", "memory", "vector"),
        saved=saved,
        after=label != "plain" and hook.event.startswith("ld"),
        arguments=tuple(lines),
    )


def templates(usages: dict[str, Usage]) -> dict[str, dict[str, dict[str, object]]]:
    """Return for each template the members to render from it, with their variables."""
    if not noticed(usages):
        names = [f"{event}{flags}" for event in RARE_ENTRIES for flags in ("", ".x")]
        return {"glue.s.j2": {**members(usages), "rare": {"bare": names}}}
    plan = saving(usages[RARE].clobbers, True, set(_VOLATILE), RARE)
    entries = [
        {"after": number, "symbols": [f"{event}{flags}" for flags in ("", ".x")]}
        for number, event in enumerate(RARE_ENTRIES)
    ]
    rare = {
        "entries": entries,
        "saving": plan,
        "at": plan.frame,
        "frame": plan.frame + _RARE_ROOM,
    }
    return {"glue.s.j2": members(usages), "rare.s.j2": {"rare": rare}}
