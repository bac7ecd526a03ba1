"""Entries for SPARC V8: which names each member of the archive holds, and how it saves."""

from __future__ import annotations

from dataclasses import dataclass

from inst.glue.usage import RARE, Usage, noticed
from inst.hooktable import ACCESS_HOOKS, Hook

MOVED = 96
"""How far stubs move %sp that keep a value in memory; the value is at %sp + VALUE_OFFSET."""
VALUE_OFFSET = 72
_RARE_MOVED = 96 + 136  # and 32 registers, and what aligns
_FRAME = 96
_FLOAT_ROOM = 136
FLAGS = ("", "x", "k", "xk")
RARE_ENTRIES = (("inst.rare", 0), ("inst.rare.after", 1), ("inst.table", 5))
"""Entries for what C decodes, with the flags it is called with: 1, the access has run; 4, the
linker may have made an addition of it."""
_FLOATS = frozenset(f"f{n}" for n in range(64)) | {"fsr", "fcc0", "fcc1", "fcc2", "fcc3"}
_INTEGERS = tuple(f"{bank}{n}" for bank in "goli" for n in range(8))


@dataclass(frozen=True, slots=True)
class Stub:
    """An entry that fetches its value and goes on to a shared body."""

    symbol: str
    lines: tuple[str, ...]
    """Instructions before the branch; the last one stands in its delay slot."""


@dataclass(frozen=True, slots=True)
class Body:
    """What stubs of one kind share: save, find the arguments, call the hook, restore."""

    label: str
    symbols: tuple[str, ...]
    """Entries that start here and need no stub."""
    moved: int
    """How far the stub has moved %sp."""
    arguments: tuple[str, ...]
    """Instructions that fill %o0, %o2 ... ; the last one can stand in a delay slot."""


def members(usages: dict[str, Usage]) -> dict[str, dict[str, object]]:
    """Return for each archive member the variables of its template."""
    result = {}
    for hook in ACCESS_HOOKS:
        usage = usages.get(hook.name)
        if usage is None or usage.empty:
            result[hook.event] = _bare(hook)
            continue
        for flags in FLAGS:
            result[f"{hook.event}{'.' if flags else ''}{flags}"] = _member(hook, usage, flags)
    return result


def _bare(hook: Hook) -> dict[str, object]:
    def symbols(wanted: tuple[str, ...]) -> list[str]:
        return [
            symbol_of(hook, value, flags)
            for flags in wanted
            for value in ("", *_value_registers(hook, "k" in flags))
        ]

    return {"bare": symbols(("", "x")), "bare_kept": symbols(("k", "xk"))}


def symbol_of(hook: Hook, value: str, flags: str) -> str:
    """Return the name of an entry: the event, where its value is, the flags."""
    return ".".join(part for part in ("inst", hook.event, value, flags) if part)


def _value_registers(hook: Hook, kept: bool) -> list[str]:
    """Return the names a site may give; %o7 can only hold a value where it is kept in %g6."""
    step = {8: 2, 16: 4}.get(hook.size, 1)
    floats = [f"f{n}" for n in range(0, 32, step)] if hook.size >= 4 else []
    if hook.size == 16:
        return floats
    lost = {"g5", "g6"} | (set() if kept else {"o7"})
    integers = [
        name
        for n, name in enumerate(_INTEGERS)
        if n % step == 0 and not lost & set(_INTEGERS[n : n + step])
    ]
    return integers + floats + (["g6"] if kept and step == 1 else [])


def _member(hook: Hook, usage: Usage, flags: str) -> dict[str, object]:
    kept = "k" in flags
    values = _value_registers(hook, kept)
    plain, stubs = [symbol_of(hook, "", flags)], []
    if not usage.value:
        plain += [symbol_of(hook, value, flags) for value in values]
    else:
        stubs = [_stub(hook, value, flags) for value in values]
    bodies = [Body("plain", tuple(plain), 0, _arguments(hook, usage, ""))]
    for kind in sorted({kind for kind, _ in stubs}):
        moved = MOVED if kind == "memory" else 0
        bodies.append(Body(kind, (), moved, _arguments(hook, usage, kind)))
    return {
        "stubs": {
            kind: [stub for one, stub in stubs if one == kind] for kind in ("register", "memory")
        },
        "bodies": bodies,
        "hook": usage.name,
        "number": hook.id,
        "kept": kept,
        "moved": MOVED,
        "saving": saving(usage.clobbers, "x" in flags, usage.pc),
    }


