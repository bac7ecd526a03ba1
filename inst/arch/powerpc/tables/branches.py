"""Branches in all their spellings: a product of conditions, destinations and hints."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import partial

from inst.arch.powerpc.tables.registers import BIT
from inst.arch.powerpc.tables.rows import Maker, Row, expand_roles
from inst.dataclass import dataclass
from inst.isa.model import Facts, RegisterSet, Transfer

LR = BIT["lr"]
CTR = BIT["ctr"]
CONDITIONAL_REACH = 1 << 15
DIRECT_REACH = 1 << 25


@dataclass(frozen=True, slots=True)
class Condition:
    """When a branch is taken: the middle of its mnemonic."""

    name: str
    inverse: str
    """The name of the opposite condition, or "" where none has a name."""
    roles: tuple[str, ...]
    counts: bool = False
    """Decrements and tests ctr, so it cannot branch to it."""


@dataclass(frozen=True, slots=True)
class Destination:
    """Where a branch goes and what it leaves in lr: the end of its mnemonic."""

    name: str
    transfer: Transfer
    direct: bool = False
    reaches_all: bool = False
    """Absolute forms: code growth does not change whether they reach."""
    uses: RegisterSet = 0
    defs: RegisterSet = 0


OPPOSITES = {
    "lt": "ge",
    "gt": "le",
    "eq": "ne",
    "so": "ns",
    "un": "nu",
    "ge": "lt",
    "le": "gt",
    "ne": "eq",
    "ns": "so",
    "nu": "un",
    "nl": "lt",
    "ng": "gt",
}

ALWAYS = Condition("", "", ())

CONDITIONS = (
    *(Condition(name, inverse, ("cs?",)) for name, inverse in OPPOSITES.items()),
    Condition("t", "f", ("bs",)),
    Condition("f", "t", ("bs",)),
    Condition("dnz", "dz", (), counts=True),
    Condition("dz", "dnz", (), counts=True),
    *(Condition(f"d{zero}{bit}", "", ("bs",), counts=True) for zero in ("nz", "z") for bit in "tf"),
)

GENERAL = Condition("c", "", ("option", "bit"))
"""`bc`: the first operand says what is tested, the second which bit."""

DESTINATIONS = (
    Destination("", Transfer.BRANCH, direct=True),
    Destination("l", Transfer.CALL, direct=True, defs=LR),
    Destination("a", Transfer.BRANCH, direct=True, reaches_all=True),
    Destination("la", Transfer.CALL, direct=True, reaches_all=True, defs=LR),
    Destination("lr", Transfer.RETURN, uses=LR),
    Destination("lrl", Transfer.CALL, uses=LR, defs=LR),
    Destination("ctr", Transfer.JUMP, uses=CTR),
    Destination("ctrl", Transfer.CALL, uses=CTR, defs=LR),
)

OPPOSITE_HINTS = {"": "", "+": "-", "-": "+"}


def branch_rows(destinations: tuple[Destination, ...] = DESTINATIONS) -> Iterator[Row]:
    """Yield the rows of all branches to these destinations."""
    for _, make in branch_makers(destinations):
        yield from make()


def branch_makers(
    destinations: tuple[Destination, ...] = DESTINATIONS,
) -> Iterator[tuple[str, Maker]]:
    """Yield each branch to these destinations with what makes its rows."""
    for destination in destinations:
        yield _maker(ALWAYS, destination, "")
    conditions = (*CONDITIONS, GENERAL)
    for condition, destination, hint in itertools.product(conditions, destinations, OPPOSITE_HINTS):
        if not (condition.counts and destination.uses & CTR):
            yield _maker(condition, destination, hint)


def _maker(condition: Condition, destination: Destination, hint: str) -> tuple[str, Maker]:
    mnemonic = f"b{condition.name}{destination.name}{hint}"
    return mnemonic, partial(_rows, mnemonic, condition, destination, hint)


def _rows(
    mnemonic: str, condition: Condition, destination: Destination, hint: str
) -> Iterator[Row]:
    roles = condition.roles
    if destination.direct:
        roles = (*roles, "target")
    elif condition is GENERAL:
        roles = (*roles, "i?")
    yield from expand_roles(mnemonic, roles, _facts(condition, destination, hint))


def _facts(condition: Condition, destination: Destination, hint: str) -> Facts:
    counter = CTR if condition.counts else 0
    reach = CONDITIONAL_REACH if condition.name else DIRECT_REACH
    inverse = f"b{condition.inverse}{destination.name}{OPPOSITE_HINTS[hint]}"
    return Facts(
        uses=destination.uses | counter,
        defs=destination.defs | counter,
        transfer=destination.transfer,
        conditional=condition is not ALWAYS,
        inverse=inverse if condition.inverse else "",
        reach=reach if destination.direct and not destination.reaches_all else 0,
    )
