"""What entries for 64-bit PowerPC do of their own, for either ABI: three carriers, the red zone."""

from __future__ import annotations

from inst.arch.powerpc.glue import linked, saving
from inst.arch.powerpc.glue.linked import Abi
from inst.arch.powerpc.glue.saving import CONDITIONS, VOLATILE, Saving
from inst.arch.powerpc.sites import SITES
from inst.glue.usage import Usage
from inst.hooktable import ACCESS_HOOKS, Hook

_SITE = SITES["elfv2"]  # and ELFv1
_VALUE_OFFSET = 112  # below is what a callee may use
_SCRATCH_OFFSET = 120
_SAVES_OFFSET = 128
_RARE_ROOM = 288  # 32 registers, cr, xer and ctr, a multiple of 16
_BEYOND_GENERAL = frozenset(
    ("fpscr", "vscr", *(f"f{n}" for n in range(32)), *(f"v{n}" for n in range(saving.VECTORS)))
)
_VECTOR_ROOM = saving.VECTOR_ROOM + 16 * saving.WIDE_VECTORS
"""All VSX registers, too: their second halves are volatile."""


def _values(hook: Hook) -> tuple[str, ...]:
    general = tuple(f"r{n}" for n in range(32))
    floats = tuple(f"f{n}" for n in range(32))
    return general + floats if hook.size in (4, 8) else general


def _saving(usage: Usage, special: bool, changed: set[str], dead: str) -> Saving:
    """Return what an entry has to save; lr always, for which it uses r0.

    Floating-point and vector registers go together: reloading a float ruins the second half of
    its VSX register.
    """
    clobbers = usage.clobbers
    beyond = bool(clobbers & _BEYOND_GENERAL)
    preserved = CONDITIONS if special else {"cr1"}  # cr1 may be a call's argument: never lost
    wanted = linked.counters(clobbers) if special else []
    if clobbers & preserved or (special and beyond):
        wanted.append("cr")
    if beyond:
        changed = changed | {"r3"}
    general = [one for one in VOLATILE if one in clobbers | changed and one != dead]
    general += ["r2"] if usage.toc else []
    names = ["lr", *wanted, *general]
    offsets = {one: _SAVES_OFFSET + 8 * n for n, one in enumerate(names)}
    end = -(-(_SAVES_OFFSET + 8 * len(offsets)) // 16) * 16
    if not beyond:
        return Saving(end + _SITE.red_zone, offsets, 0, 0, _SCRATCH_OFFSET)
    # stvx goes down to a multiple of 16, which r1 may be off.
    vectors = end + saving.FLOAT_ROOM + 16
    return Saving(vectors + _VECTOR_ROOM + _SITE.red_zone, offsets, end, vectors, _SCRATCH_OFFSET)


def _rare(usage: Usage) -> dict[str, object]:
    """Return the variables of entries that put each register where the decoder looks for it."""
    plan = _saving(usage, True, set(VOLATILE), "")
    at = plan.frame - _SITE.red_zone
    for name in plan.offsets:
        if name.startswith("r"):
            plan.offsets[name] = at + 8 * int(name[1:])
    frame = plan.frame + _RARE_ROOM
    whole = Saving(frame, plan.offsets, plan.floats, plan.vectors, plan.scratch)
    return {"saving": whole, "at": at}


ABI = Abi(
    word=_SITE.width,
    carriers=_SITE.carriers,
    counting=("",),
    changed=frozenset(("r0",)),
    value=_VALUE_OFFSET,
    hooks=tuple(hook for hook in ACCESS_HOOKS if hook.size <= 8),
    values=_values,
    framed=linked.framed_sites(_SITE.shared),
    saving=_saving,
    rare=_rare,
)
