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
from typing import NamedTuple

import numpy as np

from inst.check.journal import Journal, Versions
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
from inst.check.superseded import (
    COLUMNS,
    FORGETS,
    READS,
    WRITES,
    Columns,
    Event,
    compacted,
    masks_in,
    order_of,
)
from inst.trace.model import Array

ROOM = 1 << 18
"""Accesses that wait at least until those that later ones replaced are left out."""
_BEFORE, _AT, _AFTER = 1, 2, 3
"""Places of one row of a batch: before its step, itself, after its step."""
PLACES = 4


class Step(NamedTuple):
    """What the ordering events of a batch mean for memory: a row, and what happens with it."""

    row: int
    start: int
    size: int
    freed_at: tuple[int, int, int] | None
    """Record, pc and site of what frees a block; none where it is given."""


class Alone:
    """The history of the only thread."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._cells, self._pages = Journal(), Journal()
        self._history = History(self._cells, self._pages)
        """Freed blocks, and ranges."""
        self._base: Columns = {name: np.zeros(0, kind) for name, kind in COLUMNS}
        """What has been kept, ordered by cell and place."""
        self._fresh: list[Columns] = []
        self._events: list[Event] = []
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
        events: list[Event] = []
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
        steps: list[Step], events: list[Event],
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
                    effect = WRITES if each.writes else READS
                    events.append(Event(each.start, each.end, self._begin + place, effect))
                    if any(self._history.at_range(each, {self._number: time})):
                        return False
        return True

    def _block(self, step: Step, time: int, events: list[Event], place: int) -> None:
        end = step.start + step.size
        if step.freed_at:
            self._free(freed(step.start, step.size, self._number, time, step.freed_at), time)
            events.append(Event(step.start, end, self._begin + place, WRITES))
        else:
            if not self._take_back(step.start, end):
                self._history.forget(step.start, end, {self._number: time - 1})
            events.append(Event(step.start, end, self._begin + place, FORGETS, time - 1))

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
        found = Versions(self._cells, cells)
        masks_freed = [_freed_mask(entries) for entries in found.entries]
        at = found.at(cells, PLACES * where + _AT)
        if (np.array([*masks_freed, 0], "u1")[at] & masks).any():
            return True
        if not self._history.frees_ranges:
            return False
        found = Versions(self._pages, cells // np.uint64(PAGE // CELL))
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
        if (where[1:] < where[:-1]).any():  # second parts stand after all first ones
            order = np.argsort(steps[where], kind="stable")
            where, cells, masks, writes = (column[order] for column in pieces)
        order = order_of(cells, masks << np.uint64(1) | writes.astype("u8"))
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
        self._base = compacted(self._base, self._fresh, self._events)
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
            touched = masks_in(cells[inside], old.start, old.end) & masks[inside].astype("u1")
            if touched.any():
                return True
    return False
