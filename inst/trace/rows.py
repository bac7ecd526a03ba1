"""Records as lines: what a viewer selects from and prints, one shape for every format.

A `Block` holds many rows as columns, so that selecting costs a few numpy operations and
only rows that are chosen become text. Formats that are read record by record give `Row`s,
which are put together by batches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from inst.trace.model import Array


class Row(NamedTuple):
    """One record as a viewer sees it; None where the record has no such thing.

    A named tuple, since one is made for every record of a trace.
    """

    record: int
    name: str
    text: str
    """The line without its number."""
    instruction: bool
    cpu: int | None
    thread: int | None
    pc: int | None
    address: int | None
    fields: Callable[[], dict[str, Any]]
    """The record's fields by name, for machine output."""


class Column(NamedTuple):
    """Numbers of which some are missing."""

    values: Array
    known: Array

    @classmethod
    def of(cls, numbers: Iterable[int | None], count: int) -> Column:
        items = list(numbers)
        known = np.fromiter((item is not None for item in items), "?", count)
        return cls(np.fromiter((item or 0 for item in items), "u8", count), known)

    @classmethod
    def missing(cls, count: int) -> Column:
        return cls(np.zeros(count, "u8"), np.zeros(count, "?"))

    def item(self, row: int) -> int | None:
        return int(self.values[row]) if self.known[row] else None

    def within(self, first: int, last: int) -> Array:
        """Return which numbers are known and in the closed range, whose ends may have any size."""
        values, most = self.values, (1 << 64) - 1
        if first > most or last < 0:
            return np.zeros(len(values), "?")
        found = (values >= np.uint64(max(first, 0))) & (values <= np.uint64(min(last, most)))
        return self.known & found


@dataclass(slots=True)
class Block:
    """Consecutive rows as columns."""

    records: Array
    kinds: Array
    """Indices into `names`."""
    names: list[str]
    instructions: Array
    cpu: Column
    thread: Column
    pc: Column
    address: Column
    texts: Callable[[Array], list[str]]
    """The lines of some rows, without their numbers."""
    fields: Callable[[int], dict[str, Any]]
    """One row's fields by name, for machine output."""
    sites: Callable[[Array], list[str]] | None = None
    """The `file:line` that records themselves name, where they do."""

    def __len__(self) -> int:
        return len(self.records)


def block_of(rows: list[Row]) -> Block:
    """Return rows as a block."""
    count = len(rows)
    numbers: dict[str, int] = {}
    kinds = [numbers.setdefault(row.name, len(numbers)) for row in rows]
    return Block(
        np.fromiter((row.record for row in rows), "i8", count),
        np.array(kinds, "i8"),
        list(numbers),
        np.fromiter((row.instruction for row in rows), "?", count),
        Column.of((row.cpu for row in rows), count),
        Column.of((row.thread for row in rows), count),
        Column.of((row.pc for row in rows), count),
        Column.of((row.address for row in rows), count),
        lambda chosen: [rows[row].text for row in chosen.tolist()],
        lambda row: rows[row].fields(),
    )
