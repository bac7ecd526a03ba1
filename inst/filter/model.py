"""What filters are made of: batches of records on their way, and the table's rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from inst.errors import InstError
from inst.filter.stf_lost import Lost, taken
from inst.trace.model import Array, Trace
from inst.trace.rst_record import RECORD
from inst.trace.rst_table import CURRENT

if TYPE_CHECKING:
    from inst.filter.view import View
    from inst.program.program import Locator

FORMATS = {"rst": "RST", "sexp": "s-expressions", "stf": "STF"}


@dataclass(slots=True)
class Source:
    """One input: the trace, what explains it, and the damage reading ended with."""

    trace: Trace
    locator: Locator | None = None
    given_arch: str = ""
    failure: InstError | None = None
    banks: str = "RF"
    """STF: which registers the trace records."""

    @property
    def format(self) -> str:
        return self.trace.format

    @property
    def arch(self) -> str:
        """Return the instruction set: what the user said, or what the trace says."""
        return self.given_arch or self.trace.facts.arch


@dataclass(frozen=True, slots=True)
class Batch:
    """Consecutive records of one source: an array of RECORD for RST, else a list."""

    records: Any
    source: Source
    version: int = CURRENT
    tail: bytes = b""
    """Bytes behind the last record that are none: white space, a producer's verdict."""
    lost: dict[int, Lost] = field(default_factory=dict)
    """STF: what was removed in front of records, by row; len(records) is behind the last."""
    events: Array | None = None
    """STF: the events of the records, where a filter asks for addresses or values."""

    def __len__(self) -> int:
        return len(self.records)

    def take(self, keep: Array, forgotten: Array | None = None) -> Batch:
        """Return the batch with only the records that the mask names.

        What an STF record that goes told of registers is remembered, unless it is forgotten.
        """
        if keep.all():
            return self
        if isinstance(self.records, np.ndarray):
            return replace(self, records=self.records[keep])
        if self.source.format == "stf":
            records, lost = taken(self.records, self.lost, keep, forgotten, self.source.banks)
            return replace(self, records=records, lost=lost)
        kept = [self.records[row] for row in np.flatnonzero(keep).tolist()]
        return replace(self, records=kept)

    def part(self, start: int, end: int) -> Batch:
        """Return a stretch of the records; the tail goes with the last one."""
        tail = self.tail if end >= len(self) else b""
        return replace(self, records=self.records[start:end], tail=tail)


def stack(parts: list[Any]) -> Any:
    """Put pieces of records together (numpy.concatenate would swap their bytes)."""
    if len(parts) == 1:
        return parts[0]
    if isinstance(parts[0], np.ndarray):
        return np.frombuffer(b"".join(part.tobytes() for part in parts), RECORD)
    return [record for part in parts for record in part]


def raw_records(data: bytes) -> Array:
    """Return bytes of whole RST records as an array that may be put into a batch."""
    return np.frombuffer(data, RECORD)


def insert(batch: Batch, places: list[tuple[int, bytes]]) -> Batch:
    """Put encoded RST records before the rows named, in order; row len(batch) is the end."""
    if not places:
        return batch
    parts: list[Array] = []
    start = 0
    for row, data in places:
        parts += [batch.records[start:row], raw_records(data)]
        start = row
    parts.append(batch.records[start:])
    return replace(batch, records=stack(parts))


FALSE, UNKNOWN, TRUE = 0, 1, 2
"""What a selection says of a record. UNKNOWN is for the trace's context (header, strings,
cpu switches ...), which a selection is not about: it stays. `and` is the minimum, `or` the
maximum, `not` is 2 - x."""

Batches = Iterator[Batch]
Predicate = Callable[["View"], Array]
Stage = Callable[[Batches], Batches]
Merge = Callable[[list[Batches]], Batches]
Split = Callable[[Batches], Iterator[tuple[int, Batch]]]


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument of a filter."""

    name: str
    read: Callable[[str], Any]
    """Text to value; raises `arguments.Problem`."""
    shape: str
    """How it is written, for the documentation."""
    default: Any = None
    required: bool = True


@dataclass(frozen=True, slots=True)
class Filter:
    """A row of the table of filters."""

    name: str
    kind: str
    """select (may be combined with not, and, or), change, merge (first) or split (last)."""
    summary: str
    example: str
    make: Callable[..., Any]
    """Values of the parameters to a Predicate, Stage, Merge or Split."""
    parameters: tuple[Parameter, ...] = ()
    formats: tuple[str, ...] = ("rst", "sexp", "stf")
    reason: str = ""
    """Why other formats have nothing for it."""

    @property
    def usage(self) -> str:
        """Return the name and its arguments as they are written."""
        words = [self.name]
        for parameter in self.parameters:
            shown = parameter.shape
            if not parameter.required:
                shown = f"[{parameter.name}={shown}]"
            words.append(shown)
        return " ".join(words)


@dataclass(slots=True)
class Streams:
    """The outputs of a split: opened when their first record comes."""

    open: Callable[[int], BinaryIO]
    streams: dict[int, BinaryIO] = field(default_factory=dict)
