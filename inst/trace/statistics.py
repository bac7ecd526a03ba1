"""Counts over a trace's events: kinds and sizes, sites, working set. One pass, in batches."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from inst.trace.model import Array, Flag, Kind, Trace

LINE, PAGE = 64, 4096
_PENDING = 1 << 20
"""Distinct numbers collected before they are merged with the known ones."""


class _Distinct:
    """Counts distinct numbers, and how often each came."""

    def __init__(self) -> None:
        self.values = np.zeros(0, "u8")
        self.counts = np.zeros(0, "i8")
        self._waiting: list[tuple[Array, Array]] = []
        self._size = 0

    def add(self, numbers: Array) -> None:
        values, counts = np.unique(numbers, return_counts=True)
        self._waiting.append((values, counts))
        self._size += len(values)
        if self._size > _PENDING:
            self.merge()

    def merge(self) -> None:
        """Bring everything added into `values` and `counts`."""
        parts = [(self.values, self.counts), *self._waiting]
        values, inverse = np.unique(np.concatenate([v for v, _ in parts]), return_inverse=True)
        counts = np.zeros(len(values), "i8")
        np.add.at(counts, inverse, np.concatenate([c for _, c in parts]))
        self.values, self.counts, self._waiting, self._size = values, counts, [], 0


@dataclass(slots=True)
class Statistics:
    """What `inst stats` prints."""

    events: int = 0
    with_value: int = 0
    kinds: dict[tuple[Kind, int], int] = field(default_factory=dict)
    """(kind, size) -> events."""
    threads: dict[int, int] = field(default_factory=dict)
    sites: list[tuple[int, str, int]] = field(default_factory=list)
    """(pc, source, accesses), the most frequent first; the pc is 0 for sites named in words."""
    distinct_sites: int = 0
    lines: int = 0
    pages: int = 0


def gather(trace: Trace) -> Statistics:
    """Return the statistics of a whole trace; on damage, of what stands before it.

    The error is raised again with the statistics as its `partial` attribute.
    """
    from inst.errors import InstError

    collector = _Collector(trace)
    try:
        for batch in trace.events():
            collector.add(batch)
    except InstError as error:
        error.partial = collector.finish()  # type: ignore[attr-defined]
        raise
    return collector.finish()


class _Collector:
    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._result = Statistics()
        self._pcs, self._sites = _Distinct(), _Distinct()
        self._lines, self._pages, self._threads = _Distinct(), _Distinct(), _Distinct()

    def add(self, batch: Array) -> None:
        result = self._result
        result.events += len(batch)
        result.with_value += int(np.count_nonzero(batch["flags"] & int(Flag.HAS_VALUE)))
        self._threads.add(batch["thread"])
        keys = batch["kind"].astype("u8") << np.uint64(32) | np.minimum(batch["size"], 0xFFFFFFFF)
        for key, count in zip(*np.unique(keys, return_counts=True), strict=True):
            kind, size = Kind(int(key) >> 32), int(key) & 0xFFFFFFFF
            result.kinds[kind, size] = result.kinds.get((kind, size), 0) + int(count)
        self._add_accesses(batch)

    def _add_accesses(self, batch: Array) -> None:
        kinds, flags = batch["kind"], batch["flags"]
        memory = (kinds == Kind.READ) | (kinds == Kind.WRITE) | (kinds == Kind.RESERVE)
        accesses = batch[memory]
        has_pc = flags[memory] & int(Flag.HAS_PC) != 0
        self._pcs.add(accesses["pc"][has_pc])
        self._sites.add(accesses["site"][accesses["site"] != 0].astype("u8"))
        known = accesses[accesses["flags"] & int(Flag.HAS_ADDRESS) != 0]
        first = known["address"]
        last = first + np.maximum(known["size"], 1) - np.uint64(1)
        for distinct, unit in ((self._lines, LINE), (self._pages, PAGE)):
            start, end = first // np.uint64(unit), last // np.uint64(unit)
            distinct.add(start)
            distinct.add(end[end != start])

    def finish(self) -> Statistics:
        result = self._result
        for distinct in (self._pcs, self._sites, self._lines, self._pages, self._threads):
            distinct.merge()
        result.lines, result.pages = len(self._lines.values), len(self._pages.values)
        result.threads = dict(
            zip(self._threads.values.tolist(), self._threads.counts.tolist(), strict=True)
        )
        texts = self._trace.sites.texts
        sites = [(pc, "", n) for pc, n in _pairs(self._pcs)]
        sites += [(0, texts[number], n) for number, n in _pairs(self._sites)]
        result.sites = sorted(sites, key=lambda site: (-site[2], site[0], site[1]))
        result.distinct_sites = len(sites)
        return result


def _pairs(distinct: _Distinct) -> list[tuple[int, int]]:
    return list(zip(distinct.values.tolist(), distinct.counts.tolist(), strict=True))
