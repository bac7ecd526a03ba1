"""What entries for SPARC V8 do of their own: how a value is passed, what is saved.

A site leaves the address in one register, and its %o7, where that is live, in another one: %g5 and
%g6, or those chosen (`inst.arch.sparc.sites`). Where it is not, entries hold values there.
"""

from __future__ import annotations

from functools import partial

from inst.arch.sparc.glue.windowed import FLOATS, INTEGERS, Abi, Stub, symbol_of
from inst.arch.sparc.sites import SITES, Site
from inst.glue.usage import Usage
from inst.hooktable import ACCESS_HOOKS, Hook

_SITE = SITES["v8"]
"""Frames are those of every choice of registers."""
MOVED = _SITE.least
"""How far stubs move %sp that store a value in memory; the value is at %sp + VALUE_OFFSET."""
VALUE_OFFSET = 72
_RARE_MOVED = _SITE.registers_at + 32 * _SITE.width + 8  # which aligns
_FLOAT_ROOM = 136
_SYSTEM = frozenset(("g5", "g6"))
"""Registers that compiled code leaves alone, and that sites leave to it where others are chosen."""
_SYSTEM_ROOM = 8


def _value_registers(site: Site, hook: Hook, link_saved: bool) -> list[str]:
    """Return the registers a site may name; %o7 can hold a value only where it is saved."""
    step = {8: 2, 16: 4}.get(hook.size, 1)
    floats = [f"f{n}" for n in range(0, 32, step)] if hook.size >= 4 else []
    if hook.size == 16:
        return floats
    lost = {*site.scratch} | (set() if link_saved else {"o7"})
    integers = [
        name
        for n, name in enumerate(INTEGERS)
        if n % step == 0 and not lost & set(INTEGERS[n : n + step])
    ]
    return integers + floats + ([site.kept_value] if link_saved and step == 1 else [])


def _saving(
    site: Site, clobbers: frozenset[str], special: bool, finds_pc: bool
) -> dict[str, object]:
    """Return the template's variables about what is saved around the call."""
    floats = bool(clobbers & FLOATS)
    system = sorted(clobbers & _SYSTEM - {*site.scratch})
    room = site.least + (_FLOAT_ROOM if floats else 0)
    return {
        "address": site.address,
        "link": site.kept_value,
        "globals": sorted(clobbers & {"g1", "g2", "g3", "g4"} - {*site.scratch}),
        "system": {name: room + 4 * number for number, name in enumerate(system)},
        "icc": special and (finds_pc or bool(clobbers & {"icc", "xcc"})),
        "y": special and "y" in clobbers,
        "link_changes": site.kept_value in clobbers,
        "floats": floats,
        "frame": room + (_SYSTEM_ROOM if system else 0),
        "pc": finds_pc,
    }


def _stub(site: Site, hook: Hook, value: str, flags: str) -> tuple[str, Stub]:
    """Return the kind of body a value needs, and its stub."""
    symbol = symbol_of(hook.event, value, flags)
    link_saved = "k" in flags
    if hook.size <= 4 and not link_saved and not value.startswith("f"):
        return "register", Stub(symbol, (f"mov %{value}, %{site.kept_value}",))
    return "memory", Stub(symbol, _keep_in_memory(site.kept_value, hook, value))


def _keep_in_memory(link: str, hook: Hook, value: str) -> tuple[str, ...]:
    at = VALUE_OFFSET
    if value == "o6":
        # %sp itself has moved; with %o7, which is in `link`, it is also the pair of an std.
        first, second = f"st %{link}, [%sp+{at + 4}]", f"ld [%sp+{at + 4}], %{link}"
        return (first, f"add %sp, {MOVED}, %{link}", f"st %{link}, [%sp+{at}]", second)
    if value in ("o7", link):
        return (f"st %{link}, [%sp+{at}]",)
    if hook.size == 16:
        return (f"std %{value}, [%sp+{at}]", f"std %f{int(value[1:]) + 2}, [%sp+{at + 8}]")
    return (f"{'std' if hook.size == 8 else 'st'} %{value}, [%sp+{at}]",)


def _arguments(site: Site, hook: Hook, usage: Usage, kind: str) -> tuple[str, ...]:
    lines = [f"mov %{site.address}, %o0"] if usage.address else []
    if kind == "register":
        lines += {
            1: [f"and %{site.kept_value}, 0xff, %o2"],
            2: [f"sll %{site.kept_value}, 16, %o2", "srl %o2, 16, %o2"],
            4: [f"mov %{site.kept_value}, %o2"],
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


def _abi(site: Site) -> Abi:
    return Abi(
        word=site.width,
        bias=site.bias,
        least=site.least,
        address=site.address,
        kept=site.kept_value,
        keep=site.keep,
        site_frame=0,
        link=0,
        stub_frame=MOVED,
        value=VALUE_OFFSET,
        direct="register",
        hooks=ACCESS_HOOKS,
        values=partial(_value_registers, site),
        stub=partial(_stub, site),
        arguments=partial(_arguments, site),
        saving=partial(_saving, site),
        rare={"moved": _RARE_MOVED},
        window={"moved": site.window_room},
    )


ABIS = {abi: _abi(site) for abi, site in SITES.items() if not site.wide}
"""By `Target.abi`: the usual one, and one for each choice of registers."""
