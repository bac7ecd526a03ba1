"""Batches of records on their way through filters."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from inst.errors import InstError
from inst.trace.model import Array, Trace
from inst.trace.place import Locate


@dataclass(slots=True)
class Source:
    """One input: the trace, what explains it, and the damage reading ended with."""

    trace: Trace
    locator: Locate | None = None
    given_arch: str = ""
    failure: InstError | None = None

    @property
    def arch(self) -> str:
        """Return the instruction set: what the user named, or what the trace records."""
        return self.given_arch or self.trace.facts.arch


@dataclass(frozen=True, slots=True)
class Batch:
    """Consecutive records of one source: a structured array, or a list of text records."""

    records: Any
    source: Source
    version: int = 0
    tail: bytes = b""
    """Bytes after the last record that are none: white space, a producer's verdict."""
    first: int = -1
    """Ordinal of the first record in its file; -1 where a filter has changed the records."""

    def __len__(self) -> int:
        return len(self.records)

    def take(self, keep: Array, forgotten: Array | None = None) -> Self:
        """Return the batch with only the records that the mask names.

        Where a removed record describes later ones, that is remembered, unless it
        is among the `forgotten` ones.
        """
        if keep.all():
            return self
        if isinstance(self.records, np.ndarray):
            return replace(self, records=self.records[keep], first=-1)
        kept = [self.records[row] for row in np.flatnonzero(keep).tolist()]
        return replace(self, records=kept, first=-1)

    def part(self, start: int, end: int) -> Self:
        """Return a stretch of the records; the tail goes with the last one."""
        tail = self.tail if end >= len(self) else b""
        first = self.first + start if self.first >= 0 else -1
        return replace(self, records=self.records[start:end], tail=tail, first=first)


Batches = Iterator[Batch]


def stack(parts: list[Any]) -> Any:
    """Put pieces of records together (numpy.concatenate would swap their bytes)."""
    if len(parts) == 1:
        return parts[0]
    if isinstance(parts[0], np.ndarray):
        return np.frombuffer(b"".join(part.tobytes() for part in parts), parts[0].dtype)
    return [record for part in parts for record in part]


def text_batches(source: Source, *, accesses: bool) -> Batches:
    """Yield the batches of a trace whose records are text."""
    for batch in source.trace.batches():
        yield Batch(batch.records, source, tail=batch.tail)
