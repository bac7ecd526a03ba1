"""Records as keys that are equal where records are: what traces are compared by."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from inst.trace.model import Array, Kind, Trace
from inst.trace.places import Places

VALUED = (Kind.READ, Kind.WRITE, Kind.SET, Kind.SYSREG, Kind.TLBI)
"""Kinds of events whose value is of memory or of a register."""


@dataclass(frozen=True, slots=True)
class Ignored:
    """What a comparison takes for equal."""

    names: frozenset[str] = frozenset()
    """Rows of the table of what can be ignored."""
    places: Places | None = None
    """Where this trace has its regions, if addresses are compared by region."""
    values_too: bool = True
    """Whether pointers among values are named by their regions, too."""

    def __contains__(self, name: str) -> bool:
        return name in self.names

    @property
    def no_addresses(self) -> bool:
        """Return whether no address is compared at all."""
        return "all-addresses" in self.names

    @property
    def pointers(self) -> Places | None:
        """Return what names pointers among values, if values are compared."""
        named = self.values_too and "values" not in self.names and not self.no_addresses
        return self.places if named else None

    @property
    def plain(self) -> Ignored:
        """Return the same with values as they are."""
        return replace(self, values_too=False)

    def addresses(self, numbers: Array) -> Array:
        """Return addresses, as u8, as they are compared."""
        if self.no_addresses:
            return np.zeros(len(numbers), "u8")
        return self.places.addresses(numbers) if self.places else numbers

    def address(self, number: int) -> int:
        """Return one address as it is compared."""
        if self.no_addresses:
            return 0
        return self.places.address(number) if self.places else number


@dataclass(frozen=True, slots=True)
class Block:
    """Consecutive rows: their ordinals in the file, their keys, and what they were."""

    index: Array
    keys: Array
    """u64, one line of columns a row."""
    rows: Sequence[Any] | Array
    plain: Array | None = None
    """The keys with values as they are where `keys` have pointers named by their regions: rows
    are equal if each column is equal in one of the two."""

    def __len__(self) -> int:
        return len(self.keys)

    def part(self, start: int, end: int | None = None) -> Block:
        plain = None if self.plain is None else self.plain[start:end]
        return Block(self.index[start:end], self.keys[start:end], self.rows[start:end], plain)

    def unequal(self, other: Block) -> Array:
        """Return which of the rows differ from those of another block of the same length."""
        columns = self.keys != other.keys
        if self.plain is not None and other.plain is not None:
            columns &= self.plain != other.plain
        return np.asarray(columns.any(axis=1))


Words = Callable[[Any, Ignored], bytes]
"""Returns what two equal records of text have in common."""


def compared_texts(trace: Trace, ignored: Ignored, words: Words) -> Iterator[Block]:
    """Yield a trace's records of text as blocks."""
    for batch in trace.batches():
        records = batch.records
        if "strings" in ignored:
            records = [r for r in records if r.kind not in ("producer", "image", "header")]
        index = np.array([record.ordinal for record in records], "i8")
        keys = _digests([words(record, ignored) for record in records])
        plain = None
        if ignored.pointers:
            plain = _digests([words(record, ignored.plain) for record in records])
        yield Block(index, keys, records, plain)


def _digests(texts: list[bytes]) -> Array:
    digests = [hashlib.blake2b(text, digest_size=16).digest() for text in texts]
    return np.frombuffer(b"".join(digests), "u8").reshape(len(texts), 2)


def describe_text(_trace: Trace, record: Any) -> tuple[str, str, dict[str, Any]]:
    """Return a record's kind, its text on one line, and its fields."""
    text = " ".join(record.text.decode("utf-8", "replace").split())
    return record.kind, text, {"text": text}
