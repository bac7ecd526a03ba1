"""System registers, hints and locks."""

from __future__ import annotations

from inst.check.pagetable.codes import Violation
from inst.check.pagetable.descriptor import PAGE
from inst.check.pagetable.state import REGIMES, Lock, Root, State
from inst.check.pagetable.tree import first_unclean, start_level, track, untrack

BASE_BITS = 0x0000_FFFF_FFFF_FFFE
NO_THREAD = (1 << 64) - 1


def sysreg(state: State, thread: int, name: str, value: int) -> None:
    """Write a system register of the thread; it may install a table."""
    known = state.thread(thread)
    before = known.register(name)
    known.registers[name] = value
    for stage, (table, control, switch) in REGIMES.items():
        if name == table and known.register(switch) & 1:
            _activate(state, thread, stage, value, known.register(control))
        elif name == switch and value & 1 and not before & 1:
            recorded = known.registers.get(table)
            if recorded is None:
                message = f"{name} turns stage {stage} on, and {table} was never written"
                raise Violation("register-unset", message)
            _activate(state, thread, stage, recorded, known.register(control))


def _activate(state: State, thread: int, stage: int, value: int, control: int) -> None:
    base, identifier = value & BASE_BITS, value >> 48
    if stage == 1 and identifier:
        raise Violation("asid-reserved", f"ttbr0_el2 {value:#x} has the ASID {identifier}")
    root = state.root_at(stage, base)
    if root is None:
        root = _register(state, stage, base, identifier, control)
    elif root.id != identifier:
        message = f"the root {base:#x} comes with the identifier {identifier}; it had {root.id}"
        raise Violation("root-id-changed", message, base)
    _switch(state, thread, stage, root)


def _register(state: State, stage: int, base: int, identifier: int, control: int) -> Root:
    """Make a base that no register has pointed to a root."""
    for each in (1, 2) if state.casemate else (stage,):
        other = state.identifiers.get((each, identifier))
        if other is not None:
            message = f"the root {base:#x} has the identifier {identifier} of {other.base:#x}"
            raise Violation("duplicate-id", message, base, other.base)
    root = Root(base, stage, identifier)
    root.table = track(state, base, root, start_level(control), 0)
    state.roots[stage, base] = state.identifiers[stage, identifier] = root
    return root


def _switch(state: State, thread: int, stage: int, root: Root) -> None:
    known = state.thread(thread)
    before = known.current.get(stage)
    if before is root:
        return
    _complain_of_stale(state, thread, stage)
    if before is not None:
        before.users -= 1
    root.users += 1
    known.current[stage] = root
    if (root.stage, root.id) in state.stale:
        known.stale[root.stage] = (state.record, root.id)


def _complain_of_stale(state: State, thread: int, stage: int) -> None:
    """Report a switch that was never followed by the invalidation it needed."""
    pending = state.thread(thread).stale.pop(stage, None)
    if pending is not None:
        record, identifier = pending
        root = state.thread(thread).current[stage]
        message = (
            f"thread {thread} used the root {root.base:#x} from record {record} on under the "
            f"identifier {identifier}, which another root had, and invalidated nothing"
        )
        state.advise("switch-without-tlbi", message, root.base)


def end(state: State) -> None:
    """Report what only the end of the trace shows."""
    for unclean in list(state.suspected.values()):
        state.accuse(unclean)
    for number in list(state.threads):
        for stage in list(state.threads[number].stale):
            _complain_of_stale(state, number, stage)


def hint(state: State, thread: int, kind: str, location: int, value: int) -> None:
    """Take a hint about which locks, roots and threads own what."""
    if kind == "set_root_lock":
        _set_root_lock(state, location, value)
    elif kind == "set_owner_root":
        _set_owner_root(state, location, value)
    elif kind == "release_table":
        _release(state, location)
    elif kind == "set_pte_thread_owner":
        _set_thread_owner(state, location, value)


def _set_root_lock(state: State, root: int, number: int) -> None:
    """Remember the lock of a root; the address 0 is none."""
    if number:
        state.root_locks[root] = number
    else:
        state.root_locks.pop(root, None)


def _set_owner_root(state: State, location: int, root: int) -> None:
    page = location & -PAGE
    if location != page and page in state.tables:
        message = f"set_owner_root for {location:#x}, within the table {page:#x}"
        raise Violation("owner-root-unaligned", message, location & -8)
    if state.casemate:
        return
    state.page_owners[page] = root
    table = state.tables.get(page)
    if table is not None:
        state.move(table, None, owner=root)


def _release(state: State, base: int) -> None:
    table = state.tables.get(base)
    unclean = first_unclean(table) if table is not None else None
    if unclean is not None:
        message = f"the table {base:#x} is released with an unclean entry at {unclean:#x}"
        raise Violation("release-unclean", message, unclean)
    if state.casemate and base & -PAGE not in state.tables:
        return
    root = table.root if table is not None else None
    if root is None or root.base != base:
        raise Violation("release-not-root", f"{base:#x} is no root", base)
    if root.users:
        message = (
            f"the root {base:#x} is released and still in the register of {root.users} threads"
        )
        raise Violation("release-in-use", message, base)
    assert table is not None
    untrack(state, table)
    del state.roots[root.stage, base]
    del state.identifiers[root.stage, root.id]
    state.stale.add((root.stage, root.id))


def _set_thread_owner(state: State, address: int, thread: int) -> None:
    location = state.location(address)
    if location is None:
        state.memory.settle()
        if not state.memory.is_initialised(address):
            message = f"set_pte_thread_owner for {address:#x}, which was never initialised"
            raise Violation("owner-uninitialised", message, address)
        message = f"set_pte_thread_owner for {address:#x}, which is no entry"
        raise Violation("owner-not-pte", message, address)
    table, slot = location
    if table.level != 3:
        message = f"set_pte_thread_owner for {address:#x}, an entry of level {table.level}"
        raise Violation("owner-not-last-level", message, address)
    state.set_thread(table, slot, None if thread == NO_THREAD else thread)


def lock(state: State, thread: int, address: int, kind: str) -> None:
    """Take a lock (`lock`, `trylock`) or give it back (`unlock`)."""
    held = state.locks.get(address)
    if kind == "unlock":
        _unlock(state, thread, address, held)
    elif held is None:
        take(state, thread, address)
    elif kind == "lock":
        message = f"thread {thread} takes the lock {address:#x}, which thread {held.thread} holds"
        raise Violation("already-held", message)
    elif held.thread != thread:
        message = f"thread {thread} gets the lock {address:#x}, which thread {held.thread} holds"
        raise Violation("trylock-other", message)
    else:
        held.count += 1


def take(state: State, thread: int, address: int) -> None:
    """Make the thread the holder of the lock."""
    drop(state, address)
    state.locks[address] = Lock(thread, record=state.record)
    state.thread(thread).locks.add(address)


def drop(state: State, address: int) -> None:
    """Make no one the holder of the lock."""
    held = state.locks.pop(address, None)
    if held is not None:
        state.thread(held.thread).locks.discard(address)


def _unlock(state: State, thread: int, address: int, held: Lock | None) -> None:
    if held is None:
        message = f"thread {thread} releases the lock {address:#x}, which no thread holds"
        raise Violation("not-held", message)
    if held.thread != thread:
        message = f"thread {thread} releases the lock {address:#x} of thread {held.thread}"
        raise Violation("held-by-other", message)
    held.count -= 1
    if held.count == 0:
        drop(state, address)
