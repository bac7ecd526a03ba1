"""Writes to memory, and what else makes, frees or reads it."""

from __future__ import annotations

from inst.check.pagetable.codes import Violation
from inst.check.pagetable.descriptor import INVALID, PAGE, SLOTS, TABLE, kind_of, needs_break
from inst.check.pagetable.state import Lock, State, Table
from inst.check.pagetable.tree import track_child, untrack
from inst.errors import InstError

LAST = 1 << 61
"""Slots there are."""
FILLED = 1 << 23
"""Slots that one mem-set may give a value that is not zero."""


def write(state: State, thread: int, address: int, value: int, release: bool) -> None:
    """Write 8 bytes at a multiple of 8."""
    table = state.tables.get(address & -PAGE)
    if table is None:
        _plain(state, address, value)
        return
    slot = address >> 3 & 511
    old = state.memory.get(table.row, slot)
    lock = None if state.racy else _authority(state, thread, table, slot, value, release)
    if table.is_frozen():
        if old != value and (old | value) & 1:
            message = f"{value:#x} replaces {old:#x} at {address:#x}, below an unclean table"
            raise Violation("unclean-parent", message, address, _frozen_by(table))
    elif slot in table.unclean:
        if value & 1:
            raise _unclean_to_valid(table, slot, value)
    elif old & 1:
        _from_valid(state, thread, table, slot, value)
    elif value & 1:
        _to_valid(state, thread, table, slot, value)
    if lock is not None:
        lock.authorised = False
    state.memory.put(table.row, slot, value)


def require_aligned(state: State, address: int, size: int) -> None:
    """Refuse a write into a table whose bytes need not become visible at once."""
    if not address & min(size, 8) - 1 or size & size - 1:
        return
    for page in {address & -PAGE, address + size - 1 & -PAGE}:
        if page in state.tables:
            message = f"{size} bytes are written to {address:#x}, in the table {page:#x}"
            raise Violation("write-unaligned", message, max(address & -8, page))


def _plain(state: State, address: int, value: int) -> None:
    state.memory.settle()
    if not state.memory.is_initialised(address):
        message = f"{value:#x} is written to {address:#x}, which was never initialised"
        raise Violation("write-uninitialised", message, address)
    row = state.memory.row(address >> 12)
    state.memory.put(row, address >> 3 & 511, value)


def _authority(
    state: State, thread: int, table: Table, slot: int, value: int, release: bool
) -> Lock | None:
    """Check that the thread may write the entry; return the lock that lets it."""
    address = table.page + 8 * slot
    owner = table.threads.get(slot)
    if owner is not None:
        if owner != thread:
            message = f"thread {thread} writes {address:#x}, which thread {owner} owns"
            raise Violation("thread-owned", message, address)
        return None
    number = state.root_locks.get(table.owner)
    if number is None:
        message = f"a write to {address:#x}: the root {table.owner:#x} has no lock"
        raise Violation("root-without-lock", message, address)
    lock = state.locks.get(number)
    if lock is None or lock.thread != thread:
        holder = "no thread holds it" if lock is None else f"thread {lock.thread} holds it"
        message = f"thread {thread} writes {address:#x} without the lock {number:#x}: {holder}"
        raise Violation("lock-not-held", message, address)
    if not lock.authorised and not release and (state.memory.get(table.row, slot) | value) & 1:
        message = f"a second plain write, of {value:#x} to {address:#x}, with no DSB between"
        raise Violation("plain-unauthorised", message, address)
    return lock


def _frozen_by(table: Table) -> int:
    """Return the address of the unclean entry above a frozen table."""
    while table.parent is not None:
        if table.slot in table.parent.unclean:
            return table.parent.page + 8 * table.slot
        table = table.parent
    return table.page


def _unclean_to_valid(table: Table, slot: int, value: int) -> Violation:
    address = table.page + 8 * slot
    message = f"{value:#x} is written to {address:#x}, which is invalid but not clean"
    return Violation("unclean-to-valid", message, address)


def _from_valid(state: State, thread: int, table: Table, slot: int, value: int) -> None:
    address = table.page + 8 * slot
    old = state.memory.get(table.row, slot)
    if kind_of(value, table.level, address) != INVALID:
        if needs_break(old, value, table.level, table.root.stage, state.casemate):
            message = f"{value:#x} replaces the live entry {old:#x} at {address:#x}"
            raise Violation("valid-to-valid", message, address)
        return
    child = table.children.get(slot)
    for below in child.tree() if child else ():
        for owned, owner in below.threads.items():
            message = f"the table below {address:#x} has an entry that thread {owner} owns"
            raise Violation("freeze-thread-owned", message, address, below.page + 8 * owned)
    state.add_unclean(table, slot, thread, old)


