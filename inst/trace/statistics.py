"""Counts over a trace's events: kinds, opcodes, sites, working set, reuse. One pass, in batches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from inst.trace import system_events
from inst.trace.model import Array, Flag, Kind, Trace
from inst.trace.statistics_reuse import BOUND, ReuseDistances

LINE, PAGE = 64, 4096
PIECE = 1 << 16
"""Lines counted at once: a range may have many."""
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
    """(kind, size) -> events; ranges stand in `ranges`."""
    ranges: dict[Kind, tuple[int, int]] = field(default_factory=dict)
    """READ or WRITE -> ranges that system calls and library functions touched, and bytes."""
    calls: dict[int, int] = field(default_factory=dict)
    """System call -> how often."""
    signals: dict[int, int] = field(default_factory=dict)
    """Signal -> how often a handler got it."""
    threads: dict[int, int] = field(default_factory=dict)
    sites: list[tuple[int, str, int]] = field(default_factory=list)
    """(pc, source, accesses), the most frequent first; the pc is 0 for sites named in words."""
    distinct_sites: int = 0
    opcodes: dict[str, int] = field(default_factory=dict)
    """Mnemonic -> instructions, the most frequent first; empty for traces without words."""
    line: int = LINE
    """Bytes of what counts as a line in `lines` and `reuse`."""
    page: int = PAGE
    lines: int = 0
    """Distinct lines touched."""
    pages: int = 0
    line_accesses: int = 0
    """Touches of lines: an access over a boundary touches two."""
    reuse: list[int] = field(default_factory=list)
    """Touches by reuse distance in lines: of 0, then of 2**(n-1) to 2**n - 1."""
    reuse_farther: int = 0
    """Touches of lines that were touched before, but more than `reuse_bound` lines ago."""
    reuse_bound: int = BOUND


def gather(trace: Trace, *, line: int = LINE, page: int = PAGE) -> Statistics:
    """Return the statistics of a whole trace; on damage, of what stands before it.

    `line` and `page` are the bytes that working set and reuse distances are counted in.

    The error is raised again with the statistics as its `partial` attribute.
    """
    from inst.errors import InstError

    collector = _Collector(trace, line, page)
    try:
        for batch in trace.events():
            collector.add(batch)
    except InstError as error:
        error.partial = collector.finish()  # type: ignore[attr-defined]
        raise
    return collector.finish()


class _Collector:
    def __init__(self, trace: Trace, line: int, page: int) -> None:
        self._trace = trace
        self._result = Statistics(line=line, page=page)
        self._pcs, self._sites, self._words = _Distinct(), _Distinct(), _Distinct()
        self._reuse = ReuseDistances()
        self._lines, self._pages, self._threads = _Distinct(), _Distinct(), _Distinct()

    def add(self, batch: Array) -> None:
        result = self._result
        result.events += len(batch)
        result.with_value += int(np.count_nonzero(batch["flags"] & int(Flag.HAS_VALUE)))
        self._threads.add(batch["thread"])
        ranges = system_events.ranges(batch)
        self._add_system(batch, ranges)
        rest = batch[~ranges] if ranges.any() else batch
        keys = rest["kind"].astype("u8") << np.uint64(32) | np.minimum(rest["size"], 0xFFFFFFFF)
        for key, count in zip(*np.unique(keys, return_counts=True), strict=True):
            kind, size = Kind(int(key) >> 32), int(key) & 0xFFFFFFFF
            result.kinds[kind, size] = result.kinds.get((kind, size), 0) + int(count)
        self._add_words(batch)
        self._add_accesses(batch)

    def _add_system(self, batch: Array, ranges: Array) -> None:
        """Count system calls, signals, and the ranges that calls touched."""
        result = self._result
        for kind in (Kind.READ, Kind.WRITE) if ranges.any() else ():
            sizes = batch["size"][ranges & (batch["kind"] == kind)]
            count, size = result.ranges.get(kind, (0, 0))
            if len(sizes):
                result.ranges[kind] = count + len(sizes), size + sum(sizes.tolist())
        for counts, chosen in (
            (result.calls, system_events.calls(batch)),
            (result.signals, system_events.signals(batch, self._trace)),
        ):
            numbers, times = np.unique(batch["value"][chosen], return_counts=True)
            for number, count in zip(numbers.tolist(), times.tolist(), strict=True):
                counts[number] = counts.get(number, 0) + count

    def _add_words(self, batch: Array) -> None:
        """Count each instruction once: several events may come of one record."""
        chosen = batch["flags"] & int(Flag.HAS_WORD) != 0
        chosen[1:] &= batch["record"][1:] != batch["record"][:-1]
        if chosen.any():
            self._words.add(batch["word"][chosen].astype("u8"))

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
        for lines in _touched(first, last, self._result.line):
            self._lines.add(lines)
            self._reuse.add(lines)
        for pages in _touched(first, last, self._result.page):
            self._pages.add(pages)

    def finish(self) -> Statistics:
        result = self._result
        distincts = (self._pcs, self._sites, self._lines, self._pages, self._threads, self._words)
        for distinct in distincts:
            distinct.merge()
        self._finish_reuse()
        result.opcodes = _opcodes(_pairs(self._words), self._trace.facts.arch)
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

    def _finish_reuse(self) -> None:
        reuse, result = self._reuse, self._result
        reuse.finish()
        used = np.flatnonzero(reuse.counts)
        result.reuse = reuse.counts[: int(used[-1]) + 1].tolist() if len(used) else []
        result.line_accesses = int(self._lines.counts.sum())
        result.reuse_farther = reuse.unseen - len(self._lines.values)


def _touched(first: Array, last: Array, unit: int) -> Iterator[Array]:
    """Yield the units that accesses touch, in order and by pieces; a range touches many."""
    start, end = first // np.uint64(unit), last // np.uint64(unit)
    end = np.maximum(start, end)  # not around the end of the address space
    if (end == start).all():
        yield start
        return
    counts = end - start + np.uint64(1)
    places = np.cumsum(np.minimum(counts, PIECE + 1))
    row = 0
    while row < len(start):
        behind = int(np.searchsorted(places, (places[row - 1] if row else 0) + PIECE, "right"))
        if behind <= row:  # more than a piece by itself
            for base in range(int(start[row]), int(end[row]) + 1, PIECE):
                yield np.arange(base, min(base + PIECE, int(end[row]) + 1), dtype="u8")
            row += 1
            continue
        some = counts[row:behind].astype("i8")
        step = np.arange(int(some.sum())) - np.repeat(np.cumsum(some) - some, some)
        yield np.repeat(start[row:behind], some) + step.astype("u8")
        row = behind


def _opcodes(words: list[tuple[int, int]], arch: str) -> dict[str, int]:
    """Return how many instructions have each mnemonic, the most frequent first."""
    if not words:
        return {}
    from inst.trace.disassemble import disassembler

    text = disassembler(arch)
    counts: dict[str, int] = {}
    for word, count in words:
        mnemonic = text(word, 0).partition(" ")[0]
        counts[mnemonic] = counts.get(mnemonic, 0) + count
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _pairs(distinct: _Distinct) -> list[tuple[int, int]]:
    return list(zip(distinct.values.tolist(), distinct.counts.tolist(), strict=True))
