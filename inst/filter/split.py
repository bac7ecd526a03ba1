"""One stream written to several outputs: a thread or a cpu each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from inst.errors import InstError
from inst.filter.arguments import choice
from inst.filter.model import Filter, Parameter, Split
from inst.filter.views import views
from inst.trace.batch import Batch, Batches
from inst.trace.merging import FACT_LIMIT
from inst.trace.model import Array
from inst.trace.registry import codec_of
from inst.trace.view import Keeper, View


def _split(by: str) -> Split:
    def split(batches: Batches) -> Iterator[tuple[int, Batch]]:
        parts = _Parts(by)
        for view in views(batches):
            yield from parts.take(view)
        yield from parts.end()

    return split


class _Parts:
    """Deals records out to the outputs; everyone gets what describes the whole trace."""

    def __init__(self, by: str) -> None:
        self._by = by
        self._open: dict[int, Keeper] = {}
        self._leading: list[Batch] = []
        self._count = 0
        self._last: int | None = None
        self._tail: Batch | None = None

    def take(self, view: View) -> Iterator[tuple[int, Batch]]:
        values, known = view.owner(self._by)
        common = view.frame
        rows = np.flatnonzero(known & ~common)
        owners, owned = self._owners(len(view), values, rows)
        if view.batch.tail:
            self._tail = view.batch.part(len(view), len(view))
        for owner in np.unique(values[rows]).tolist():
            if owner not in self._open:
                yield from self._start(owner, codec_of(view.batch.source.trace).keeper())
        for owner, keeper in self._open.items():
            keep = common | ~owned | (owners == owner)
            if keep.any():
                yield owner, replace(keeper.kept(view, keep), tail=b"")
        self._remember(view, common | ~owned)
        if len(rows):
            self._last = int(values[rows[-1]])

    def _owners(self, length: int, values: Array, rows: Array) -> tuple[Array, Array]:
        """Return whose each record is (that of the record before, where it names no one)."""
        which = np.searchsorted(rows, np.arange(length), side="right")
        first = np.array([self._last or 0], "u8")
        owners = np.concatenate([first, values[rows]])[which]
        return owners, (which > 0) | (self._last is not None)

    def _start(self, owner: int, keeper: Keeper) -> Iterator[tuple[int, Batch]]:
        """Open an output with what the trace has said for all so far."""
        self._open[owner] = keeper
        for batch in self._leading:
            yield owner, batch

    def _remember(self, view: View, wanted: Array) -> None:
        """Keep what an output that begins later must say, too."""
        batch = replace(view.batch.take(wanted & ~view.ends), tail=b"")
        if len(batch) and self._count < FACT_LIMIT:
            self._leading.append(batch)
            self._count += len(batch)

    def end(self) -> Iterator[tuple[int, Batch]]:
        if not self._open:
            raise InstError(f"split: no record names a {self._by}, so there is nothing to write")
        if self._tail is not None:
            for owner in self._open:
                yield owner, self._tail


_BY = "thread", "cpu"


FILTERS = (
    Filter(
        "split", "split", "Write each thread, or cpu, to a file of its own: {} in the output's "
        "name "
        "becomes the number, or it is put before the ending. What describes the whole trace goes "
        "to every one.",
        "split thread", _split, (Parameter("by", choice(*_BY), "thread|cpu"),), "threads",
        "STF has one thread",
    ),
)  # fmt: skip