def saving(clobbers: frozenset[str], special: bool, finds_pc: bool) -> dict[str, object]:
    """Return the template's variables about what is saved around the call."""
    floats = bool(clobbers & _FLOATS)
    return {
        "globals": sorted(clobbers & {"g1", "g2", "g3", "g4"}),
        "icc": special and (finds_pc or bool(clobbers & {"icc", "xcc"})),
        "y": special and "y" in clobbers,
        "g6": "g6" in clobbers,
        "floats": floats,
        "frame": _FRAME + (_FLOAT_ROOM if floats else 0),
        "pc": finds_pc,
    }


def _stub(hook: Hook, value: str, flags: str) -> tuple[str, Stub]:
    """Return the kind of body a value needs, and its stub."""
    symbol = symbol_of(hook, value, flags)
    kept = "k" in flags
    if hook.size <= 4 and not kept and not value.startswith("f"):
        return "register", Stub(symbol, (f"mov %{value}, %g6",))
    room = f"add %sp, -{MOVED}, %sp"
    return "memory", Stub(symbol, (room, *_keep_in_memory(hook, value)))


def _keep_in_memory(hook: Hook, value: str) -> tuple[str, ...]:
    at = VALUE_OFFSET
    if value == "o6":
        # %sp itself has moved; with %o7, which is in %g6, it is also the pair of an std.
        first, second = f"st %g6, [%sp+{at + 4}]", f"ld [%sp+{at + 4}], %g6"
        return (first, f"add %sp, {MOVED}, %g6", f"st %g6, [%sp+{at}]", second)
    if value in ("o7", "g6"):
        return (f"st %g6, [%sp+{at}]",)
    if hook.size == 16:
        return (f"std %{value}, [%sp+{at}]", f"std %f{int(value[1:]) + 2}, [%sp+{at + 8}]")
    return (f"{'std' if hook.size == 8 else 'st'} %{value}, [%sp+{at}]",)


def _arguments(hook: Hook, usage: Usage, kind: str) -> tuple[str, ...]:
    lines = ["mov %g5, %o0"] if usage.address else []
    if kind == "register":
        lines += {
            1: ["and %g6, 0xff, %o2"],
            2: ["sll %g6, 16, %o2", "srl %o2, 16, %o2"],
            4: ["mov %g6, %o2"],
        }[hook.size]
    elif kind == "memory":
        at = VALUE_OFFSET
        lines += {
            1: [f"ldub [%fp+{at + 3}], %o2"],
            2: [f"lduh [%fp+{at + 2}], %o2"],
            4: [f"ld [%fp+{at}], %o2"],
            8: [f"ldd [%fp+{at}], %o2"],
            16: [f"ldd [%fp+{at}], %o2", f"ldd [%fp+{at + 8}], %o4"],
        }[hook.size]
    elif usage.value:
        lines += [f"mov 0, %o{n}" for n in range(2, 3 if hook.size <= 4 else 2 + hook.size // 4)]
    return tuple(lines)


def templates(usages: dict[str, Usage]) -> dict[str, dict[str, dict[str, object]]]:
    """Return for each template the members to render from it, with their variables."""
    clobbers = usages[RARE].clobbers
    rare = [
        {
            "symbol": ".".join(part for part in (event, flags) if part),
            "after": after,
            "kept": "k" in flags,
            "saving": saving(clobbers, "x" in flags, False),
        }
        for event, after in RARE_ENTRIES
        for flags in FLAGS
    ]
    if noticed(usages):
        return {
            "glue.s.j2": members(usages),
            "rare.s.j2": {"rare": {"entries": rare, "moved": _RARE_MOVED}},
        }
    bare: dict[str, object] = {
        name: [entry["symbol"] for entry in rare if entry["kept"] is kept]
        for name, kept in (("bare", False), ("bare_kept", True))
    }
    return {"glue.s.j2": {**members(usages), "rare": bare}}
