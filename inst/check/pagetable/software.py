"""Page tables that software reads: the TLB of Book E processors (e500), by what instructions show.

At a miss the system's handler loads an entry of its page table and writes the TLB (`tlbwe`) from
the MAS registers. So an entry is known from its first use on: it is the last load of the thread
whose value has the page number that is written to MAS3. The rest of an entry may have any form; 0
is an entry without a translation. The rules:

- While the TLB may hold the translation of an entry, no other page is written to the entry: the
  entry becomes 0, `tlbivax` (or a kind of it) of its page follows, and `tlbsync` or `sync`.
- If one change of an entry is made under a lock, all are; so are interrupts turned off by `wrteei`,
  `wrtee` and `mtmsr` (`inst.check.pagetable.shown`).

Facts: EREF (Freescale, rev. 1), 5.4.3 (invalidations), 6.5.3 and 6.5.4 (MAS registers), 3.3.1.10.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from inst.check.pagetable.shown import Event, ShownTables, words_of
from inst.trace.finding import Finding
from inst.trace.model import Kind, Trace

PAGE_BITS = ~0xFFF & 0xFFFFFFFF
_LOADS = 16
"""Loads of a thread among which the one of an entry is looked for."""
_INVALIDATE_ALL = 4
"""The bit of the address of `tlbivax` that names all of a TLB."""
_FLUSH = 0x6
"""Bits of MMUCSR0 that invalidate all of a TLB: L2TLB0_FI and L2TLB1_FI."""
_VALID = 1 << 31
EXPECTED = "write 0, msync, tlbivax of the page, tlbsync and msync, and then the new entry"

BY_ADDRESS = ("tlbivax", "tlbilxva", "tlbie", "tlbiel")
OF_ALL = ("tlbilxlpid", "tlbilxpid", "tlbia")
COMPLETES = ("tlbsync", "sync")


@dataclass(slots=True)
class Entry:
    """An entry of a page table."""

    address: int
    value: int
    page: int | None
    """The effective page that it translates; None: the handler left that to the processor."""
    held: int = 0
    """The translation that the TLB may hold; 0: none."""
    state: str = "live"
    """Of that: `live`, `broken`, `invalidated`."""
    since: Event | None = None
    """What it was broken by."""


@dataclass(slots=True)
class Thread:
    """What is known of a thread (on a board: of a processor)."""

    loads: deque[Event] = field(default_factory=lambda: deque(maxlen=_LOADS))
    registers: dict[str, int] = field(default_factory=dict)
    filled_from: Event | None = None
    """The load whose value went to MAS3."""


class SoftwareTables(ShownTables):
    """The rules at work on one trace."""

    def __init__(self, trace: Trace) -> None:
        super().__init__(trace)
        self.entries: dict[int, Entry] = {}
        self._threads: dict[int, Thread] = {}

    def step(self, event: Event) -> Iterator[Finding]:
        """Take an event; yield what it does wrong."""
        thread = self._threads.setdefault(event.thread, Thread())
        match event.kind:
            case Kind.READ:
                thread.loads.append(event)
            case Kind.WRITE:
                yield from self._write(event)
            case Kind.SYSREG:
                self._register(thread, event)
            case Kind.TLBI:
                self._translations(thread, event)
            case Kind.BARRIER if event.detail in COMPLETES:
                self._complete()
            case Kind.LOCK | Kind.TRYLOCK | Kind.UNLOCK:
                self._lock(event)

    def _register(self, thread: Thread, event: Event) -> None:
        name, value = event.detail, event.value or 0
        thread.registers[name] = value
        if name == "msr.ee":
            self._protection(event).interrupts = bool(value)
        elif name == "msr":
            self._protection(event).interrupts = bool(value >> 15 & 1)
        elif name == "mas3" and value & PAGE_BITS:
            same = (load for load in reversed(thread.loads) if _has_page(load, value))
            thread.filled_from = next(same, None)
        elif name == "mmucsr0" and value & _FLUSH:
            self._invalidate(None)

    def _translations(self, thread: Thread, event: Event) -> None:
        if event.detail == "tlbwe":
            self._fill(thread)
        elif event.detail in OF_ALL:
            self._invalidate(None)
        elif event.detail in BY_ADDRESS:
            address = event.value or 0
            self._invalidate(None if address & _INVALIDATE_ALL else address & PAGE_BITS)

    def _fill(self, thread: Thread) -> None:
        """Take a translation that is written to the TLB, or one that is made invalid so."""
        page = thread.registers.pop("mas2", None)
        page = None if page is None else page & PAGE_BITS
        load, thread.filled_from = thread.filled_from, None
        if not thread.registers.get("mas1", _VALID) & _VALID:
            self._invalidate(page)
            return
        if load is None:
            return
        value = load.value or 0
        self.entries[load.address] = Entry(load.address, value, page, held=value)

    def _invalidate(self, page: int | None) -> None:
        for entry in self.entries.values():
            if page is not None and entry.page is not None and entry.page != page:
                continue
            if entry.state == "broken":
                entry.state = "invalidated"
            elif entry.state == "live":
                entry.held = 0  # the TLB takes it anew, from an entry that has not changed

    def _complete(self) -> None:
        for entry in self.entries.values():
            if entry.state == "invalidated":
                entry.held, entry.state = 0, "live"

    def _write(self, event: Event) -> Iterator[Finding]:
        for address, value in words_of(event):
            entry = self.entries.get(address)
            if entry is not None:
                yield from self._change(entry, value, event)
                yield from self._under_lock(address, event)

    def _change(self, entry: Entry, value: int, event: Event) -> Iterator[Finding]:
        other_page = bool((value ^ entry.held) & PAGE_BITS)
        if value and entry.held and other_page:
            yield self._finding(entry, value, event)
        entry.value = value
        if value:  # a change of permissions, or one that is right, or one that is reported once
            entry.state = "live"
            entry.held = 0 if other_page else entry.held
        elif entry.held and entry.state == "live":
            entry.since, entry.state = event, "broken"

    def _finding(self, entry: Entry, value: int, event: Event) -> Finding:
        code = "valid-to-valid" if entry.state == "live" else "unclean-to-valid"
        where = "" if entry.page is None else f" of page {entry.page:#x}"
        message = (
            f"{value:#x} is written to the entry {entry.address:#x}{where}, while the TLB may hold "
            f"the translation to {entry.held & PAGE_BITS:#x}: {_MISSING[entry.state]}"
        )
        others = () if entry.since is None or entry.state == "live" else (
            entry.since.other("the entry was made 0 here"),
        )  # fmt: skip
        state = (f"{entry.address:#x}: {entry.state}, held by the TLB: {entry.held:#x}",)
        return self._found(code, event, message, state, EXPECTED, others)


_MISSING = {
    "live": "it was not made 0 and invalidated before",
    "broken": "no invalidation of the page has come",
    "invalidated": "nothing has waited for the invalidation",
}


def _has_page(load: Event, value: int) -> bool:
    return load.size == 4 and load.value is not None and not (load.value ^ value) & PAGE_BITS
