"""What page tables whose use instructions show have in common: their events, and their locks.

If one change of an entry is made under a lock, all are. Interrupts that are turned off count as a
lock of their processor, besides annotated locks. Interrupts that the processor itself turns off in
a handler do not show.
"""

from __future__ import annotations

import abc
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from inst.trace.finding import ERROR, Finding, Other
from inst.trace.model import Array, Flag, Kind, Trace, among, pc_of

_INTERRUPTS = -1
"""The lock that interrupts turned off are."""
UNDER_LOCK = "every change of an entry under one lock, or with interrupts off"


class Event(NamedTuple):
    """An event that is stepped."""

    record: int
    id: int
    kind: int
    thread: int
    pc: int | None
    address: int
    size: int
    value: int | None
    detail: str
    site: str

    def other(self, text: str) -> Other:
        return Other(self.record, text, pc=self.pc, site=self.site)


_TAKEN = among(
    Kind.READ, Kind.WRITE, Kind.SYSREG, Kind.TLBI, Kind.BARRIER, Kind.LOCK, Kind.TRYLOCK,
    Kind.UNLOCK,
)  # fmt: skip


def events_of(
    rows: Array, details: Array, words: Sequence[str], place: Callable[[int], dict[str, Any]]
) -> Iterator[Event]:
    """Yield the events of a batch that count; `details` counts `words`."""
    for at in np.flatnonzero(_TAKEN[rows["kind"]]).tolist():
        row = rows[at]
        flags = int(row["flags"])
        is_access = int(row["kind"]) in (Kind.READ, Kind.WRITE)
        yield Event(
            int(row["record"]),
            int(row["id"]),
            int(row["kind"]),
            int(row["thread"]),
            pc_of(row),
            int(row["address"]),
            int(row["size"]),
            int(row["value"]) if flags & Flag.HAS_VALUE else None,
            words[details[at]],
            "" if is_access else place(at).get("site", ""),
        )


@dataclass(slots=True)
class Protection:
    """What a thread (on a board: a processor) is protected by."""

    interrupts: bool | None = None
    """Whether they may come, where that was seen."""
    locks: set[int] = field(default_factory=set)


class ShownTables(abc.ABC):
    """The rules at work on one trace; what is a table and what is wrong is for subclasses."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._protections: dict[int, Protection] = {}
        self._locked: Event | None = None
        self._locks: set[int] = set()
        """The locks that all changes under a lock had in common."""
        self._unlocked: Event | None = None

    @abc.abstractmethod
    def step(self, event: Event) -> Iterator[Finding]:
        """Take an event; yield what it does wrong."""

    def _protection(self, event: Event) -> Protection:
        return self._protections.setdefault(event.thread, Protection())

    def _lock(self, event: Event) -> None:
        """Take an event of an annotated lock."""
        locks = self._protection(event).locks
        if event.kind == Kind.UNLOCK:
            locks.discard(event.address)
        else:
            locks.add(event.address)

    def _under_lock(self, address: int, event: Event) -> Iterator[Finding]:
        """Hold a change against the others: what one is protected by, all are."""
        protection = self._protection(event)
        held = set(protection.locks)
        if protection.interrupts is False:
            held.add(_INTERRUPTS)
        elif protection.interrupts is None and not held | self._locks - {_INTERRUPTS}:
            return  # they may be off, and no lock is what protects other changes
        common = held & self._locks if self._locked else held
        if common:
            if self._locked is None and self._unlocked is not None:
                yield self._without_lock(address, event, self._unlocked, "here without a lock")
            self._locked, self._locks = event, common
        elif self._locked is not None:
            yield self._without_lock(address, event, self._locked, "under a lock here")
        else:
            self._unlocked = self._unlocked or event

    def _without_lock(self, address: int, event: Event, other: Event, text: str) -> Finding:
        names = ", ".join(
            "interrupts off" if lock == _INTERRUPTS else f"the lock {lock:#x}"
            for lock in sorted(self._locks)
        )
        message = f"the entry {address:#x} is changed without what protects other changes"
        message += f" of the page table: {names}" if names else ""
        others = (other.other(f"a change {text}"),)
        return self._found("lock-not-held", event, message, (), UNDER_LOCK, others)

    def _found(
        self,
        code: str,
        event: Event,
        message: str,
        state: tuple[str, ...],
        expected: str,
        others: tuple[Other, ...],
    ) -> Finding:
        return Finding(
            code,
            ERROR,
            self._trace.name,
            event.record,
            message,
            id=event.id,
            thread=event.thread,
            pc=event.pc,
            site=event.site,
            state=state,
            expected=expected,
            others=others,
        )


def words_of(event: Event) -> Iterator[tuple[int, int]]:
    """Yield address and value of each word that a write stores."""
    if event.value is not None and event.size in (4, 8):
        for at in range(0, event.size, 4):
            yield event.address + at, event.value >> 8 * (event.size - 4 - at) & 0xFFFFFFFF