def _to_valid(state: State, thread: int, table: Table, slot: int, value: int) -> None:
    address = table.page + 8 * slot
    if kind_of(value, table.level, address) == TABLE:
        track_child(state, table, slot, value)
    cleaned = table.unsynchronised.pop(slot, None)
    if cleaned == (thread, state.thread(thread).barriers):
        message = f"thread {thread} maps {address:#x} again with no ISB since it became clean"
        state.advise("reuse-without-isb", message, address)


def force(state: State, thread: int, address: int, value: int) -> None:
    """Write after a violation, as if it had been right, so that checking can go on."""
    table = state.tables.get(address & -PAGE)
    if table is None:
        state.memory.initialise(address >> 3, (address >> 3) + 1)
        _plain(state, address, value)
        return
    slot = address >> 3 & 511
    if slot in table.unclean:
        state.drop_unclean(table.unclean[slot])
    child = table.children.get(slot)
    if child is not None:
        untrack(state, child)
    state.memory.put(table.row, slot, value)
    try:
        if kind_of(value, table.level, address) == TABLE:
            track_child(state, table, slot, value)
    except Violation:
        return


def read(state: State, address: int, value: int, mask: int, shift: int) -> None:
    """Compare what was read of an entry with the entry."""
    table = state.tables.get(address & -PAGE)
    if table is None or state.casemate:
        return
    have = state.memory.get(table.row, address >> 3 & 511) >> shift & mask
    if have != value & mask:
        message = f"{value:#x} was read at {address:#x}, where {have:#x} was written"
        raise Violation("read-mismatch", message, address)


def slots_of(address: int, size: int) -> tuple[int, int]:
    """Return the slot numbers that a region touches; memory ends at 64 bits."""
    return address >> 3, min(-(-(address + size) >> 3), LAST)


def initialise(state: State, address: int, size: int) -> None:
    """Memory comes into being with zeros."""
    state.memory.settle()
    start, end = slots_of(address, size)
    table = _first_table(state, start, end)
    used = state.memory.first_used(start, end)
    slot = min((number for number in (table, used) if number is not None), default=None)
    if slot is not None:
        what = "is a page-table entry" if slot << 3 & -PAGE in state.tables else "is not zero"
        message = f"mem-init of {address:#x}: {slot << 3:#x} is in use and {what}"
        raise Violation("init-used", message, slot << 3)
    state.memory.initialise(start, end)


def _first_table(state: State, start: int, end: int) -> int | None:
    """Return the first slot of the range that is a page-table entry."""
    low, high = start >> 9, (end + 511) >> 9
    if high - low <= len(state.tables):
        pages = (page << 12 for page in range(low, high) if page << 12 in state.tables)
    else:
        pages = (page for page in sorted(state.tables) if low <= page >> 12 < high)
    for page in pages:
        slot = max(page >> 3, start)
        if slot < end:
            return slot
    return None


def free(state: State, address: int, size: int) -> None:
    """Memory goes away."""
    state.memory.settle()
    start, end = slots_of(address, size)
    slot = _first_table(state, start, end)
    if slot is not None:
        message = f"mem-free of {address:#x}: {slot << 3:#x} is a page-table entry"
        raise Violation("free-pte", message, slot << 3)
    state.memory.free(start, end)
    state.fresh.append((start >> 9, (end + 511) >> 9))


def fill(state: State, thread: int, address: int, size: int, value: int) -> None:
    """Write every slot of a region; one violation ends it."""
    unit = PAGE if state.casemate else 8
    if address % unit or size % unit:
        message = f"mem-set of {size:#x} bytes at {address:#x}"
        raise Violation("set-unaligned", message, address)
    word = value if state.casemate else (value & 0xFF) * 0x0101_0101_0101_0101
    state.memory.settle()
    start, end = slots_of(address, size)
    while start < end:
        page = start >> 9
        stop = _zeros_to(state, start, end)
        if stop > start:
            _require_few(address, word, stop - start)
            if word == 0:
                start = stop
                continue
        stop = min(end, page + 1 << 9)
        if page << 12 in state.tables or not state.memory.is_full(page):
            for slot in range(start, stop):
                write(state, thread, slot << 3, word, False)
        else:
            first = start & (SLOTS - 1)
            row = state.memory.row(page)  # may replace the table of values
            state.memory.values[row, first : first + stop - start] = word
        start = stop


def _zeros_to(state: State, start: int, end: int) -> int:
    """Return up to where a range is memory that is zero and holds no tables; else `start`."""
    until = min(state.memory.zeroed_until(start >> 9) << 9, end)
    if until <= start:
        return start
    table = _first_table(state, start, until)
    return until if table is None else table


def _require_few(address: int, word: int, slots: int) -> None:
    """Refuse to store more values than a trace of a real system has."""
    if word and slots > FILLED:
        raise InstError(
            f"mem-set of {address:#x}: break-before-make follows at most {FILLED * 8 >> 20} MiB "
            "that are set to another value than zero",
            hint="--except break-before-make leaves this check out",
        )
