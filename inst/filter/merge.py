"""Several inputs made one stream, by time or by thread."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from hashlib import blake2b

import numpy as np

from inst.errors import InstError
from inst.filter.arguments import choice
from inst.filter.model import Batch, Batches, Filter, Merge, Parameter, raw_records, stack
from inst.filter.rst_types import CPU, HEADER, STATUS, STRCONT, STRDESC, THREAD, TRACEINFO
from inst.filter.view import View
from inst.filter.views import views
from inst.trace.model import Array
from inst.trace.rst import STRING_LIMIT
from inst.trace.rst_record import encode

FACT_LIMIT = 1 << 14
"""Distinct leading records and strings remembered, to say them once."""


@dataclass(slots=True)
class _Input:
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
        elif view.batch.source.format == "sexp":
            values, known = view.columns("id")[0]
        else:
            codes = view.batch.records["rtype"]
            known = codes == CPU
            values = np.where(known, view.batch.records["second"], 0).astype("u8")
        rows = np.maximum.accumulate(np.where(known, np.arange(1, len(view) + 1), 0))
        padded = np.concatenate([[np.uint64(self.time)], values])
        keys = padded[rows]
        if len(keys):
            self.time = int(keys[-1])
        return keys[view.leader]


def _merge(by: str) -> Merge:
    def merge(streams: list[Batches]) -> Batches:
        inputs = [_Input(views(each), by, number) for number, each in enumerate(streams)]
        output = _Merged()
        live = [each for each in inputs if each.ready()]
        formats = {each.view.batch.source.format for each in live if each.view}
        if len(formats) > 1:
            raise InstError(
                f"cannot merge traces of {' and '.join(sorted(formats))}",
                hint="`inst convert` makes them one format",
            )
        while live:
            first = min(live, key=lambda each: (each.key, each.number))
            others = [(each.key, each.number) for each in live if each is not first]
            yield from output.take(first, _run(first, min(others, default=None)))
            live = [each for each in live if each.ready()]
        yield from output.end()

    return merge


def _run(source: _Input, other: tuple[int, int] | None) -> int:
    """Return up to which row the input may go before another one has its turn."""
    if other is None:
        return len(source.keys)
    key, number = other
    side = "right" if source.number < number else "left"
    return max(int(np.searchsorted(source.keys, key, side=side)), source.row + 1)  # type: ignore[call-overload]


class _Merged:
    """What was written so far, as a reader of the output will understand it."""

    def __init__(self) -> None:
        self._said: Counter[bytes] = Counter()
        self._version: int | None = None
        self._cpu = 0
        self._threads: dict[int, int] = {}
        self._tail = b""
        self._ending: Batch | None = None
        self._last: Batch | None = None

    def take(self, source: _Input, end: int) -> Batches:
        view = source.view
        assert view is not None
        batch = replace(view.batch, records=view.batch.records[source.row : end], tail=b"")
        self._tail = self._ending_of(view.batch.tail)
        source.row = end
        self._last = batch
        if batch.source.format == "rst":
            yield self._rst(source, batch)
        else:
            yield self._listed(source, batch)

    def _ending_of(self, tail: bytes) -> bytes:
        """A producer's verdict counts more than the white space at the end of a file."""
        return tail if tail.strip() or not self._tail else self._tail

    def end(self) -> Batches:
        if self._ending is not None:
            yield self._ending
        elif self._tail and self._last is not None:
            yield replace(self._last, records=[], tail=self._tail)

    def _listed(self, source: _Input, batch: Batch) -> Batch:
        """Leave out what an earlier input has said about itself in the same words."""
        keep = np.ones(len(batch), bool)
        for row, record in enumerate(batch.records):
            if record.kind in ("producer", "image", "header", "state"):
                words = repr((record.kind, getattr(record, "fields", record.text))).encode()
                keep[row] = self._new(source, words)
        return batch.take(keep)

    def _new(self, source: _Input, words: bytes) -> bool:
        """Return whether the input says this more often than any input before."""
        if len(self._said) > FACT_LIMIT:
            return True
        words = blake2b(words, digest_size=16).digest()
        source.said[words] += 1
        if source.said[words] <= self._said[words]:
            return False
        self._said[words] += 1
        return True

    def _rst(self, source: _Input, batch: Batch) -> Batch:
        if self._version not in (None, batch.version):
            raise InstError(
                f"{batch.source.trace.name}: the traces to merge have different versions of RST",
                hint="bring them to one with the filter `version 2.13`",
            )
        self._version = batch.version
        batch = batch.take(self._unsaid(source, batch.records))
        before = self._settle(source, batch.records)
        if before:
            batch = replace(batch, records=stack([raw_records(before), batch.records]))
        return batch

    def _unsaid(self, source: _Input, records: Array) -> Array:
        """Return which records are no repetition; STATUS EOF waits for the end."""
        codes = records["rtype"]
        keep = np.ones(len(records), bool)
        frame = np.isin(codes, (HEADER, TRACEINFO, STRDESC, STRCONT, STATUS))
        text: list[int] = []
        for row in np.flatnonzero(frame).tolist():
            code = int(codes[row])
            data = records[row : row + 1].tobytes()
            if code == STATUS and records["flags"][row] == 2:
                keep[row] = False
                end = records[row : row + 1].copy()
                assert source.view is not None
                self._ending = replace(source.view.batch, records=end, tail=b"")
            elif code in (STRCONT, STRDESC):
                if len(source.strings) < STRING_LIMIT:
                    source.strings += data
                text.append(row)
                if code == STRDESC:
                    keep[text] = self._new(source, source.strings)
                    source.strings, text = b"", []
            elif code in (HEADER, TRACEINFO):
                # A trace has one start; a different TRACEINFO says nothing of the whole.
                keep[row] = self._new(source, bytes([code]))
        return keep

    def _settle(self, source: _Input, records: Array) -> bytes:
        """Return CPU and THREAD records that must stand before what another input says."""
        before = b""
        codes = records["rtype"]
        switches = codes[(codes == CPU) | (codes == THREAD)]
        naming = len(switches) > 0 and bool(switches[0] == THREAD)
        wrong = [cpu for cpu, tid in source.threads.items() if self._threads.get(cpu) != tid]
        for cpu in wrong:
            before += encode("cpu", cpu=cpu) + encode("thread", tid=source.threads[cpu])
            self._threads[cpu], self._cpu = source.threads[cpu], cpu
        if self._cpu != source.cpu and naming:
            before += encode(
                "cpu", cpu=source.cpu, timestamp=source.time if source.by == "time" else 0
            )
        for row in np.flatnonzero((codes == CPU) | (codes == THREAD)).tolist():
            if codes[row] == CPU:
                source.cpu = int(records["word"][row]) & 0x3FF
            else:
                source.threads[source.cpu] = self._threads[source.cpu] = int(records["first"][row])
        if len(codes):
            self._cpu = source.cpu
        return before


FILTERS = (
    Filter(
        "merge", "merge", "Make one stream of several inputs: always the record with the lowest "
        "time (CPU records' timestamps; ids of s-expressions) or thread, in input order where "
        "equal. "
        "What the traces say of themselves in the same words is said once.",
        "merge time", _merge, (Parameter("by", choice("time", "thread"), "time|thread"),),
        ("rst", "sexp"), "STF has one thread and no times, and its registers are of one processor",
    ),
)  # fmt: skip
