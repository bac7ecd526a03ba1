"""What the protocol's state is made of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from inst.check.pagetable.descriptor import PAGE, shift_of
from inst.check.pagetable.memory import Memory

NOTHING, SYNCED, STAGE2, STAGE2_SYNCED, FLUSHED = "n", "d", "ti", "td", "ta"
"""How far the cleaning of an invalid-unclean entry is: nothing yet; DSB seen; TLBI of stage 2
alone seen; DSB after that seen; TLBI seen. The next DSB makes a flushed one clean."""

PROGRESS = {
    NOTHING: "no DSB yet",
    SYNCED: "DSB seen, no TLBI yet",
    STAGE2: "stage-2 TLBI seen, no DSB after it yet",
    STAGE2_SYNCED: "stage-2 TLBI and DSB seen, no stage-1 TLBI yet",
    FLUSHED: "TLBI seen, no DSB after it yet",
}

FEW = 4
"""Empty buckets a thread may keep for later."""

VTTBR, TTBR0 = "vttbr_el2", "ttbr0_el2"
REGIMES = {2: (VTTBR, "vtcr_el2", "hcr_el2"), 1: (TTBR0, "tcr_el2", "sctlr_el2")}
"""By stage: the table register, the control register, and the register that turns it on."""
DEFAULTS = {"tcr_el2": 0x10, "vtcr_el2": 0x10, "hcr_el2": 1, "sctlr_el2": 1, "mair_el2": 0}


@dataclass(slots=True, eq=False)
class Root:
    """The top of a tree that a register has pointed to."""

    base: int
    stage: int
    id: int
    """VMID or ASID."""
    users: int = 0
    """Threads whose register points to it."""
    table: Table | None = None


@dataclass(slots=True, eq=False)
class Table:
    """A page that is a table: what its values do not show of its slots."""

    page: int
    row: int
    root: Root
    level: int
    start: int
    """First input address it translates."""
    parent: Table | None
    slot: int
    """Which entry of the parent points here."""
    owner: int
    """The root whose lock protects it."""
    children: dict[int, Table] = field(default_factory=dict)
    unclean: dict[int, Unclean] = field(default_factory=dict)
    threads: dict[int, int] = field(default_factory=dict)
    """Slot -> thread that owns the entry."""
    unsynchronised: dict[int, tuple[int, int]] = field(default_factory=dict)
    """Slot -> thread that cleaned the entry, and its count of ISBs then."""

    def tree(self) -> Iterator[Table]:
        """Yield the table and all below it, parents first."""
        yield self
        for child in self.children.values():
            yield from child.tree()

    def is_frozen(self) -> bool:
        """Return whether the table is below an entry that is unclean."""
        table = self
        while table.parent is not None:
            if table.slot in table.parent.unclean:
                return True
            table = table.parent
        return False

    def range_of(self, slot: int) -> tuple[int, int]:
        """Return the input addresses that an entry translates."""
        size = 1 << shift_of(self.level)
        return self.start + slot * size, self.start + (slot + 1) * size


@dataclass(slots=True, eq=False)
class Unclean:
    """An entry that was made invalid and may still be in a TLB."""

    table: Table
    slot: int
    thread: int
    old: int
    """The last valid descriptor."""
    sequence: int
    record: int
    progress: str = NOTHING
    bucket: Bucket | None = None
    suspects: dict[str, str] = field(default_factory=dict)
    """Code and message of invalidations that look as if they were meant for it."""
    path: list[tuple[int, str]] = field(default_factory=list)
    """Records that brought progress, and to what."""

    @property
    def address(self) -> int:
        return self.table.page + 8 * self.slot

    @property
    def key(self) -> tuple[int, int, int]:
        """What a TLBI by address finds it by: stage, level, number of the address range."""
        shift = shift_of(self.table.level)
        return self.table.root.stage, self.table.level, (self.table.start >> shift) + self.slot


@dataclass(slots=True)
class Lock:
    """A lock that is held."""

    thread: int
    count: int = 1
    authorised: bool = True
    """Whether the next write may be plain whatever it does."""
    record: int = 0


@dataclass(slots=True, eq=False)
class Bucket:
    """Unclean entries of one thread that one lock (or the thread itself) gives power over."""

    owner: int
    root: Root
    thread: int | None
    """The thread that owns the entries, if one does."""
    entries: dict[str, dict[int, Unclean]] = field(
        default_factory=lambda: {progress: {} for progress in PROGRESS}
    )
    """Progress -> address -> entry."""

    def all(self) -> Iterator[Unclean]:
        for entries in self.entries.values():
            yield from entries.values()


@dataclass(slots=True, eq=False)
class Thread:
    """The protocol's state of a thread."""

    registers: dict[str, int] = field(default_factory=dict)
    current: dict[int, Root] = field(default_factory=dict)
    """Stage -> root in use."""
    locks: set[int] = field(default_factory=set)
    """Locks it holds."""
    buckets: dict[tuple[int, Root, int | None], Bucket] = field(default_factory=dict)
    by_address: dict[tuple[int, int, int], dict[int, Unclean]] = field(default_factory=dict)
    barriers: int = 0
    """ISBs so far."""
    stale: dict[int, tuple[int, int]] = field(default_factory=dict)
    """Stage -> record and identifier of a switch that still needs an invalidation."""

    def register(self, name: str) -> int:
        return self.registers.get(name, DEFAULTS.get(name, 0))


