"""Walking tables: making pages part of a tree, and plain memory again."""

from __future__ import annotations

import numpy as np

from inst.check.pagetable.codes import Violation
from inst.check.pagetable.descriptor import PAGE, SLOTS, kind_of, next_table
from inst.check.pagetable.state import Root, State, Table


def track(state: State, page: int, root: Root, level: int, start: int) -> Table:
    """Walk a root's table and make all it reaches entries of the root."""
    found: dict[int, Table] = {}
    table = _walk(state, found, page, root, level, start, None, 0)
    _commit(state, found)
    return table


def track_child(state: State, parent: Table, slot: int, value: int) -> None:
    """Walk the table that an entry begins to point to."""
    found: dict[int, Table] = {}
    start = parent.range_of(slot)[0]
    page = next_table(value)
    child = _walk(state, found, page, parent.root, parent.level + 1, start, parent, slot)
    parent.children[slot] = child
    _commit(state, found)


def _commit(state: State, found: dict[int, Table]) -> None:
    state.tables.update(found)
    state.fresh += [(page >> 12, (page >> 12) + 1) for page in found]


def _walk(
    state: State,
    found: dict[int, Table],
    page: int,
    root: Root,
    level: int,
    start: int,
    parent: Table | None,
    slot: int,
) -> Table:
    """Walk slot after slot, down at tables; raise at the first slot that is wrong."""
    if page % PAGE:
        message = f"the table at {page:#x} does not begin at a page boundary"
        raise Violation("table-unaligned", message, page)
    state.memory.settle()
    row = state.memory.row(page >> 12)
    if row < 0 or not state.memory.initialised[row, 0]:
        raise _uninitialised(page)
    if page in state.tables or page in found:
        raise Violation("double-use", f"the page {page:#x} already is a table", page)
    owner = state.page_owners.get(page, root.base)
    table = Table(page, row, root, level, start, parent, slot, owner)
    found[page] = table
    last = _first_fault(state, table)
    for place, value in _links(state, table, last):
        below = table.range_of(place)[0]
        child = _walk(state, found, next_table(value), root, level + 1, below, table, place)
        table.children[place] = child
    if last < SLOTS:
        if not state.memory.initialised[row, last]:
            raise _uninitialised(page + 8 * last)
        kind_of(state.memory.get(row, last), level, page + 8 * last)
    return table


def _uninitialised(address: int) -> Violation:
    message = f"the walk meets {address:#x}, which was never initialised"
    return Violation("walk-uninitialised", message, address)


def _first_fault(state: State, table: Table) -> int:
    """Return the first slot that is uninitialised or means nothing; SLOTS if none does."""
    values = state.memory.values[table.row]
    fault = ~state.memory.initialised[table.row]
    if table.level in (0, 3):
        fault |= values & np.uint64(3) == 1
    return int(fault.argmax()) if fault.any() else SLOTS


def _links(state: State, table: Table, end: int) -> list[tuple[int, int]]:
    """Return slot and value of the entries before a slot that point to tables."""
    if table.level == 3:
        return []
    values = state.memory.values[table.row, :end]
    places = np.flatnonzero(values & np.uint64(3) == 3)
    return list(zip(places.tolist(), values[places].tolist(), strict=True))


def untrack(state: State, table: Table) -> None:
    """Make a tree's pages plain memory."""
    for each in list(table.tree()):
        for unclean in list(each.unclean.values()):
            state.drop_unclean(unclean)
        del state.tables[each.page]
        state.page_owners.pop(each.page, None)
        state.fresh.append((each.page >> 12, (each.page >> 12) + 1))
    if table.parent is not None and table.parent.children.get(table.slot) is table:
        del table.parent.children[table.slot]


def first_unclean(table: Table) -> int | None:
    """Return the address of an entry in the tree that is not clean."""
    for each in table.tree():
        for unclean in each.unclean.values():
            return unclean.address
    return None


def start_level(control: int) -> int:
    """Return the level of the root that T0SZ of a control register asks for."""
    size = 64 - (control & 0x3F)
    if not 21 <= size <= 48:
        raise Violation("input-size", f"T0SZ {control & 0x3F:#x}: an input size of {size} bits")
    return (48 - size) // 9
