"""Several streams of views made one: what each input has ready, and what was written so far."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from hashlib import blake2b

import numpy as np

from inst.trace.batch import Batch, Batches
from inst.trace.model import Array
from inst.trace.view import View

FACT_LIMIT = 1 << 14
"""Distinct leading records and strings remembered, to write them once."""


@dataclass(slots=True)
class Input:
    """One input of a merge: what is next of it, and by which keys it is ordered."""

    views: Iterator[View]
    by: str
    number: int
    view: View | None = None
    keys: Array = field(default_factory=lambda: np.zeros(0, "u8"))
    row: int = 0
    last_key: int = 0
    time: int = 0
    cpu: int = 0
    threads: dict[int, int] = field(default_factory=dict)
    said: Counter[bytes] = field(default_factory=Counter)
    strings: bytes = b""

    def ready(self) -> bool:
        """Have a row at hand; False at the end."""
        while self.view is None or self.row >= len(self.view):
            self.view, self.row = next(self.views, None), 0
            if self.view is None:
                return False
            self.keys = np.maximum.accumulate(
                np.concatenate([[np.uint64(self.last_key)], self._own_keys(self.view)])
            )[1:]
            if len(self.keys):
                self.last_key = int(self.keys[-1])
        return True

    @property
    def key(self) -> int:
        return int(self.keys[self.row])

    def _own_keys(self, view: View) -> Array:
        """Return the time or thread of each row; rows without one go with the row before."""
        if self.by == "thread":
            values, known = view.owner("thread")
        else:
            values, known = view.times()
        rows = np.maximum.accumulate(np.where(known, np.arange(1, len(view) + 1), 0))
        padded = np.concatenate([[np.uint64(self.time)], values])
        keys = padded[rows]
        if len(keys):
            self.time = int(keys[-1])
        return keys[view.leader]


class Merged:
    """What was written so far, as a reader of the output will understand it."""

    def __init__(self) -> None:
        self._said: Counter[bytes] = Counter()
        self._tail = b""
        self.ending: Batch | None = None
        self._last: Batch | None = None

    def take(self, source: Input, end: int) -> Batches:
        view = source.view
        assert view is not None
        batch = replace(view.batch, records=view.batch.records[source.row : end], tail=b"")
        self._tail = self._ending_of(view.batch.tail)
        source.row = end
        self._last = batch
        yield self.passed_on(source, batch)

    def _ending_of(self, tail: bytes) -> bytes:
        """A producer's verdict counts more than the white space at the end of a file."""
        return tail if tail.strip() or not self._tail else self._tail

    def end(self) -> Batches:
        if self.ending is not None:
            yield self.ending
        elif self._tail and self._last is not None:
            yield replace(self._last, records=[], tail=self._tail)

    def passed_on(self, source: Input, batch: Batch) -> Batch:
        """Leave out what an earlier input has recorded about itself in the same words."""
        keep = np.ones(len(batch), bool)
        for row, record in enumerate(batch.records):
            if record.kind in ("producer", "image", "header", "state"):
                words = repr((record.kind, getattr(record, "fields", record.text))).encode()
                keep[row] = self.is_new(source, words)
        return batch.take(keep)

    def is_new(self, source: Input, words: bytes) -> bool:
        """Return whether the input has this more often than any input before."""
        if len(self._said) > FACT_LIMIT:
            return True
        words = blake2b(words, digest_size=16).digest()
        source.said[words] += 1
        if source.said[words] <= self._said[words]:
            return False
        self._said[words] += 1
        return True
