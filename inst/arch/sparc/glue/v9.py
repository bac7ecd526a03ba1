"""What entries for SPARC V9 do of their own: how a value is passed, what is saved.

A site leaves the address in %g6, the one register that is free.  Where its %o7 is live it has
made a frame of `MOVED` bytes and saved %o7 there; the entry restores %o7 and %sp.
"""

from __future__ import annotations

from inst.arch.sparc.glue.windowed import FLOATS, INTEGERS, Abi, Stub, symbol_of
from inst.arch.sparc.sites import SITES
from inst.glue.usage import Usage
from inst.hooktable import ACCESS_HOOKS, Hook

_SITE = SITES["v9"]
BIAS = _SITE.bias
MOVED = _SITE.frame
"""A frame of a site or a stub: the least frame and two doublewords."""
LINK_OFFSET = _SITE.kept_at
VALUE_OFFSET = LINK_OFFSET + 8
_RARE_ROOM = _SITE.registers_at - BIAS + 32 * _SITE.width
_FLOAT_ROOM = 272
_HOOKS = tuple(hook for hook in ACCESS_HOOKS if hook.size <= 8)
"""Accesses of 16 bytes are decoded in C."""
_LOADS = {1: "ldub", 2: "lduh", 4: "lduw", 8: "ldx"}


def _value_registers(hook: Hook, link_saved: bool) -> list[str]:
    """Return the registers a site may name; %o7 can hold a value only where it is saved."""
    integers = [name for name in INTEGERS if name != "g6" and (link_saved or name != "o7")]
    floats = {4: [f"f{n}" for n in range(32)], 8: [f"f{n}" for n in range(0, 64, 2)]}
    return integers + floats.get(hook.size, [])


def _saving(clobbers: frozenset[str], special: bool, finds_pc: bool) -> dict[str, object]:
    """Return the template's variables about what is saved around the call."""
    more = bool(clobbers & (FLOATS | {"gsr"}))
    return {
        "globals": sorted(clobbers & {"g1", "g2", "g3", "g4", "g5"}),
        "codes": special and (finds_pc or bool(clobbers & {"icc", "xcc"})),
        "y": special and "y" in clobbers,
        "asi": "asi" in clobbers,
        "gsr": "gsr" in clobbers,
        "g6": "g6" in clobbers,
        "floats": bool(clobbers & FLOATS),
        "room": BIAS + _SITE.least,
        "frame": _SITE.least + (_FLOAT_ROOM if more else 0) + (16 if "g6" in clobbers else 0),
        "pc": finds_pc,
    }


def _stub(hook: Hook, value: str, flags: str) -> tuple[str, Stub]:
    """Return the kind of body a value needs, and its stub.

    Globals can be read after the entry's `save`, outs are its ins; the rest goes through memory.
    """
    symbol = symbol_of(hook.event, value, flags)
    bank, number = value[0], value[1:]
    if value == "o7":
        return "window", Stub(symbol, (_load(hook.size, LINK_OFFSET),))
    if value == "o6":
        # Where the site has moved %sp, the program's %sp is that much higher.
        moved = MOVED if "k" in flags else 0
        return ("window", Stub(symbol, (f"add %i6, {moved}, %o2",)))
    if bank in "go":
        return "window", Stub(symbol, (f"mov %{'i' if bank == 'o' else 'g'}{number}, %o2",))
    store = "stx" if bank != "f" else "st" if hook.size == 4 else "std"
    at = VALUE_OFFSET + (4 if store == "st" else 0)
    return "memory", Stub(symbol, (f"{store} %{value}, [%sp+{at}]",))


def _load(size: int, offset: int) -> str:
    """Return the load of a register's low bytes from where all its bytes are."""
    return f"{_LOADS[size]} [%fp+{offset + 8 - size}], %o2"


_NARROW = {
    1: ("and %o2, 0xff, %o2",),
    2: ("sll %o2, 16, %o2", "srl %o2, 16, %o2"),
    4: ("srl %o2, 0, %o2",),
    8: (),
}
"""Instructions that leave an access's bytes in %o2, the others 0 as the ABI wants them."""


def _arguments(hook: Hook, usage: Usage, kind: str) -> tuple[str, ...]:
    lines: list[str] = []
    if kind == "window":
        lines += _NARROW[hook.size]
    elif kind == "memory":
        lines.append(_load(hook.size, VALUE_OFFSET))
    elif usage.value:
        lines.append("mov 0, %o2")
    return (*lines, *(["mov %g6, %o0"] if usage.address else []))


ABI = Abi(
    word=_SITE.width,
    bias=BIAS,
    least=_SITE.least,
    address=_SITE.address,
    kept="",
    keep=_SITE.keep,
    site_frame=MOVED,
    link=LINK_OFFSET,
    stub_frame=MOVED,
    value=VALUE_OFFSET,
    direct="window",
    hooks=_HOOKS,
    values=_value_registers,
    stub=_stub,
    arguments=_arguments,
    saving=_saving,
    rare={"room": _RARE_ROOM, "frame": MOVED, "link": LINK_OFFSET},
    window={"room": _SITE.window_room},
)
