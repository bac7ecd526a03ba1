"""Which thread accessed which bytes: what the check `races` compares each access with.

Accesses of instructions are stored by cells of 8 bytes. What the kernel and library functions
touch are ranges, stored by pages: a range of a megabyte is 256 entries and not 131,072.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from inst.trace.model import Array, Kind

CELL = 8
PAGE = 4096
LARGEST = 16
"""Bytes that an instruction's access may have; more is a range."""
SMALL_BLOCK = 512
"""Bytes of a block that is stored by cells when it is freed."""
PAGE_LIMIT = 32
"""Ranges that are remembered of a page: the oldest of more are forgotten."""
LONG = 1 << 24
"""Bytes from which on a range is stored whole, among as many such ranges, and not by pages."""


Clock = Mapping[int, int]


class Access(NamedTuple):
    """What a thread did to a cell: a time of its clock, and where. A tuple, since one is made
    for each access."""

    thread: int
    time: int
    mask: int
    writes: bool
    record: int
    pc: int
    site: int
    calls: int
    """The calls that led there, as `Calls` numbers them."""
    start: int = 0
    end: int = 0
    """Of a range: its bytes, within one page; its mask is not used."""
    block: tuple[int, int] | None = None
    """The block of memory that it frees, from its first byte to the one after it."""

    @property
    def frees(self) -> bool:
        return self.block is not None


Accesses = tuple[Access, ...]
Conflict = tuple[Access, Access, int]
"""Two accesses that nothing orders, the earlier one first, and a byte that both touch; or one of
memory that was freed, and where it was."""


