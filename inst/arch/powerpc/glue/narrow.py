"""What entries for 32-bit PowerPC do of their own: the address is in r13, r0 need not be free.

For code that uses small data, which r13 points at, there are entries that take the address in
r12 or r11 and leave r13 as it is.
"""

from __future__ import annotations

from dataclasses import replace

from inst.arch.powerpc.glue import linked, saving
from inst.arch.powerpc.glue.linked import Abi
from inst.arch.powerpc.glue.saving import CONDITIONS, VOLATILE, Saving
from inst.arch.powerpc.sites import SITES
from inst.errors import InstError
from inst.glue.usage import Usage
from inst.hooktable import ACCESS_HOOKS, Hook

_SITE = SITES["svr4"]
_VALUE_OFFSET = 16
_SAVES_OFFSET = 32
_RARE_ROOM = 144  # 32 registers, cr, xer and ctr, a multiple of 16
_FLOATS = frozenset(f"f{n}" for n in range(saving.FLOATS)) | {"fpscr"}
_VECTORS = frozenset(f"v{n}" for n in range(saving.VECTORS)) | {"vscr"}


def _values(hook: Hook) -> tuple[str, ...]:
    general = tuple(f"r{n}" for n in range(32))
    floats = tuple(f"f{n}" for n in range(32))
    by_size = {4: general + floats, 8: floats, 16: tuple(f"v{n}" for n in range(32))}
    return by_size.get(hook.size, general)


def _saving(usage: Usage, special: bool, changed: set[str], dead: str) -> Saving:
    """Return what an entry has to save; r13 holds lr where it is the carrier, and so free."""
    clobbers = usage.clobbers
    if "r2" in clobbers:
        raise InstError(f"{usage.name} changes r2, the thread pointer")
    wanted = linked.counters(clobbers) if special else []
    preserved = CONDITIONS if special else {"cr1"}  # cr1 may be a call's argument: never lost
    wanted += ["cr"] if clobbers & preserved else []
    vectors = bool(clobbers & _VECTORS)
    if vectors:
        changed = changed | {"r0"}
        wanted += ["cr"] if special and "cr" not in wanted else []
    wanted += ["lr"] if dead != "r13" or "r13" in clobbers else []
    if wanted:
        changed = changed | {"r0"}
    general = [one for one in (*VOLATILE, "r13") if one in clobbers | changed and one != dead]
    offsets = {one: _SAVES_OFFSET + 4 * n for n, one in enumerate([*general, *wanted])}
    end = -(-(_SAVES_OFFSET + 4 * len(offsets)) // 16) * 16
    floats = end if clobbers & _FLOATS else 0
    end += saving.FLOAT_ROOM if floats else 0
    at = end + 16 if vectors else 0  # stvx goes down to a multiple of 16, which r1 may be off
    end = at + saving.VECTOR_ROOM if vectors else end
    return Saving(frame=end, offsets=offsets, floats=floats, vectors=at)


def _rare(usage: Usage) -> dict[str, object]:
    plan = _saving(usage, True, set(VOLATILE), "")
    whole = replace(plan, frame=plan.frame + _RARE_ROOM)
    return {"saving": whole, "at": plan.frame}


ABI = Abi(
    word=_SITE.width,
    carriers=_SITE.carriers,
    counting=("r13", ""),
    changed=frozenset(),
    value=_VALUE_OFFSET,
    hooks=ACCESS_HOOKS,
    values=_values,
    framed=tuple(
        site for form in (_SITE.free, _SITE.shared) if form for site in linked.framed_sites(form)
    ),
    saving=_saving,
    rare=_rare,
)
