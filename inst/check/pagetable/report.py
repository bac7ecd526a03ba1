"""From a violation to a finding: the state that explains it, in words."""

from __future__ import annotations

from collections.abc import Iterator

from inst.check.pagetable.codes import Violation
from inst.check.pagetable.descriptor import PAGE, describe, is_table
from inst.check.pagetable.state import (
    FLUSHED,
    NOTHING,
    PROGRESS,
    STAGE2,
    STAGE2_SYNCED,
    SYNCED,
    State,
    Table,
    Unclean,
)

_STEPS = {
    2: ("dsb ish", "tlbi alle1is or vmalls12e1is (or ipas2e1is, dsb ish, vmalle1is)", "dsb ish"),
    1: ("dsb ish", "tlbi vae2is, vale2is or alle2is", "dsb ish"),
}

_WHOLE = {2: "tlbi alle1is or vmalls12e1is", 1: "tlbi alle2is"}


def explain_location(state: State, address: int) -> Iterator[str]:
    """Yield the state of a location, a line each."""
    location = state.location(address)
    if location is None:
        state.memory.settle()
        if state.memory.is_initialised(address):
            yield f"{address:#x}: {state.memory.value(address):#x}, plain memory"
        else:
            yield f"{address:#x}: not initialised"
        return
    table, slot = location
    value = state.memory.get(table.row, slot)
    first, end = table.range_of(slot)
    text = describe(value, table.level)
    yield f"{address:#x}: {value:#x} ({text}), state {state_of(table, slot, value)}"
    yield (
        f"level {table.level} of the stage-{table.root.stage} root {table.root.base:#x} "
        f"(identifier {table.root.id}), input addresses {first:#x} to {end - 1:#x}"
    )
    yield _authority(state, table, slot)
    unclean = table.unclean.get(slot)
    if unclean:
        yield f"the old entry was {unclean.old:#x} ({describe(unclean.old, table.level)})"
        yield from _path(unclean)


def state_of(table: Table, slot: int, value: int) -> str:
    """Return the state of an entry: V, I, or IU with its progress; frozen or not."""
    unclean = table.unclean.get(slot)
    if unclean:
        text = f"IU {unclean.progress} (invalid, unclean: {PROGRESS[unclean.progress]})"
    else:
        text = "V (valid)" if value & 1 else "I (invalid and clean)"
    return f"{text}, frozen" if table.is_frozen() else text


def _authority(state: State, table: Table, slot: int) -> str:
    owner = table.threads.get(slot)
    if owner is not None:
        return f"owned by thread {owner}"
    number = state.root_locks.get(table.owner)
    if number is None:
        return f"no lock for the root {table.owner:#x}"
    lock = state.locks.get(number)
    if lock is None:
        return f"lock {number:#x}: no thread holds it"
    power = "the next write may be plain" if lock.authorised else "a plain write was made"
    return f"lock {number:#x}: thread {lock.thread} holds it since record {lock.record}; {power}"


def _path(unclean: Unclean) -> Iterator[str]:
    record, _ = unclean.path[0]
    yield f"record {record}: made invalid by thread {unclean.thread}"
    for record, what in unclean.path[1:]:
        yield f"record {record}: {what}"


def missing(unclean: Unclean) -> str:
    """Return what must still come before the entry is clean."""
    stage = unclean.table.root.stage
    steps = _STEPS[stage]
    if is_table(unclean.old, unclean.table.level):
        # Operations by address reach no table.
        steps = ("dsb ish", _WHOLE[stage], "dsb ish")
    if unclean.progress == NOTHING:
        left = "; ".join(steps)
    elif unclean.progress == SYNCED:
        left = "; ".join(steps[1:])
    elif unclean.progress == STAGE2:
        left = "dsb ish; tlbi vmalle1is, vmalls12e1is or alle1is; dsb ish"
    elif unclean.progress == STAGE2_SYNCED:
        left = "tlbi vmalle1is, vmalls12e1is or alle1is; dsb ish"
    else:
        assert unclean.progress == FLUSHED
        left = "dsb ish"
    return f"{left}, by thread {unclean.thread} under the lock; then the new entry"


def explain(state: State, violation: Violation) -> tuple[str, ...]:
    """Return the lines about all locations that a violation names."""
    lines: list[str] = []
    for address in dict.fromkeys(violation.addresses):
        lines += explain_location(state, address)
    return tuple(lines)


def expected(state: State, violation: Violation, right: str) -> str:
    """Return what would have been right, for this very state if it can be stated."""
    if violation.code in ("unclean-to-valid", "unclean-parent", "unclean-children"):
        for address in reversed(violation.addresses):
            table = state.tables.get(address & -PAGE)
            unclean = table.unclean.get(address >> 3 & 511) if table else None
            if unclean:
                return f"first {missing(unclean)}"
    return right


def invalidated(state: State, violation: Violation) -> list[Unclean]:
    """Return the unclean entries among the locations a violation names."""
    found = []
    for address in dict.fromkeys(violation.addresses):
        table = state.tables.get(address & -PAGE)
        unclean = table.unclean.get(address >> 3 & 511) if table else None
        if unclean:
            found.append(unclean)
    return found
