"""Which registers are recorded besides accesses, and how those are that no store writes.

Condition codes and %gsr go by way of an integer register, and are copied back from there: to no
effect in the program, but re-execution has what was recorded there. Where no instruction reads
condition codes, in 32-bit code, this is the carry alone: all that a system call sets.
"""

from __future__ import annotations

from inst.arch.sparc.rewrite.site import SPILLED, site_of, spill
from inst.flow.liveness import dead_registers
from inst.rewrite.context import Rewriting
from inst.rewrite.record.recorder import Parts
from inst.rewrite.sites import Site

_CARRIED = (
    "o6",
    *(f"g{n}" for n in range(1, 8)),
    *(f"{bank}{n}" for bank in "oli" for n in range(8) if (bank, n) != ("o", 6)),
    *(f"f{n}" for n in range(32)),
    "fsr",
)
UPPER_FLOATS = tuple(f"f{n}" for n in range(32, 64, 2))
"""The registers of V9 that have no halves with names."""
WHOLE_STATUS = "whole fsr"
"""V9's status register of floating point, which has 64 bits."""
LEFT_BY_SYSTEM = ("o0", "o1", "icc")
"""The result of a system call, the second one of `fork` and `pipe`, and the carry, which is set if
the result is the number of an error (Linux, arch/sparc/kernel/entry.S and syscalls.S)."""
_COPIED = {"icc": "ccr", "xcc": "ccr", "gsr": "gsr"}
"""Registers that are recorded by way of an integer register, as parts of others."""


def leaves(work: Rewriting, index: int) -> tuple[str, ...]:
    """Return what an instruction leaves, by the names that `parts` and `put_loosely` know; () if
    anything else is among it.

    32-bit code stores neither the upper floating-point registers nor the upper half of %fsr, with
    conditions of V9: its buffer is aligned to words.
    """
    found = list[str]()
    for name in work.isa.registers.listed(work.code.facts[index].defs):
        is_upper = is_float(name) and name[1:].isdigit() and int(name[1:]) >= 32
        if name == "fsr" and site_of(work).wide:
            found.append(WHOLE_STATUS)
        elif name in _COPIED:
            found.append(_COPIED[name])
        elif name in _CARRIED or (is_upper and site_of(work).wide):
            found += [name] if name in (*_CARRIED, *UPPER_FLOATS) else []
        elif name != "fcc0" and not (name.startswith("fcc") and site_of(work).wide):
            return ()
    names = tuple(dict.fromkeys(found))
    return names if not {*names} & {*site_of(work).scratch} else ()


def parts(work: Rewriting, at: Site, register: str, to: str) -> Parts | None:
    """Return how a register is stored by way of an integer register; None: it is stored itself."""
    copied = _COPIED.get(register, register)
    if copied not in _COPIED.values():
        return None
    free = _free(work, at.place, at.arriving, to)
    before, after = ((), ()) if free else spill(work)
    through = f"%{free or SPILLED}"
    copy, back = f"rd %{copied},{through}", f"wr {through},0,%{copied}"
    if register == "icc" and not site_of(work).wide:
        copy, back = f"addx %g0,%g0,{through}", f"subcc %g0,{through},%g0"
    return Parts(through[1:], ((copy, back),), before, after)


def _free(work: Rewriting, index: int, arriving: tuple[str, ...], to: str = "") -> str:
    """Return an integer register that may be changed before an instruction; empty if none may."""
    bits = work.isa.registers.bit
    avoid = work.isa.registers.mask(*(one for one in arriving if one in bits))
    first = [one for one in site_of(work).scratch[:-1] if one != to]
    return next(iter((*first, *dead_registers(work.isa, work.liveness.before[index], avoid))), "")


def carried(work: Rewriting) -> tuple[str, ...]:
    """Return the registers that are recorded where they arrive, but for those that sites change."""
    upper = UPPER_FLOATS if site_of(work).wide else ()
    return tuple(one for one in (*_CARRIED, *upper) if one not in site_of(work).scratch)


def arriving_bytes(register: str) -> int:
    """Return how many bytes a register that arrives takes; 0: those of an address."""
    if register in UPPER_FLOATS or register == WHOLE_STATUS:
        return 8
    return 4 if is_float(register) else 0


def is_float(register: str) -> bool:
    """Return whether a register belongs to floating point, its status included."""
    return register.startswith("f")
