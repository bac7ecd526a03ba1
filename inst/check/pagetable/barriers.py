"""Barriers and TLB invalidations: how an invalid-unclean entry becomes clean."""

from __future__ import annotations

from inst.check.pagetable.codes import Violation
from inst.check.pagetable.descriptor import is_table, shift_of
from inst.check.pagetable.operations import (
    FULL,
    LOCAL,
    STORES,
    Operation,
    Target,
    barrier,
    operation,
    target,
)
from inst.check.pagetable.state import (
    FLUSHED,
    NOTHING,
    STAGE2,
    STAGE2_SYNCED,
    SYNCED,
    Bucket,
    State,
    Unclean,
)
from inst.check.pagetable.tree import first_unclean, untrack

WRONG_SHIFTS = (0, 14, 16)
"""No shift, and those of the 16 and 64 KiB granules."""


def isb(state: State, thread: int) -> None:
    """Synchronise the thread's own context; the protocol itself does not ask for it."""
    state.thread(thread).barriers += 1


def dsb(state: State, thread: int, kind: str) -> None:
    """Wait for what the thread did before: stores, and TLB invalidations when it is a full one."""
    known = state.thread(thread)
    if state.casemate and barrier(kind) == LOCAL:
        _require_wide(state.met_by(thread), kind)
    if known.by_address:
        _dsb(state, state.powers(thread), kind)
    for number in known.locks:
        state.locks[number].authorised = True


def _dsb(state: State, powers: list[Bucket], kind: str) -> None:
    effect = barrier(kind)
    if effect == LOCAL:
        _require_wide(powers, kind)
    if effect not in (FULL, STORES):
        return
    what = f"dsb {kind}".rstrip()
    flushed: list[Unclean] = []
    for bucket in powers:
        entries = bucket.entries
        stored = list(entries[NOTHING].values())
        if effect == FULL:
            for unclean in list(entries[STAGE2].values()):
                state.advance(unclean, STAGE2_SYNCED, what)
            flushed += entries[FLUSHED].values()
        for unclean in stored:
            state.advance(unclean, SYNCED, what)
    for unclean in sorted(flushed, key=_sequence, reverse=True):
        _clean(state, unclean)


def _require_wide(powers: list[Bucket], kind: str) -> None:
    """Refuse a DSB of this processor only where others must see the invalidation."""
    unclean = max((u for b in powers for u in b.all()), key=_sequence, default=None)
    if unclean is not None:
        message = f"dsb {kind}, while {unclean.address:#x} is being invalidated everywhere"
        raise Violation("dsb-too-weak", message, unclean.address)


def _sequence(unclean: Unclean) -> int:
    return unclean.sequence


def _clean(state: State, unclean: Unclean) -> None:
    """Make an entry clean: nothing can reach what it pointed to any more."""
    table, slot = unclean.table, unclean.slot
    child = table.children.get(slot)
    if child is not None:
        other = first_unclean(child)
        if other is not None:
            message = f"the table below {unclean.address:#x} has an unclean entry at {other:#x}"
            raise Violation("unclean-children", message, unclean.address, other)
        untrack(state, child)
    state.drop_unclean(unclean)
    if table.root.stage == 1 and not state.casemate:
        barriers = state.thread(unclean.thread).barriers
        table.unsynchronised[slot] = (unclean.thread, barriers)


def force_dsb(state: State, thread: int) -> None:
    """Go on after a violation: what was flushed becomes clean, with all below it."""
    for bucket in state.powers(thread):
        for unclean in list(bucket.entries[FLUSHED].values()):
            if unclean.table.unclean.get(unclean.slot) is unclean:
                child = unclean.table.children.get(unclean.slot)
                if child is not None:
                    untrack(state, child)
                state.drop_unclean(unclean)
    for number in state.thread(thread).locks:
        state.locks[number].authorised = True


def tlbi(state: State, thread: int, name: str, operand: int) -> None:
    """Invalidate: entries that a DSB has made visible, and that the operation reaches."""
    op = operation(name)
    if op is None or op.regime == "EL3":
        return
    stage = 2 if op.regime == "EL1&0" else 1
    if not op.broadcast:
        _require_broadcast(state, thread, op, name, stage, operand)
    if state.stale:
        _refresh_identifiers(state, thread, op, stage)
    met = _met(state, thread, op, stage, operand, thread)
    for unclean in met:
        if unclean.progress == SYNCED:
            if op.regime == "EL2" or op.stages == "12":
                state.advance(unclean, FLUSHED, f"tlbi {name}")
            elif op.stages == "2":
                state.advance(unclean, STAGE2, f"tlbi {name}")
        elif unclean.progress == STAGE2_SYNCED and "1" in op.stages:
            state.advance(unclean, FLUSHED, f"tlbi {name}")
    if not state.casemate and state.thread(thread).by_address:
        _advise(state, thread, op, name, operand, met)


