"""What one thread did to memory before any other acted: columns, and no table of cells.

One thread alone cannot race, so its accesses matter only once a second thread acts; until then
they are appended to columns, and those that later ones replace are left out from time to time.
Memory that was freed is an exception: an access to it is found at once. Freed blocks and ranges
are few, and stay in the tables of `History`; the accesses of a batch are compared with the
cells and pages that have freed bytes. If any meets one, all is put into the tables, and
`History` goes on from the beginning of that batch, as it does when a second thread acts.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from inst.check.race_history import (
    CELL,
    LARGEST,
    PAGE,
    SMALL_BLOCK,
    Access,
    Accesses,
    History,
    freed,
    is_unseen,
    parts_of,
    pieces_of,
    ranges_of,
)
from inst.trace.model import Array

ROOM = 1 << 18
"""Accesses that wait at least until those that later ones replaced are left out."""
_COLUMNS = (
    ("cell", "u8"), ("mask", "u1"), ("writes", "?"), ("place", "i8"), ("time", "i8"),
    ("record", "u8"), ("pc", "u8"), ("site", "u4"), ("calls", "u4"),
)  # fmt: skip
_READS, _WRITES, _FORGETS = 0, 1, 2
"""What happens to the bytes of an `_Event`: as by an access to all of them, or `forget`."""
_BEFORE, _AT, _AFTER = 1, 2, 3
"""Places of one row of a batch: before its step, itself, after its step."""
PLACES = 4

Columns = dict[str, Array]


class Step(NamedTuple):
    """What the ordering events of a batch mean for memory: a row, and what happens with it."""

    row: int
    start: int
    size: int
    freed_at: tuple[int, int, int] | None
    """Record, pc and site of what frees a block; none where it is given."""


class _Event(NamedTuple):
    """Something that happens to all bytes of a range, between accesses."""

    start: int
    end: int
    place: int
    effect: int
    bound: int = 0
    """Of forgetting: the last time whose accesses are forgotten."""


class _Journal(dict[int, Accesses]):
    """A table that remembers its changes, so that they can be looked up and undone."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0
        """The place of the changes that come."""
        self.changes: list[tuple[int, int, Accesses]] = []
        """Key, place, and what is there from then on."""
        self._before: dict[int, Accesses] = {}

    def __setitem__(self, key: int, value: Accesses) -> None:
        self._before.setdefault(key, self.get(key, ()))
        self.changes.append((key, self.now, value))
        super().__setitem__(key, value)

    def __delitem__(self, key: int) -> None:
        self._before.setdefault(key, self[key])
        self.changes.append((key, self.now, ()))
        super().__delitem__(key)

    def pop(self, key: int, *default: Any) -> Any:
        value = self.get(key)
        if value is None:
            return super().pop(key, *default)
        del self[key]
        return value

    def keep(self) -> None:
        self.changes, self._before = [], {}

    def undo(self) -> None:
        for key, value in self._before.items():
            if value:
                super().__setitem__(key, value)
            else:
                super().pop(key, None)
        self.keep()

    def versions(self, keys: Array) -> tuple[Array, Array, list[Accesses]]:
        """Return the keys among these that had freed bytes, at which places they changed, and
        what was there from then on; ordered by both. What was there before has place -1."""
        wanted = set(keys.tolist())
        known = (self.keys() & wanted) | (self._before.keys() & wanted)
        first = [(key, -1, self._before.get(key, self.get(key, ()))) for key in known]
        rows = first + [change for change in self.changes if change[0] in wanted]
        rows.sort(key=lambda row: row[:2])
        return (
            np.array([row[0] for row in rows], "u8"),
            np.array([row[1] for row in rows], "i8"),
            [row[2] for row in rows],
        )


