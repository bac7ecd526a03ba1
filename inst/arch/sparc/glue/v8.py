"""What entries for SPARC V8 do of their own: how a value is passed, what is saved."""

from __future__ import annotations

from inst.arch.sparc.glue.windowed import FLOATS, INTEGERS, Abi, Stub, symbol_of
from inst.arch.sparc.sites import SITES
from inst.glue.usage import Usage
from inst.hooktable import ACCESS_HOOKS, Hook

_SITE = SITES["v8"]
MOVED = 96
"""How far stubs move %sp that store a value in memory; the value is at %sp + VALUE_OFFSET."""
VALUE_OFFSET = 72
_RARE_MOVED = 96 + 136  # and 32 registers, and what aligns
_FLOAT_ROOM = 136


def _value_registers(hook: Hook, link_saved: bool) -> list[str]:
    """Return the registers a site may name; %o7 can hold a value only where %g6 saves it."""
    step = {8: 2, 16: 4}.get(hook.size, 1)
    floats = [f"f{n}" for n in range(0, 32, step)] if hook.size >= 4 else []
    if hook.size == 16:
        return floats
    lost = {"g5", "g6"} | (set() if link_saved else {"o7"})
    integers = [
        name
        for n, name in enumerate(INTEGERS)
        if n % step == 0 and not lost & set(INTEGERS[n : n + step])
    ]
    return integers + floats + (["g6"] if link_saved and step == 1 else [])


def _saving(clobbers: frozenset[str], special: bool, finds_pc: bool) -> dict[str, object]:
    """Return the template's variables about what is saved around the call."""
    floats = bool(clobbers & FLOATS)
    return {
        "globals": sorted(clobbers & {"g1", "g2", "g3", "g4"}),
        "icc": special and (finds_pc or bool(clobbers & {"icc", "xcc"})),
        "y": special and "y" in clobbers,
        "g6": "g6" in clobbers,
        "floats": floats,
        "frame": _SITE.least + (_FLOAT_ROOM if floats else 0),
        "pc": finds_pc,
    }


def _stub(hook: Hook, value: str, flags: str) -> tuple[str, Stub]:
    """Return the kind of body a value needs, and its stub."""
    symbol = symbol_of(hook.event, value, flags)
    link_saved = "k" in flags
    if hook.size <= 4 and not link_saved and not value.startswith("f"):
        return "register", Stub(symbol, (f"mov %{value}, %g6",))
    return "memory", Stub(symbol, _keep_in_memory(hook, value))


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


ABI = Abi(
    word=_SITE.width,
    bias=_SITE.bias,
    least=_SITE.least,
    address=_SITE.address,
    keep=_SITE.keep,
    site_frame=0,
    link=0,
    stub_frame=MOVED,
    value=VALUE_OFFSET,
    direct="register",
    hooks=ACCESS_HOOKS,
    values=_value_registers,
    stub=_stub,
    arguments=_arguments,
    saving=_saving,
    rare={"moved": _RARE_MOVED},
    window={"moved": _SITE.window_room},
)
