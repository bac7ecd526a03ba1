"""Searches among a trace's rows, forwards and backwards, page by page."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from inst.browse.filtering import Choose
from inst.browse.index import Index
from inst.browse.lines import texts_of
from inst.browse.records import Records
from inst.errors import InstError
from inst.trace import open_trace
from inst.trace.model import Array, Kind
from inst.trace.rows import Block

Match = Callable[[int], Array]
"""Returns which rows of a page are looked for: their numbers in the trace, ascending."""

TOUCHING = (Kind.READ, Kind.WRITE, Kind.RESERVE, Kind.INIT, Kind.FREE, Kind.SET)
"""Events that touch memory: from their address on, as many bytes as their size."""
NONE = np.zeros(0, "i8")


@dataclass(frozen=True, slots=True)
class Search:
    """What is looked for, and how it is named to the user."""

    what: str
    match: Match


def text_search(records: Records, text: str, *, regular: bool) -> Search:
    """Look for lines with a text, in small and capital letters alike if it has no capital ones.

    `regular`: it is a regular expression. Raises InstError if that is none.
    """
    choose = text_filter(records, text, regular=regular)

    def match(number: int) -> Array:
        page = records.index.page(number)
        found, start = [NONE], page.first
        for block in page.blocks:
            found.append(start + choose(block))
            start += len(block)
        return np.concatenate(found)

    return Search(f"line with {text!r}", match)


def text_filter(records: Records, text: str, *, regular: bool = False) -> Choose:
    """Return what chooses lines with a text, as in `text_search`."""
    pattern = _pattern_of(text, regular=regular)
    locator = records.new_locator()

    def choose(block: Block) -> Array:
        lines = texts_of(block, locator)
        if not regular and _lack(lines, text):
            return NONE
        return np.flatnonzero([pattern.search(line) is not None for line in lines])

    return choose


def _lack(lines: list[str], text: str) -> bool:
    """Return whether no line has a text, for sure: letters beyond ASCII have cases of their own."""
    together = "\n".join(lines)
    return together.isascii() and text.lower() not in together.lower()


def _pattern_of(text: str, *, regular: bool) -> re.Pattern[str]:
    """Return what finds a text or a regular expression. Raises InstError if that is none."""
    try:
        flags = re.IGNORECASE if text == text.lower() else 0
        return re.compile(text if regular else re.escape(text), flags)
    except (re.error, OverflowError, RecursionError) as error:
        raise InstError(f"not a regular expression: {error}") from None


def address_search(records: Records, address: int) -> Search:
    """Look for records of accesses that touch an address."""
    index = records.index
    of_page = _Addresses(index).events if not index.trace.events_resume else index.events

    def match(number: int) -> Array:
        found = [rows["record"][touches(rows, address)] for rows in of_page(number)]
        wanted = np.concatenate([NONE, *found]).astype("i8")
        if not len(wanted):
            return NONE
        page = index.page(number)
        at = np.searchsorted(page.records, wanted, "right") - 1
        return page.first + np.unique(at[at >= 0])

    return Search(f"access of {address:#x}", match)


def touches(rows: Array, address: int) -> Array:
    """Return which events touch an address."""
    wanted = np.uint64(address)
    size = np.maximum(rows["size"], 1)
    inside = (rows["address"] <= wanted) & (wanted - rows["address"] < size)
    return np.asarray(inside & np.isin(rows["kind"], TOUCHING), "?")


class _Addresses:
    """The events of a trace that is read from its front: those of earlier pages once more."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._next = 1 << 63
        self._batches: Iterator[Array] = iter(())
        self._rest: Array | None = None

    def events(self, number: int) -> Iterator[Array]:
        """Yield the events of a page's records."""
        starts = self._index.starts
        first = starts[number].mark.record
        end = starts[number + 1].mark.record if number + 1 < len(starts) else 1 << 63
        if first < self._next:
            self._batches, self._rest = self._all(), None
        self._next = end
        while (
            rows := self._rest if self._rest is not None else next(self._batches, None)
        ) is not None:
            self._rest = None
            own = rows[(rows["record"] >= first) & (rows["record"] < end)]
            if len(own):
                yield own
            later = rows[rows["record"] >= end]
            if len(later):
                self._rest = later
                return

    def _all(self) -> Iterator[Array]:
        trace = open_trace(self._index.path)
        try:
            yield from trace.events()
        except InstError:
            return  # the index reports it
        finally:
            trace.close()


def thread_search(records: Records, thread: int | None) -> Search:
    """Look for records of another thread than one; of any, if it is None."""

    def match(number: int) -> Array:
        page = records.index.page(number)
        threads, known = page.threads
        other = known if thread is None else known & (threads != np.uint64(thread))
        return page.first + np.flatnonzero(other)

    return Search("record of another thread", match)


def find(
    records: Records,
    search: Search,
    start: int,
    *,
    forwards: bool,
    cancelled: Callable[[], bool] = bool,
    progress: Callable[[int], object] = bool,
) -> int | None:
    """Return the next row after (or before) a row of the trace that is looked for, and shown.

    Forwards, pages that are still to come are waited for. `progress` is told the row where a page
    begins. Raises InstError.
    """
    index = records.index
    number = max(index.page_of_row(start), 0)
    while number >= 0 and not cancelled() and index.wait(number, cancelled):
        progress(index.starts[number].row)
        rows = search.match(number)
        rows = rows[rows > start] if forwards else rows[rows < start]
        if records.filter is not None and len(rows):
            page = index.page(number)
            rows = rows[records.filter.mask(page)[rows - page.first]]
        if len(rows):
            return int(rows[0 if forwards else -1])
        number += 1 if forwards else -1
    return None
