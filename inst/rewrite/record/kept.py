"""Reservations whose values stay in a register until they are recorded."""

from __future__ import annotations

from collections.abc import Iterator

from inst.dataclass import dataclass, field


@dataclass(slots=True)
class Way:
    """A load that reserves, and the instructions up to its conditional stores."""

    load: int
    """Less than 0: none, for a conditional store that no load comes before."""
    inside: set[int] = field(default_factory=set)
    stores: set[int] = field(default_factory=set)
    falling: dict[int, int] = field(default_factory=dict)
    """Instructions after which control leaves the way, and which one is next."""
    branching: dict[int, int] = field(default_factory=dict)
    """Branches that leave it when they are taken, and where they go."""

    def exits(self) -> Iterator[tuple[int, int]]:
        """Yield the instructions after which values are recorded, and what runs next."""
        yield from self.falling.items()
        yield from self.branching.items()
        yield from ((store, store + 1) for store in self.stores)


@dataclass(frozen=True, slots=True)
class Place:
    """Where values are recorded: before which instruction runs, and the registers for that."""

    index: int
    pointer: str
    result: str
    """For whether a conditional store stored; empty: there was none."""


@dataclass(frozen=True, slots=True)
class Reserved:
    """A reservation whose value can be recorded."""

    way: Way
    value: str
    """The register that the load writes; empty without a load."""
    keeper: str
    """The one that holds this until it is recorded: the same, or a copy."""
    places: dict[tuple[int, int], Place]
    """By the instruction after which they stand, and the next one that runs."""
    spilled: tuple[str, ...] = ()
    """Registers whose own values are in a frame on the stack from the load up to these places."""