class State:
    """The whole state; the functions of the modules beside this one step it."""

    def __init__(self, *, casemate: bool = False, racy: bool = False) -> None:
        self.casemate = casemate
        self.racy = racy
        self.record = 0
        """Ordinal of the record being stepped."""
        self.memory = Memory()
        self.tables: dict[int, Table] = {}
        """Page address -> table."""
        self.roots: dict[tuple[int, int], Root] = {}
        """(stage, base) -> root."""
        self.identifiers: dict[tuple[int, int], Root] = {}
        """(stage, VMID or ASID) -> root."""
        self.root_locks: dict[int, int] = {}
        self.locks: dict[int, Lock] = {}
        self.threads: dict[int, Thread] = {}
        self.page_owners: dict[int, int] = {}
        """Page address -> root, set by set_owner_root (arm only)."""
        self.stale: set[tuple[int, int]] = set()
        """(stage, identifier) of released roots that the TLB may remember."""
        self.advice: list[tuple[str, str, tuple[int, ...]]] = []
        """Warnings of the step: code, message, addresses."""
        self.suspected: dict[int, Unclean] = {}
        """By sequence: unclean entries that have suspects."""
        self.fresh: list[tuple[int, int]] = []
        """Ranges of page numbers that the step gave another nature."""
        self._sequence = 0

    def root_at(self, stage: int, base: int) -> Root | None:
        """Return the root with that base; casemate asks for no stage."""
        root = self.roots.get((stage, base))
        return self.roots.get((3 - stage, base)) if root is None and self.casemate else root

    def thread(self, number: int) -> Thread:
        known = self.threads.get(number)
        if known is None:
            known = self.threads[number] = Thread()
        return known

    def advise(self, code: str, message: str, *addresses: int) -> None:
        if not self.casemate:
            self.advice.append((code, message, addresses))

    def suspect(self, unclean: Unclean, code: str, message: str) -> None:
        """Remember an invalidation that missed an entry, should the entry not become clean."""
        if not self.casemate:
            unclean.suspects.setdefault(code, f"{message} (record {self.record})")
            self.suspected[unclean.sequence] = unclean

    def accuse(self, unclean: Unclean) -> None:
        """Warn of what was suspected about an entry."""
        for code, message in unclean.suspects.items():
            self.advise(code, message, unclean.address)
        unclean.suspects.clear()

    def location(self, address: int) -> tuple[Table, int] | None:
        """Return table and slot when the address is a page-table entry."""
        table = self.tables.get(address & -PAGE)
        return None if table is None else (table, address >> 3 & 511)

    def add_unclean(self, table: Table, slot: int, thread: int, old: int) -> None:
        self._sequence += 1
        unclean = Unclean(table, slot, thread, old, self._sequence, self.record)
        unclean.path.append((self.record, "invalidated"))
        table.unclean[slot] = unclean
        known = self.thread(thread)
        known.by_address.setdefault(unclean.key, {})[unclean.address] = unclean
        self._put(unclean)

    def drop_unclean(self, unclean: Unclean) -> None:
        del unclean.table.unclean[unclean.slot]
        self.suspected.pop(unclean.sequence, None)
        known = self.threads[unclean.thread]
        peers = known.by_address[unclean.key]
        del peers[unclean.address]
        if not peers:
            del known.by_address[unclean.key]
        self._take(unclean)

    def advance(self, unclean: Unclean, progress: str, what: str) -> None:
        """Note that a record brought progress to the cleaning of an entry."""
        bucket = unclean.bucket
        assert bucket is not None
        address = unclean.address
        del bucket.entries[unclean.progress][address]
        bucket.entries[progress][address] = unclean
        unclean.progress = progress
        if unclean.suspects and progress in (STAGE2, FLUSHED):
            unclean.suspects.clear()
        unclean.path.append((self.record, what))

    def move(self, table: Table, slot: int | None, *, owner: int | None = None) -> None:
        """Put unclean entries where a changed owner puts them; the change is made here."""
        entries = list(table.unclean.values()) if slot is None else [table.unclean[slot]]
        for unclean in entries:
            self._take(unclean)
        if owner is not None:
            table.owner = owner
        for unclean in entries:
            self._put(unclean)

    def set_thread(self, table: Table, slot: int, thread: int | None) -> None:
        """Make a thread, or none, the owner of an entry."""
        unclean = table.unclean.get(slot)
        if unclean:
            self._take(unclean)
        if thread is None:
            table.threads.pop(slot, None)
        else:
            table.threads[slot] = thread
        if unclean:
            self._put(unclean)

    def _put(self, unclean: Unclean) -> None:
        table = unclean.table
        key = table.owner, table.root, table.threads.get(unclean.slot)
        buckets = self.threads[unclean.thread].buckets
        bucket = buckets.get(key)
        if bucket is None:
            bucket = buckets[key] = Bucket(*key)
        unclean.bucket = bucket
        bucket.entries[unclean.progress][unclean.address] = unclean

    def _take(self, unclean: Unclean) -> None:
        bucket = unclean.bucket
        assert bucket is not None
        unclean.bucket = None
        del bucket.entries[unclean.progress][unclean.address]
        buckets = self.threads[unclean.thread].buckets
        if len(buckets) > FEW and not any(bucket.entries.values()):
            del buckets[bucket.owner, bucket.root, bucket.thread]

    def powers(self, number: int, holder: int | None = None) -> list[Bucket]:
        """Return the unclean entries of a thread, by default its own, that it has power over."""
        known = self.threads.get(number if holder is None else holder)
        if known is None or not known.by_address:
            return []
        return [bucket for bucket in known.buckets.values() if self.has_power(number, bucket)]

    def met_by(self, number: int) -> list[Bucket]:
        """Return the unclean entries that the thread has power over, whoever invalidated them."""
        others = (holder for holder in self.threads if holder != number)
        return [b for holder in (number, *others) for b in self.powers(number, holder)]

    def has_power(self, number: int, bucket: Bucket) -> bool:
        if self.racy or bucket.thread == number:
            return True
        lock = self.locks.get(self.root_locks.get(bucket.owner, -1))
        return lock is not None and lock.thread == number
