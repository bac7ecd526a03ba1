"""Page tables of the reference MMU of 32-bit SPARC (LEON3), by what instructions show.

The processor reads the tables itself, so they are what is reached from the table of contexts,
whose address the program writes to a register. Addresses of tables count as if they were not
translated. The rules:

- After an entry with a page has changed to another page, or to none, the page is flushed before it
  is used: until then the TLB may hold the old translation.
- If one change of an entry is made under a lock, all are (`inst.check.pagetable.shown`).

Facts: The SPARC Architecture Manual, version 8, appendix H: H.3 (tables and entries), H.5
(registers), H.6 (flushes, and which levels each reaches).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from inst.check.pagetable.codes import STALE
from inst.check.pagetable.shown import Event, ShownTables, words_of
from inst.trace.finding import Finding
from inst.trace.model import Kind, Trace

EXPECTED = "a flush of the page after its entry has changed, before the page is used"
_TABLE, _PAGE = 1, 2
_KIND = 3
"""The bits of an entry that tell a table from a page; 0: neither."""
_FRAME = 0xFFFFFF00
"""The bits of a page's entry that are its frame."""
_SPANS = (1 << 32, 1 << 24, 1 << 18, 1 << 12)
"""Bytes that an entry of each level translates; level 0 is the table of contexts."""
_SLOTS = (0, 256, 64, 64)
"""Entries of a table of each level."""
_LEVELS = {
    "flush.page": (3, 1 << 12),
    "flush.segment": (2, 1 << 18),
    "flush.region": (1, 1 << 24),
    "flush.context": (0, 1 << 32),
    "flush.all": (0, 1 << 32),
}
"""Flush -> the first level that it reaches, and the bytes of addresses around its own."""


@dataclass(frozen=True, slots=True)
class Slot:
    """The place of an entry in the tree."""

    level: int
    start: int
    """The first address that it translates."""
    context: int


@dataclass(frozen=True, slots=True)
class Stale:
    """A translation that the TLB may hold though its entry is another one now."""

    slot: Slot
    address: int
    frame: int
    since: Event


class ReferenceTables(ShownTables):
    """The rules at work on one trace."""

    def __init__(self, trace: Trace) -> None:
        super().__init__(trace)
        self._memory: dict[int, int] = {}
        """Address -> the word that was stored last."""
        self._slots: dict[int, Slot] = {}
        self._stale: dict[tuple[int, int], Stale] = {}
        """By context and first address."""
        self._contexts = 0
        """The address of the table of contexts."""
        self._current: dict[int, int] = {}
        """Thread (on a board: processor) -> its context."""
        self._translates = False

    def step(self, event: Event) -> Iterator[Finding]:
        """Take an event; yield what it does wrong."""
        match event.kind:
            case Kind.READ:
                yield from self._use(event)
            case Kind.WRITE:
                yield from self._use(event)
                yield from self._write(event)
            case Kind.SYSREG:
                self._register(event)
            case Kind.TLBI if event.detail in _LEVELS:
                self._flush(event)
            case Kind.LOCK | Kind.TRYLOCK | Kind.UNLOCK:
                self._lock(event)

    def _register(self, event: Event) -> None:
        value = event.value or 0
        if event.detail == "mmu.control":
            self._translates = bool(value & 1)
        elif event.detail == "mmu.context_table":
            self._contexts = (value & ~3) << 4
            self._slots.clear()
            self._enter(event, self._current.get(event.thread, 0))
        elif event.detail == "mmu.context":
            self._current[event.thread] = value
            self._enter(event, value)

    def _enter(self, event: Event, context: int) -> None:
        """Know the tables of a context."""
        if self._contexts:
            self._know(self._contexts + 4 * context, Slot(0, 0, context), event)

    def _know(self, address: int, slot: Slot, event: Event) -> None:
        if self._slots.get(address) != slot:
            self._slots[address] = slot
            self._link(slot, self._memory.get(address, 0), event)

    def _link(self, slot: Slot, entry: int, event: Event) -> None:
        """Know the entries of the table that an entry leads to."""
        if entry & _KIND == _TABLE and slot.level < 3:
            level, table = slot.level + 1, (entry & ~3) << 4
            for n in range(_SLOTS[level]):
                inner = Slot(level, slot.start + n * _SPANS[level], slot.context)
                self._know(table + 4 * n, inner, event)

    def _write(self, event: Event) -> Iterator[Finding]:
        for address, value in words_of(event):
            slot, old = self._slots.get(address), self._memory.get(address, 0)
            self._memory[address] = value
            if slot is None:
                continue
            if not _same_page(old, value):
                self._leave(address, slot, old, event)
                self._link(slot, value, event)
            if self._translates:
                yield from self._under_lock(address, event)

    def _leave(self, address: int, slot: Slot, entry: int, event: Event) -> None:
        """Take what an entry led to for something that the TLB may still hold."""
        if entry & _KIND == _PAGE and self._translates:
            key = slot.context, slot.start
            self._stale.setdefault(key, Stale(slot, address, entry & _FRAME, event))
        elif entry & _KIND == _TABLE and slot.level < 3:
            table = (entry & ~3) << 4
            for n in range(_SLOTS[slot.level + 1]):
                at = table + 4 * n
                inner = self._slots.get(at)
                if inner is not None and _is_below(inner, slot):
                    self._leave(at, inner, self._memory.get(at, 0), event)
                    del self._slots[at]

    def _flush(self, event: Event) -> None:
        level, span = _LEVELS[event.detail]
        start = (event.value or 0) & -span
        context = self._current.get(event.thread, 0)
        of_all = event.detail == "flush.all"
        for key, stale in list(self._stale.items()):
            slot = stale.slot
            is_reached = slot.level >= level and start <= slot.start < start + span
            if of_all or (is_reached and slot.context == context):
                del self._stale[key]

    def _use(self, event: Event) -> Iterator[Finding]:
        if not self._stale or not self._translates:
            return
        context = self._current.get(event.thread, 0)
        for key, stale in list(self._stale.items()):
            start, end = stale.slot.start, stale.slot.start + _SPANS[stale.slot.level]
            if stale.slot.context == context and start <= event.address < end:
                del self._stale[key]
                yield self._finding(stale, event)

    def _finding(self, stale: Stale, event: Event) -> Finding:
        start = stale.slot.start
        message = (
            f"{event.address:#x} is used, while the TLB may hold the old translation of "
            f"{start:#x} to {stale.frame << 4:#x}: the entry {stale.address:#x} has changed since, "
            "and no flush has come"
        )
        state = (f"{stale.address:#x}: {self._memory.get(stale.address, 0):#x}",)
        others = (stale.since.other("the entry was changed here"),)
        return self._found(STALE, event, message, state, EXPECTED, others)


def _same_page(old: int, new: int) -> bool:
    """Return whether two entries lead to the same, but for permissions and what was used."""
    if old & _KIND == new & _KIND == _PAGE:
        return not (old ^ new) & _FRAME
    return old == new or not (old & _KIND or new & _KIND)


def _is_below(inner: Slot, outer: Slot) -> bool:
    span = _SPANS[outer.level]
    return inner.context == outer.context and outer.start <= inner.start < outer.start + span
