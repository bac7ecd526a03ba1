"""Accesses in columns, from which those are left out that later ones replaced.

A thread's write replaces what it did to the same bytes before, its read only the reads. Ranges
that are accessed, freed or given as a whole are events, which the columns do not have.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from inst.check.race_history import CELL
from inst.trace.model import Array
from inst.trace.ordering import stable_order

COLUMNS = (
    ("cell", "u8"), ("mask", "u1"), ("writes", "?"), ("place", "i8"), ("time", "i8"),
    ("record", "u8"), ("pc", "u8"), ("site", "u4"), ("calls", "u4"),
)  # fmt: skip

READS, WRITES, FORGETS = 0, 1, 2
"""What happens to the bytes of an `Event`: as by an access to all of them, or `forget`."""

Columns = dict[str, Array]


class Event(NamedTuple):
    """Something that happens to all bytes of a range, between accesses."""

    start: int
    end: int
    place: int
    effect: int
    bound: int = 0
    """Of forgetting: the last time whose accesses are forgotten."""


def compacted(base: Columns, fresh: list[Columns], events: list[Event]) -> Columns:
    """Return accesses without those that later ones replaced, and without what was forgotten.

    `base` is what was returned last, ordered by cell and place; `fresh` came since.
    """
    parts = [base, *fresh]
    table = {name: np.concatenate([part[name] for part in parts]) for name, _ in COLUMNS}
    kinds = table["mask"].astype("u8") << np.uint64(1) | table["writes"]
    order = order_of(table["cell"], kinds)
    is_fresh = order >= len(base["cell"])
    again = np.zeros(len(order), bool)
    again[:-1] = (table["cell"][order[1:]] == table["cell"][order[:-1]]) & is_fresh[1:]
    again[:-1] &= kinds[order[1:]] == kinds[order[:-1]]
    order = order[~again]
    order = order[np.lexsort((table["place"][order], table["cell"][order]))]
    table = {name: column[order] for name, column in table.items()}
    mask = _masks_left(table, events)
    stays = mask != 0
    table["mask"] = mask
    return {name: column[stays] for name, column in table.items()}


def order_of(cells: Array, kinds: Array) -> Array:
    """Return the order by cell, then kind (below 512), then place in these columns."""
    if len(cells) and int(cells.max()).bit_length() + 9 > 64:
        return np.lexsort((kinds, cells))
    return stable_order(cells << np.uint64(9) | kinds)


def _masks_left(table: Columns, events: list[Event]) -> Array:
    """Return which bytes of each access are of use after all that came after it.

    The table is ordered by cell and place. Each access meets what came after it in its cell
    in that order, all accesses at once: first what is next to each, then what is second ...
    """
    cells = np.unique(table["cell"])
    number, places, masks, effects, bounds = _spread(cells, events)
    count = len(table["cell"])
    cell = np.concatenate([np.searchsorted(cells, table["cell"]), number])
    order = np.lexsort((np.concatenate([table["place"], places]), cell))
    cell = cell[order]
    touched = np.concatenate([table["mask"], masks])[order]
    effect = np.concatenate([table["writes"].astype("i8"), effects])[order]
    bound = np.concatenate([np.zeros(count, "i8"), bounds])[order]
    time = np.concatenate([table["time"], np.zeros(len(number), "i8")])[order]
    left = touched.copy()
    active = np.flatnonzero(order < count)
    distance = 0
    while len(active):
        distance += 1
        later = active + distance
        active = active[later < len(cell)]
        later = active + distance
        same = cell[later] == cell[active]
        active, later = active[same], later[same]
        forgets = (effect[later] == FORGETS) & (time[active] <= bound[later])
        covered = (left[active] & ~touched[later] == 0) & (effect[later] != FORGETS)
        covered &= (effect[later] == WRITES) | (effect[active] != WRITES)
        left[active] = np.where(
            covered, 0, np.where(forgets, left[active] & ~touched[later], left[active])
        )
        active = active[left[active] != 0]
    result = np.zeros(count, "u1")
    own = order < count
    result[order[own]] = left[own]
    return result


def _spread(cells: Array, events: list[Event]) -> tuple[Array, Array, Array, Array, Array]:
    """Return what events do to those cells that there are: index of the cell, place, bytes,
    effect and bound."""
    if not events:
        empty = np.zeros(0, "i8")
        return empty, empty, empty.astype("u1"), empty, empty
    first = np.array([event.start // CELL for event in events], "u8")
    last = np.array([min((event.end - 1) // CELL, (1 << 64) - 1) for event in events], "u8")
    low, high = np.searchsorted(cells, first), np.searchsorted(cells, last, side="right")
    lengths = np.maximum(high - low, 0)
    which = np.repeat(np.arange(len(events)), lengths)
    number = np.arange(len(which)) + np.repeat(low - (np.cumsum(lengths) - lengths), lengths)
    starts = np.array([event.start % CELL for event in events])[which]
    ends = np.array([(event.end - 1) % CELL + 1 for event in events])[which]
    begin = np.where(cells[number] == first[which], starts, 0)
    end = np.where(cells[number] == last[which], ends, CELL)
    columns = (np.array([getattr(event, name) for event in events], "i8")[which]
               for name in ("place", "effect", "bound"))  # fmt: skip
    place, effect, bound = columns
    return number, place, ((1 << end) - (1 << begin)).astype("u1"), effect, bound


def masks_in(cells: Array, start: int, end: int) -> Array:
    """Return which bytes of cells a range has; all cells are among those it touches."""
    low = np.where(cells == start // CELL, start % CELL, 0)
    high = np.where(cells == (end - 1) // CELL, (end - 1) % CELL + 1, CELL)
    masks: Array = ((1 << high) - (1 << low)).astype("u1")
    return masks