class Alone:
    """The history of the only thread."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._cells, self._pages = _Journal(), _Journal()
        self._history = History(self._cells, self._pages)
        """Freed blocks, and ranges."""
        self._base: Columns = {name: np.zeros(0, kind) for name, kind in _COLUMNS}
        """What has been kept, ordered by cell and place."""
        self._fresh: list[Columns] = []
        self._events: list[_Event] = []
        self._waiting = 0
        """How many accesses, and cells of events, came since."""
        self._begin = 0
        """The place of the first row of the batch."""

    def take(
        self, rows: Array, calls: Array, access: Array, ordering: Array, times: Array,
        steps: list[Step],
    ) -> bool:  # fmt: skip
        """Take a batch, unless an access of it meets memory that was freed.

        `times` has the thread's time at each row. Return whether the batch was taken.
        """
        self._long_before, self._frees_before = self._history.long, self._history.frees
        events: list[_Event] = []
        fits = self._happen(rows, calls, access, ordering, times, steps, events)
        small = np.flatnonzero(access & (rows["size"] <= LARGEST))
        columns = (rows[name][small] for name in ("address", "size", "kind"))
        where, cells, masks, writes = pieces_of(*columns)
        where = small[where]
        if not fits or self._meets(rows, where, cells, masks):
            self._cells.undo()
            self._pages.undo()
            self._history.long, self._history.frees = self._long_before, self._frees_before
            return False
        self._cells.keep()
        self._pages.keep()
        self._append(rows, calls, times, (where, cells, masks, writes), np.cumsum(ordering))
        self._events += events
        self._begin += PLACES * len(rows)
        most = len(self._base["cell"]) + self._waiting + 1
        self._waiting += sum(min((e.end - e.start) // CELL + 1, most) for e in events)
        if self._waiting > max(ROOM, 2 * len(self._base["cell"])):
            self._compact()
        return True

    def _happen(
        self, rows: Array, calls: Array, access: Array, ordering: Array, times: Array,
        steps: list[Step], events: list[_Event],
    ) -> bool:  # fmt: skip
        """Let blocks be freed and given, and ranges be accessed; return whether nothing that
        was freed is met by a range."""
        borders = np.flatnonzero(ordering)
        todo: list[tuple[int, Step | tuple[int, int] | Array]] = [
            (PLACES * step.row + _AT, step) for step in steps
        ]
        unseen = access & is_unseen(rows)
        if (self._history.frees or any(step.freed_at for step in steps)) and unseen.any():
            at = np.flatnonzero(unseen)
            before = np.concatenate([[-1], borders])[np.searchsorted(borders, at)]
            places = PLACES * (before + 1) + _BEFORE
            columns = (rows[name][at].tolist() for name in ("address", "size"))
            todo += zip(places.tolist(), zip(*columns, strict=True), strict=True)
        for part in _by_step(np.flatnonzero(access & (rows["size"] > LARGEST)), borders):
            next_border = np.searchsorted(borders, part[0])
            last = int(borders[next_border]) if next_border < len(borders) else len(rows)
            todo.append((PLACES * (last - 1) + _AFTER, part))
        for place, what in sorted(todo, key=lambda item: item[0]):
            self._cells.now = self._pages.now = place
            if isinstance(what, Step):
                self._block(what, int(times[what.row]), events, place)
            elif isinstance(what, tuple):
                self._history.reuse(what[0], what[0] + what[1])
            else:
                time = int(times[what[0]])
                for each in ranges_of(rows[what], calls[what], self._number, time):
                    effect = _WRITES if each.writes else _READS
                    events.append(_Event(each.start, each.end, self._begin + place, effect))
                    if any(self._history.at_range(each, {self._number: time})):
                        return False
        return True

    def _block(self, step: Step, time: int, events: list[_Event], place: int) -> None:
        end = step.start + step.size
        if step.freed_at:
            self._free(freed(step.start, step.size, self._number, time, step.freed_at), time)
            events.append(_Event(step.start, end, self._begin + place, _WRITES))
        else:
            if not self._take_back(step.start, end):
                self._history.forget(step.start, end, {self._number: time - 1})
            events.append(_Event(step.start, end, self._begin + place, _FORGETS, time - 1))

    def _take_back(self, start: int, end: int) -> bool:
        """Do what `History.forget` does of a small block, if no freed byte of its cells stays."""
        if self._pages or self._history.long or end - start > SMALL_BLOCK:
            return False
        cells = self._cells
        first, last = start // CELL, (end - 1) // CELL
        before, after = (1 << start % CELL) - 1, -1 << end - last * CELL
        for cell, mask in ((first, before), (last, after)):
            if any(old.mask & mask for old in cells.get(cell, ())):
                return False
        for cell in range(first, last + 1):
            if cell in cells:
                del cells[cell]
        return True

    def _free(self, access: Access, time: int) -> None:
        """Do what `History.free` does where one thread acts, which finds nothing."""
        if access.end - access.start > SMALL_BLOCK:
            for _ in self._history.free(access, {self._number: time}):
                pass
            return
        self._history.frees = True
        cells = self._cells
        for cell, part in parts_of(access):
            before = cells.get(cell)
            cells[cell] = (
                (*(old for old in before if old.mask & ~part.mask), part) if before else (part,)
            )

    def _meets(self, rows: Array, where: Array, cells: Array, masks: Array) -> bool:
        """Return whether an instruction accesses memory that was freed before."""
        if not self._history.frees or len(where) == 0:
            return False
        placed = (rows["pc"][where] != 0) | (rows["site"][where] != 0)
        where, cells, masks = where[placed], cells[placed], masks[placed]
        if len(where) == 0:
            return False
        if any(old.frees for old in (*self._long_before, *self._history.long)):
            return True
        found = _Found(self._cells, cells)
        masks_freed = [_freed_mask(entries) for entries in found.entries]
        at = found.at(cells, PLACES * where + _AT)
        if (np.array([*masks_freed, 0], "u1")[at] & masks).any():
            return True
        if not self._history.frees_ranges:
            return False
        found = _Found(self._pages, cells // np.uint64(PAGE // CELL))
        at = found.at(cells // np.uint64(PAGE // CELL), PLACES * where + _AT)
        return any(
            _overlaps(entries, cells[at == version], masks[at == version])
            for version, entries in enumerate(found.entries)
            if any(old.frees for old in entries)
        )

    def _append(
        self, rows: Array, calls: Array, times: Array, pieces: tuple[Array, ...], steps: Array
    ) -> None:
        """Append, of each cell, bytes and direction, the first access of the last step."""
        where, cells, masks, writes = pieces
        if len(where) == 0:
            return
        if (where[1:] < where[:-1]).any():  # second parts stand behind all first ones
            order = np.argsort(steps[where], kind="stable")
            where, cells, masks, writes = (column[order] for column in pieces)
        order = _order_of(cells, masks << np.uint64(1) | writes.astype("u8"))
        where, cells, masks, writes = (each[order] for each in (where, cells, masks, writes))
        step = steps[where]
        new = np.ones(len(where), bool)
        new[1:] = cells[1:] != cells[:-1]
        new[1:] |= (masks[1:] != masks[:-1]) | (writes[1:] != writes[:-1])
        begins = np.flatnonzero(new | np.concatenate([[True], step[1:] != step[:-1]]))
        last = np.ones(len(begins), bool)
        last[:-1] = new[begins[1:]]
        chosen = begins[last]
        at = where[chosen]
        columns: Columns = {name: rows[name][at] for name in ("record", "pc", "site")}
        columns |= {
            "cell": cells[chosen], "mask": masks[chosen].astype("u1"), "writes": writes[chosen],
            "place": at * PLACES + _AT + self._begin, "time": times[at], "calls": calls[at],
        }  # fmt: skip
        self._fresh.append(columns)
        self._waiting += len(at)

    def _compact(self) -> None:
        """Leave out what later accesses replaced, and what was forgotten."""
        parts = [self._base, *self._fresh]
        table = {name: np.concatenate([part[name] for part in parts]) for name, _ in _COLUMNS}
        kinds = table["mask"].astype("u8") << np.uint64(1) | table["writes"]
        order = _order_of(table["cell"], kinds)
        is_fresh = order >= len(self._base["cell"])
        again = np.zeros(len(order), bool)
        again[:-1] = (table["cell"][order[1:]] == table["cell"][order[:-1]]) & is_fresh[1:]
        again[:-1] &= kinds[order[1:]] == kinds[order[:-1]]
        order = order[~again]
        order = order[np.lexsort((table["place"][order], table["cell"][order]))]
        table = {name: column[order] for name, column in table.items()}
        mask = _masks_left(table, self._events)
        stays = mask != 0
        table["mask"] = mask
        self._base = {name: column[stays] for name, column in table.items()}
        self._fresh, self._events, self._waiting = [], [], 0

    def history(self) -> History:
        """Return the history as tables."""
        self._compact()
        table = self._base
        count = len(table["cell"])
        made = map(Access._make, zip(
            itertools.repeat(self._number, count),
            *(table[name].tolist() for name in ("time", "mask", "writes", "record", "pc", "site",
                                                "calls")),
            itertools.repeat(0), itertools.repeat(0), itertools.repeat(None),
        ))  # fmt: skip
        cells = dict(self._cells)
        for cell, group in itertools.groupby(
            zip(table["cell"].tolist(), made, strict=True), key=lambda pair: pair[0]
        ):
            own = tuple(access for _, access in group)
            freed = cells.get(cell)
            if freed:
                own = tuple(sorted((*freed, *own), key=lambda access: access.record))
            cells[cell] = own
        history = History(cells, dict(self._pages))
        history.long, history.frees = self._history.long, self._history.frees
        history.frees_ranges = self._history.frees_ranges
        return history


class _Found:
    """The versions of some entries of a table."""

    def __init__(self, table: _Journal, keys: Array) -> None:
        self._keys, self._places, self.entries = table.versions(np.unique(keys))

    def at(self, keys: Array, places: Array) -> Array:
        """Return which version of each key is there at a place; -1 for none."""
        if len(self._keys) == 0:
            return np.full(len(keys), -1)
        known, index = np.unique(self._keys, return_inverse=True)
        width = np.int64(max(int(places.max()), int(self._places.max())) + 2)
        sought = np.minimum(np.searchsorted(known, keys), len(known) - 1)
        there = known[sought] == keys
        at = np.searchsorted(index * width + self._places + 1, sought * width + places + 1,
                             side="right") - 1  # fmt: skip
        result: Array = np.where(there & (at >= 0) & (self._keys[at] == keys), at, -1)
        return result


def _by_step(rows: Array, borders: Array) -> Iterator[Array]:
    """Yield rows step by step: those between two ordering rows together."""
    if len(rows):
        step = np.searchsorted(borders, rows)
        yield from np.split(rows, np.flatnonzero(step[1:] != step[:-1]) + 1)


def _freed_mask(entries: Accesses) -> int:
    mask = 0
    for old in entries:
        mask |= old.mask
    return mask


def _overlaps(entries: Accesses, cells: Array, masks: Array) -> bool:
    """Return whether accesses to cells touch bytes of freed ranges."""
    for old in entries:
        if old.frees:
            inside = (cells >= old.start // CELL) & (cells <= (old.end - 1) // CELL)
            touched = _masks_in(cells[inside], old.start, old.end) & masks[inside].astype("u1")
            if touched.any():
                return True
    return False


def _masks_in(cells: Array, start: int, end: int) -> Array:
    """Return which bytes of cells a range has; all cells are among those it touches."""
    low = np.where(cells == start // CELL, start % CELL, 0)
    high = np.where(cells == (end - 1) // CELL, (end - 1) % CELL + 1, CELL)
    masks: Array = ((1 << high) - (1 << low)).astype("u1")
    return masks


def _order_of(cells: Array, kinds: Array) -> Array:
    """Return the order by cell, then kind (below 512), then place in these columns."""
    count = len(cells)
    width = max(count - 1, 0).bit_length()
    if count and int(cells.max()).bit_length() + 9 + width > 64:
        return np.lexsort((kinds, cells))
    keys = (cells << np.uint64(9) | kinds) << np.uint64(width) | np.arange(count, dtype="u8")
    keys.sort()
    order: Array = (keys & np.uint64((1 << width) - 1)).astype("i8")
    return order


def _masks_left(table: Columns, events: list[_Event]) -> Array:
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
        forgets = (effect[later] == _FORGETS) & (time[active] <= bound[later])
        covered = (left[active] & ~touched[later] == 0) & (effect[later] != _FORGETS)
        covered &= (effect[later] == _WRITES) | (effect[active] != _WRITES)
        left[active] = np.where(
            covered, 0, np.where(forgets, left[active] & ~touched[later], left[active])
        )
        active = active[left[active] != 0]
    result = np.zeros(count, "u1")
    own = order < count
    result[order[own]] = left[own]
    return result


def _spread(cells: Array, events: list[_Event]) -> tuple[Array, Array, Array, Array, Array]:
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
