"""The rows a user looks at: all of a trace, or those that a filter selects."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from inst.browse.filtering import Filtered
from inst.browse.index import Index
from inst.browse.lines import Line, lines_of
from inst.errors import InstError
from inst.program.program import Locator
from inst.trace.model import EVENT, Array, Flag

GROUP = 32
"""Rows that are made into text together."""
GROUPS = 128
"""Groups of lines in memory."""


class Records:
    """Rows by their place on the screen, from 0; those of a filter are numbered by themselves."""

    def __init__(self, path: str, programs: Sequence[str] = (), *, demangle: bool = True) -> None:
        """Open a trace. Raises InstError if it or a program cannot be read."""
        self.programs = tuple(programs)
        self.demangle = demangle
        self.index = Index(path)
        self.locator = self.new_locator()
        self.filter: Filtered | None = None
        self._lines: OrderedDict[int, list[Line]] = OrderedDict()
        self._events: tuple[int, Array] = (-1, np.zeros(0, EVENT))

    def new_locator(self) -> Locator | None:
        """Return what names places in the programs, for the use of one thread."""
        if not self.programs:
            return None
        return Locator(self.programs, self.index.trace, lenient=True, demangle=self.demangle)

    def __len__(self) -> int:
        return self.index.rows if self.filter is None else len(self.filter)

    def set_filter(self, chosen: Filtered | None) -> None:
        """Show the rows of a filter, or all."""
        self.filter = chosen
        self._lines.clear()

    def row(self, number: int) -> int:
        """Return which row of the trace is shown at a place."""
        return number if self.filter is None else self.filter.row(number, self.index)

    def number(self, row: int) -> int:
        """Return the place of a row of the trace, or of the next one that is shown."""
        return row if self.filter is None else self.filter.number(row, self.index)

    def line(self, number: int) -> Line | None:
        """Return the row at a place; None if there is none. Raises InstError."""
        if not 0 <= number < len(self):
            return None
        group = number // GROUP
        found = self._lines.get(group)
        if found is None or len(found) <= number % GROUP:
            found = self._lines[group] = list(self._made(group))
            if len(self._lines) > GROUPS:
                self._lines.popitem(last=False)
        self._lines.move_to_end(group)
        return found[number % GROUP] if number % GROUP < len(found) else None

    def _made(self, group: int) -> Iterator[Line]:
        numbers = range(group * GROUP, min((group + 1) * GROUP, len(self)))
        rows = np.array([self.row(number) for number in numbers])
        while len(rows):
            page = self.index.page(self.index.page_of_row(int(rows[0])))
            inside = rows[rows < page.first + len(page)]
            if not len(inside):
                raise InstError("the trace has changed since it was opened")
            for block, some in page.parts(inside - page.first):
                yield from lines_of(block, some, self.locator)
            rows = rows[len(inside) :]

    def named_by(self, line: Line) -> Line | None:
        """Return the row that names the instruction a row is about, where the row itself does not.

        That is the record of the event that it belongs to, or that came last.
        """
        if self.locator is None or line.pc is not None or line.site:
            return None
        at = self.index.page_of_record(line.record)
        for page in (at, at - 1):  # an event's first record may end a page
            events = self._events_of(page)
            event = int(np.searchsorted(events["record"], line.record, "right")) - 1
            if event >= 0:
                break
        if event < 0 or not events["flags"][event] & Flag.HAS_PC:
            return None
        pc = int(events["pc"][event])
        return replace(line, record=int(events["record"][event]), pc=pc, place=self.locator(pc))

    def _events_of(self, page: int) -> Array:
        """Return the events of a page; none of one before the first."""
        if self._events[0] != page:
            rows = self.index.events(page) if page >= 0 else ()
            self._events = (page, np.concatenate([np.zeros(0, EVENT), *rows]))
        return self._events[1]

    def close(self) -> None:
        """Let go of the trace."""
        self.index.close()