class History:
    """What threads did to memory, as far as it can still race."""

    def __init__(self, cells: dict[int, Accesses], pages: dict[int, Accesses]) -> None:
        self._cells = cells
        self._pages = pages
        """Ranges by page."""
        self.long: Accesses = ()
        """Ranges of many pages."""
        self.frees = False
        """Whether any block was freed."""
        self.frees_ranges = False
        """Whether any of them is stored as ranges."""
        self._of_use: dict[int, Accesses] = {}
        """By page: the ranges that an access of the present step can be found with."""

    def free(self, access: Access, clock: Clock) -> Iterator[Conflict]:
        """A thread frees a block: like a write, and no access to it is allowed from then on."""
        self.frees = True
        self._of_use.clear()
        if access.end - access.start > SMALL_BLOCK:
            self.frees_ranges = True
            for part in _by_page(access):
                yield from self.at_range(part, clock)
            return
        for cell, part in parts_of(access):
            if cell in self._cells or self._pages or self.long:
                yield from self._at_cell(part, cell, clock)
            else:
                self._cells[cell] = (part,)

    def step(self, rows: Array, calls: Array, number: int, clock: Clock) -> Iterator[Conflict]:
        """Look at what a thread, which has this number, touched between two ordering events."""
        if self.frees:
            unseen = rows[is_unseen(rows)]
            for start, size in zip(
                unseen["address"].tolist(), unseen["size"].tolist(), strict=True
            ):
                self.reuse(start, start + size)
        long = rows["size"] > LARGEST
        if not long.all():
            self._of_use.clear()
            small = rows[~long], calls[~long]
            for access, cell in self._met(_accesses(*small, number, clock[number]), clock):
                yield from self._at_cell(access, cell, clock)
        for access in ranges_of(rows[long], calls[long], number, clock[number]):
            yield from self.at_range(access, clock)

    def _met(
        self, accesses: Iterable[tuple[Access, int]], clock: Clock
    ) -> Iterator[tuple[Access, int]]:
        """Yield accesses of one thread to cells where others have been; remember the rest, with
        which nothing can be found."""
        cells, of_use, ranged = self._cells, self._of_use, bool(self._pages or self.long)
        for access, cell in accesses:
            if ranged:
                page = cell // (PAGE // CELL)
                live = of_use.get(page)
                if live is None:
                    live = self._ranges_of(page, clock)
                if live:
                    yield access, cell
                    continue
            before = cells.get(cell)
            if before is None:
                cells[cell] = (access,)
                continue
            thread, writes = access.thread, access.writes
            others, stays = ~access.mask, []
            for old in before:
                if old.thread != thread or old.block is not None:
                    yield access, cell
                    break
                if old.mask & others or (old.writes and not writes):
                    stays.append(old)
            else:
                cells[cell] = (*stays, access) if stays else (access,)

    def _at_cell(self, access: Access, cell: int, clock: Clock) -> Iterator[Conflict]:
        """Compare an access with what was done to its cell, and remember it."""
        before = self._cells.get(cell)
        if before is None:
            self._cells[cell] = (access,)
        else:
            self._cells[cell] = (*_left_of(before, access.mask, access, clock), access)
            yield from self._racing(before, cell, access.mask, access, clock)
        for old in self._ranges_of(cell * CELL // PAGE, clock) if self._pages or self.long else ():
            both = access.mask & _mask_in(cell, old.start, old.end)
            if both and (_races(old, access, clock) or _is_gone(old, access, clock)):
                yield old, access, _first_byte(cell, both)

    def _ranges_of(self, page: int, clock: Clock) -> Accesses:
        """Return the ranges that a byte of a page may lie in and that could be found with it:
        of a block that was freed, or not before this time. They change between steps only."""
        known = self._of_use.get(page)
        if known is None:
            known = self._of_use[page] = tuple(
                old
                for old in (*self._pages.get(page, ()), *self.long)
                if old.block is not None or clock.get(old.thread, 0) < old.time
            )
        return known

    def at_range(self, access: Access, clock: Clock) -> Iterator[Conflict]:
        if access.end - access.start <= PAGE:
            yield from self._at_page(access, clock)
        else:
            yield from self._at_long(access, clock)

    def _at_long(self, access: Access, clock: Clock) -> Iterator[Conflict]:
        """Compare a long range with all that was done in it, and remember it."""
        first, last = access.start // CELL, (access.end - 1) // CELL
        for cell in sorted(cell for cell in self._cells if first <= cell <= last):
            yield from self._range_at_cell(access, cell, clock)
        first, last = access.start // PAGE, (access.end - 1) // PAGE
        for page in [page for page in self._pages if first <= page <= last]:
            remaining, found = _compared(self._pages[page], access, clock)
            self._pages[page] = remaining
            yield from found
        remaining, found = _compared(self.long, access, clock)
        yield from found
        self.long = (*remaining[1 - PAGE_LIMIT :], access)

    def _at_page(self, access: Access, clock: Clock) -> Iterator[Conflict]:
        """Compare a range with what was done in its page, and remember it."""
        page = access.start // PAGE
        for cell in range(access.start // CELL, (access.end - 1) // CELL + 1):
            if cell in self._cells:
                yield from self._range_at_cell(access, cell, clock)
        _, found = _compared(self.long, access, clock)
        yield from found
        remaining, found = _compared(self._pages.get(page, ()), access, clock)
        yield from found
        self._pages[page] = (*remaining[1 - PAGE_LIMIT :], access)

    def _range_at_cell(self, access: Access, cell: int, clock: Clock) -> Iterator[Conflict]:
        """Compare a range with a cell, which is forgotten where the range implies all of it."""
        mask = _mask_in(cell, access.start, access.end)
        before = self._cells.pop(cell)
        remaining = _left_of(before, mask, access, clock)
        if remaining:
            self._cells[cell] = remaining
        yield from self._racing(before, cell, mask, access, clock)

    def _racing(
        self, before: Accesses, cell: int, mask: int, access: Access, clock: Clock
    ) -> Iterator[Conflict]:
        """Yield the races of an access, which has these bytes of a cell, with earlier ones."""
        for old in before:
            both = old.mask & mask
            if both and (_races(old, access, clock) or _is_gone(old, access, clock)):
                yield old, access, _first_byte(cell, both)

    def reuse(self, start: int, end: int) -> None:
        """What code without sites writes to is in use: a library's own allocation, perhaps."""
        for block in self._blocks(start, end):
            self._drop(*block, lambda old: old.frees)

    def _blocks(self, start: int, end: int) -> set[tuple[int, int]]:
        """Return the freed blocks of which some bytes are among these."""
        found = _inside(self._cells, start // CELL, -(-end // CELL))
        if self.frees_ranges:
            found += [*_inside(self._pages, start // PAGE, -(-end // PAGE)), self.long]
        blocks = {old.block for accesses in found for old in accesses}
        return {block for block in blocks if block and block[0] < end and start < block[1]}

    def forget(self, start: int, end: int, past: Clock) -> None:
        """A thread was given this memory by an allocator: who had it until now is done with it.

        `past` is up to which of its times a thread has published something since: what it did
        then is before all from here, whatever is known of it.
        """
        self._drop(start, end, lambda old: old.frees or _is_past(old, past))

    def _drop(self, start: int, end: int, goes: Callable[[Access], bool]) -> None:
        """Forget of some bytes the accesses for which this is so."""
        for cell in _keys_inside(self._cells, start // CELL, (end - 1) // CELL + 1):
            gone = _mask_in(cell, start, end)
            left: list[Access] = []
            for old in self._cells[cell]:
                if not goes(old):
                    left.append(old)
                elif old.mask & ~gone:
                    left.append(old._replace(mask=old.mask & ~gone))
            if left:
                self._cells[cell] = tuple(left)
            else:
                del self._cells[cell]
        for page in _keys_inside(self._pages, start // PAGE, (end - 1) // PAGE + 1):
            before = self._pages[page]
            if any(old.start < end and start < old.end for old in before):
                ranges = (_without(old, start, end) if goes(old) else (old,) for old in before)
                self._pages[page] = tuple(itertools.chain.from_iterable(ranges))
        if self.long:
            long = (_without(old, start, end) if goes(old) else (old,) for old in self.long)
            self.long = tuple(itertools.chain.from_iterable(long))


def is_unseen(rows: Array) -> Array:
    """Return which rows are writes of code without sites."""
    unseen: Array = (rows["pc"] == 0) & (rows["site"] == 0) & (rows["kind"] == Kind.WRITE)
    return unseen


def freed(start: int, size: int, number: int, time: int, where: tuple[int, int, int]) -> Access:
    """Return the access of a thread that frees a block; `where` is record, pc and site."""
    end = start + size
    return Access(number, time, 0, True, *where, 0, start, end, (start, end))


def parts_of(access: Access) -> Iterator[tuple[int, Access]]:
    """Yield the cells of a small block that is freed, and its access to each."""
    start, end = access.start, access.end
    masks: dict[int, Access] = {}
    for cell in range(start // CELL, (end - 1) // CELL + 1):
        mask = _mask_in(cell, start, end)
        part = masks.get(mask)
        if part is None:
            part = masks[mask] = access._replace(mask=mask)
        yield cell, part


def _accesses(rows: Array, calls: Array, number: int, time: int) -> Iterator[tuple[Access, int]]:
    """Yield what one thread did in a step: one access for each cell, mask and direction."""
    where, cells, masks, writes = pieces_of(rows["address"], rows["size"], rows["kind"])
    chosen = _firsts(cells, masks << np.uint64(1) | writes.astype("u8"))
    chosen = chosen[np.argsort(where[chosen], kind="stable")]
    some = where[chosen]
    columns = [rows[name][some].tolist() for name in ("record", "pc", "site")]
    made = zip(
        itertools.repeat(number), itertools.repeat(time), masks[chosen].tolist(),
        writes[chosen].tolist(), *columns, calls[some].tolist(), itertools.repeat(0),
        itertools.repeat(0), itertools.repeat(None),
    )  # fmt: skip
    yield from zip(map(Access._make, made), cells[chosen].tolist(), strict=False)


def pieces_of(start: Array, size: Array, kind: Array) -> tuple[Array, Array, Array, Array]:
    """Cut accesses of up to 16 bytes into cells: row, cell, mask of bytes, whether it writes."""
    size = np.clip(size, 1, LARGEST)
    offset = start & np.uint64(CELL - 1)
    is_write = kind == Kind.WRITE
    pieces = []
    for part in range(3):
        end = np.minimum(offset + size, np.uint64(CELL * (part + 1)))
        begin = np.maximum(offset, np.uint64(CELL * part))
        there = np.flatnonzero(end > begin)
        if len(there) == 0:
            break
        width, low = (end - begin)[there], begin[there] - np.uint64(CELL * part)
        mask = ((np.uint64(1) << width) - np.uint64(1)) << low
        cell = (start[there] >> np.uint64(3)) + np.uint64(part)
        pieces.append((there, cell, mask, is_write[there]))
    if not pieces:
        return there, start[there], start[there], is_write[there]
    where, cells, masks, writes = (np.concatenate([p[n] for p in pieces]) for n in range(4))
    return where, cells, masks, writes


def _firsts(cells: Array, kinds: Array) -> Array:
    """Return where each pair of a cell and a number below 512 is first, ordered by both."""
    if int(cells.max()) < 1 << 55:
        return np.asarray(np.unique(cells << np.uint64(9) | kinds, return_index=True)[1])
    return np.asarray(np.unique(np.stack([cells, kinds]), axis=1, return_index=True)[1])


def _races(old: Access, new: Access, clock: Clock) -> bool:
    """Return whether nothing orders two accesses to the same bytes."""
    return (old.writes or new.writes) and clock.get(old.thread, 0) < old.time


def _is_gone(old: Access, new: Access, clock: Clock) -> bool:
    """Return whether an instruction accesses memory that was certainly freed before."""
    placed = new.pc != 0 or new.site != 0
    return old.frees and not new.frees and placed and clock.get(old.thread, 0) >= old.time


def _replaces(old: Access, new: Access, clock: Clock) -> bool:
    """Return whether who races with an old access races with a new one as well, byte for byte."""
    return (new.writes or not old.writes) and clock.get(old.thread, 0) >= old.time


def _left_of(before: Accesses, mask: int, access: Access, clock: Clock) -> Accesses:
    """Return the accesses to a cell that are still of use after one to these bytes of it."""
    return tuple(old for old in before if old.mask & ~mask or not _replaces(old, access, clock))


def _first_byte(cell: int, mask: int) -> int:
    return cell * CELL + (mask & -mask).bit_length() - 1


def _without(access: Access, start: int, end: int) -> Iterator[Access]:
    """Yield what is left of a range without some bytes."""
    if access.start < min(start, access.end):
        yield access._replace(end=min(start, access.end))
    if max(end, access.start) < access.end:
        yield access._replace(start=max(end, access.start))


def _mask_in(cell: int, start: int, end: int) -> int:
    """Return which bytes of a cell a range has."""
    first = max(start - cell * CELL, 0)
    last = min(end - cell * CELL, CELL)
    return (1 << last) - (1 << first) if last > first else 0


def ranges_of(rows: Array, calls: Array, number: int, time: int) -> Iterator[Access]:
    """Yield the ranges of a step, page by page, each once."""
    seen = set()
    for row, call in zip(rows, calls.tolist(), strict=True):
        start, writes = int(row["address"]), bool(row["kind"] == Kind.WRITE)
        end = start + int(row["size"])
        if (start, end, writes) in seen:
            continue
        seen.add((start, end, writes))
        yield from _by_page(
            Access(number, time, 0, writes, int(row["record"]), int(row["pc"]), int(row["site"]),
                   call, start, end)
        )  # fmt: skip


def _compared(before: Accesses, access: Access, clock: Clock) -> tuple[Accesses, list[Conflict]]:
    """Return which ranges are still of use after one, and which of them it races with."""
    remaining, found = [], []
    for old in before:
        start = max(old.start, access.start)
        if start < min(old.end, access.end) and _races(old, access, clock):
            found.append((old, access, start))
        within = access.start <= old.start and old.end <= access.end
        if not (within and _replaces(old, access, clock)):
            remaining.append(old)
    return tuple(remaining), found


def _inside(known: dict[int, Accesses], low: int, high: int) -> list[Accesses]:
    """Return what is known of the numbers of a range."""
    return [known[number] for number in _keys_inside(known, low, high)]


def _keys_inside(known: dict[int, Accesses], low: int, high: int) -> list[int]:
    """Return the numbers of a range of which something is known, the cheaper way round."""
    if high - low > len(known):
        return [number for number in known if low <= number < high]
    return [number for number in range(low, high) if number in known]


def _by_page(access: Access) -> Iterator[Access]:
    """Yield the parts of a range, each within one page; a long one as it is."""
    start = access.start
    if access.end - start >= LONG:
        yield access
        return
    while start < access.end:
        border = min(access.end, (start // PAGE + 1) * PAGE)
        yield access._replace(start=start, end=border)
        start = border


def _is_past(old: Access, past: Clock) -> bool:
    return past.get(old.thread, 0) >= old.time