def _require_broadcast(
    state: State, thread: int, op: Operation, name: str, stage: int, operand: int
) -> None:
    """Refuse the local form of an operation that meets an entry, of any thread, others may hold."""
    if state.casemate:
        meets = [u for b in state.met_by(thread) if b.root.stage == stage for u in b.all()]
    else:
        meets = [
            unclean
            for holder in (thread, *(other for other in state.threads if other != thread))
            for unclean in _met(state, thread, op, stage, operand, holder)
        ]
    for unclean in meets:
        message = f"tlbi {name}, while {unclean.address:#x} is being invalidated everywhere"
        raise Violation("tlbi-not-broadcast", message, unclean.address)


def _met(
    state: State, thread: int, op: Operation, stage: int, operand: int, holder: int
) -> list[Unclean]:
    """Return the unclean entries of `holder` that the thread's operation reaches."""
    if op.by == "asid":
        return []
    if op.by in ("address", "range"):
        if stage == 2 and op.stages == "1":
            return []  # a virtual address of EL1 implies nothing about intermediate ones
        return _met_by_address(state, thread, op, target(op, operand), stage, holder)
    current = _current_id(state, thread, stage)
    return [
        unclean
        for bucket in state.powers(thread, holder)
        if bucket.root.stage == stage
        and (op.by == "all" or state.casemate or bucket.root.id == current)
        for unclean in bucket.all()
    ]


def _current_id(state: State, thread: int, stage: int) -> int | None:
    root = state.thread(thread).current.get(stage)
    return root.id if root is not None else None


def _met_by_address(
    state: State, thread: int, op: Operation, aim: Target, stage: int, holder: int
) -> list[Unclean]:
    known = state.threads.get(holder)
    if known is None or not known.by_address:
        return []
    current = state.thread(thread).current.get(2)
    return [
        unclean
        for unclean in _aimed_at(known.by_address, stage, aim)
        if not is_table(unclean.old, unclean.table.level)
        and not (state.casemate and op.last_level and unclean.table.level != 3)
        and (stage == 1 or (current is not None and unclean.table.root.id == current.id))
        and _has_power(state, thread, unclean)
    ]


def _aimed_at(
    index: dict[tuple[int, int, int], dict[int, Unclean]], stage: int, aim: Target
) -> list[Unclean]:
    """Return the entries whose input addresses meet the target, the cheaper way round."""
    found: list[Unclean] = []
    for level in range(4):
        shift = shift_of(level)
        first, last = aim.start >> shift, aim.end - 1 >> shift
        if last - first < len(index):
            for number in range(first, last + 1):
                entries = index.get((stage, level, number))
                if entries:
                    found += entries.values()
            continue
        for key, entries in index.items():
            if key[:2] == (stage, level) and first <= key[2] <= last:
                found += entries.values()
    return found


def _has_power(state: State, thread: int, unclean: Unclean) -> bool:
    owner = unclean.table.threads.get(unclean.slot)
    if state.racy or owner == thread:
        return True
    lock = state.locks.get(state.root_locks.get(unclean.table.owner, -1))
    return lock is not None and lock.thread == thread


def _refresh_identifiers(state: State, thread: int, op: Operation, stage: int) -> None:
    """Note that no entries of released roots remain under the identifiers it reaches."""
    if op.stages != "12" and stage == 2:
        return
    if op.by == "all":
        state.stale = {known for known in state.stale if known[0] != stage}
        for known in state.threads.values():
            known.stale.pop(stage, None)
    elif op.by == "vmid":
        current = _current_id(state, thread, stage)
        if current is not None:
            state.stale.discard((stage, current))
            for known in state.threads.values():
                if known.stale.get(stage, (0, -1))[1] == current:
                    del known.stale[stage]


def _advise(
    state: State, thread: int, op: Operation, name: str, operand: int, met: list[Unclean]
) -> None:
    """Report what real code gets wrong in a TLBI, though the protocol may still hold."""
    early = [unclean for unclean in met if unclean.progress == NOTHING]
    if early and len(early) == len(met):
        message = f"tlbi {name}: the write to {early[-1].address:#x} is not yet made visible"
        state.suspect(early[-1], "tlbi-before-dsb", message)
    if op.by not in ("address", "range") or (op.regime == "EL1&0" and op.stages == "1"):
        return
    aim = target(op, operand)
    for unclean in met:
        if aim.stray or (aim.hint is not None and aim.hint != unclean.table.level):
            message = (
                f"tlbi {name}: the level hint in {operand:#x} is not for "
                f"level {unclean.table.level} and 4 KiB, where {unclean.address:#x} is"
            )
            state.advise("tlbi-ttl", message, unclean.address)
            return
    if not met and op.by == "address":
        _advise_shift(state, thread, op, name, operand)


def _advise_shift(state: State, thread: int, op: Operation, name: str, operand: int) -> None:
    stage = 2 if op.regime == "EL1&0" else 1
    number = operand & (1 << 44) - 1
    for shift in WRONG_SHIFTS:
        start = number << shift & -0x1000
        aim = Target(start, start + (1 << max(shift, 12)), None, False)
        for unclean in _met_by_address(state, thread, op, aim, stage, thread):
            made = f"shifted by {shift}" if shift else "not shifted"
            message = (
                f"tlbi {name}: the operand {operand:#x} names {number << 12:#x}; "
                f"{unclean.address:#x} is the entry of {start:#x}: was the address {made}?"
            )
            state.suspect(unclean, "tlbi-operand", message)
            return
