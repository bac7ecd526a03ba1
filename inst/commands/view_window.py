"""One record of a trace with the rows around it: what `inst view --record` shows."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from inst.errors import InstError

if TYPE_CHECKING:
    from inst.trace.model import Array, Trace
    from inst.trace.rows import Block

    Chosen = tuple[Block, Array]

CONTEXT_LIMIT = 1 << 16
"""Rows of context that can be asked for: as many are remembered."""


class Window:
    """Finds the row of a record, which may be several, and shows it with its neighbours.

    A row that holds several records (a string) has the number of the first. Rows of events have
    the numbers of the records they come from.
    """

    def __init__(self, record: int, context: int) -> None:
        self.record, self._context = record, context
        self.found = -1
        """The number of the row that holds the record, once rows are yielded."""

    def around(self, chosen: Iterator[Chosen], trace: Trace) -> Iterator[Chosen]:
        """Yield the rows among the chosen ones that are to be shown."""
        before: deque[Chosen] = deque()
        after = -1  # rows that are still to come, once the record was found
        for block, rows in chosen:
            later = np.flatnonzero(block.records[rows] > self.record)
            end = int(later[0]) if len(later) and after < 0 else 0 if after >= 0 else len(rows)
            if after < 0:
                self._remember(before, block, rows[:end])
                if not len(later):
                    continue
                yield from self._shown(before)
                after = self._context
            rest = rows[end : end + after]
            after -= len(rest)
            if len(rest):
                yield block, rest
            if after == 0:
                return
        if after < 0:
            self._require(before, trace)
            yield from self._shown(before)

    def _remember(self, before: deque[Chosen], block: Block, rows: Array) -> None:
        """Add rows, and drop those that are too far before the last of them."""
        if not len(rows):
            return
        before.append((block, rows))
        self.found = int(block.records[rows[-1]])
        wanted = self._context + sum(self._own(*each) for each in before)
        total = sum(len(rows) for _, rows in before)
        while total - len(before[0][1]) >= wanted:
            total -= len(before.popleft()[1])

    def _own(self, block: Block, rows: Array) -> int:
        return int(np.count_nonzero(block.records[rows] == self.found))

    def _shown(self, before: deque[Chosen]) -> Iterator[Chosen]:
        own = sum(self._own(*each) for each in before)
        excess = sum(len(rows) for _, rows in before) - own - self._context
        for block, rows in before:
            left_out = min(max(excess, 0), len(rows))
            excess -= left_out
            if left_out < len(rows):
                yield block, rows[left_out:]

    def _require(self, before: deque[Chosen], trace: Trace) -> None:
        """Refuse a record that is after the end of the trace."""
        if self.found < self.record and self.record >= getattr(trace, "count", 0):
            last = f"its last row is record {self.found}" if before else "it has none to show"
            raise InstError(f"{trace.name} has no record {self.record}: {last}")
