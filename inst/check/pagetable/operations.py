"""TLB invalidations and barriers by name: what each reaches.

The names are regular: [r](what)e(level)[is|os][nxs]. A table of the parts covers them all.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

GRANULE_4K = 1


@dataclass(frozen=True, slots=True)
class Operation:
    """A TLB invalidation."""

    regime: str
    """EL1&0, EL2 or EL3."""
    stages: str
    """1, 2, or 12 for both."""
    by: str
    """all, vmid, asid, address or range."""
    last_level: bool
    broadcast: bool


_NAME = re.compile(
    r"(vmalls12|vmallws2|vmall|all|asid|r?v(?:aa|a)l?|r?ipas2l?)e([123])(is|os)?(nxs)?"
)

# what: stages, by. The regime comes from the exception level.
_WHAT = {
    "vmalls12": ("12", "vmid"),
    "vmallws2": ("2", "vmid"),
    "vmall": ("1", "vmid"),
    "all": ("12", "all"),
    "asid": ("1", "asid"),
    "va": ("1", "address"),
    "vaa": ("1", "address"),
    "val": ("1", "address"),
    "vaal": ("1", "address"),
    "ipas2": ("2", "address"),
    "ipas2l": ("2", "address"),
}
_REGIMES = {"1": "EL1&0", "2": "EL2", "3": "EL3"}


@cache
def operation(name: str) -> Operation | None:
    """Return what a TLBI operation does; None for one that is not known."""
    match = _NAME.fullmatch(name.lower())
    if match is None:
        return None
    what, level, domain, _ = match.groups()
    ranged = what.startswith("r")
    known = _WHAT.get(what.removeprefix("r"))
    if known is None or (known[0] == "2" and level != "1"):
        return None
    stages, by = known
    if what == "all" and level != "1":
        stages = "1"
    last = what.endswith("l") and by == "address"
    return Operation(_REGIMES[level], stages, "range" if ranged else by, last, domain is not None)


FULL, STORES, LOADS, LOCAL = "full", "stores", "loads", "local"
"""What a DSB does: waits for everything, for stores (and no TLBI), for loads, here only."""

DSB = {
    "ish": FULL, "osh": FULL, "sy": FULL, "": FULL,
    "ishst": STORES, "oshst": STORES, "st": STORES,
    "ishld": LOADS, "oshld": LOADS, "ld": LOADS,
    "nsh": LOCAL, "nshst": LOCAL, "nshld": LOCAL,
}  # fmt: skip


def barrier(kind: str) -> str:
    """Return what a kind of DSB does; an unknown one orders nothing here."""
    return DSB.get(kind.lower().removesuffix("nxs"), LOADS)


@dataclass(frozen=True, slots=True)
class Target:
    """The input addresses a TLBI by address or range names, and its level hint."""

    start: int
    end: int
    hint: int | None
    """The level, when the operand has a hint."""
    stray: bool
    """The hint's granule is not 4 KiB."""


def target(op: Operation, operand: int) -> Target:
    """Return what the register operand of a TLBI names."""
    if op.by == "range":
        base = (operand & (1 << 37) - 1) << 12
        number, scale = operand >> 39 & 0x1F, operand >> 44 & 3
        size = (number + 1) << 5 * scale + 1 + 12
        level = operand >> 37 & 3
        return Target(base, base + size, level or None, operand >> 46 & 3 != GRANULE_4K)
    start = (operand & (1 << 44) - 1) << 12
    granule, level = operand >> 46 & 3, operand >> 44 & 3
    stray = granule > GRANULE_4K or (granule == 0 and level != 0)
    hint = level if granule == GRANULE_4K and level else None
    return Target(start, start + 0x1000, hint, stray)
