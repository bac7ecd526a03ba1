"""Counts over a trace's events: kinds, opcodes, sites, working set, reuse. One pass, in batches."""

from __future__ import annotations

import heapq
import itertools
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from inst.program.longer import Longer
from inst.statistics.counts import Distinct, Estimate, Frequent, Listed
from inst.statistics.reuse import BOUND, ReuseDistances
from inst.statistics.timeline import Timeline
from inst.trace import system_events
from inst.trace.model import Array, Flag, Kind, Trace
from inst.trace.tally import MEMORY, Tally, tallies, tally_of

if TYPE_CHECKING:
    from inst.program.program import Locator

LINE, PAGE, TOP = 64, 4096, 1000
PIECE = 1 << 16
"""Lines counted at once: an access to more is counted as a range."""
_LAST = (1 << 64) - 1

LINES, PAGES = 1 << 20, 1 << 18
"""Distinct lines and pages up to which the working set is exact."""
SITES, WORDS = 1 << 18, 1 << 16
THREADS, NUMBERS = 1 << 16, 1 << 10
"""Threads, and sizes of a kind, system calls and signals, that are listed by themselves."""


@dataclass(slots=True)
class Statistics:
    """The statistics that `inst stats` prints."""

    events: int = 0
    with_value: int = 0
    kinds: dict[tuple[Kind, int], int] = field(default_factory=dict)
    """(kind, size) -> events; ranges are counted in `ranges`."""
    ranges: dict[Kind, tuple[int, int]] = field(default_factory=dict)
    """READ or WRITE -> ranges that system calls and library functions touched, and bytes."""
    calls: dict[int, int] = field(default_factory=dict)
    """System call -> how often."""
    signals: dict[int, int] = field(default_factory=dict)
    """Signal -> how often a handler got it."""
    other_calls: int = 0
    other_signals: int = 0
    """Events of system calls and signals that are too many to be listed."""
    other_sizes: dict[Kind, int] = field(default_factory=dict)
    """Events of each kind whose sizes are too many to be listed."""
    threads: dict[int, int] = field(default_factory=dict)
    distinct_threads: int = 0
    other_threads: int = 0
    """Events of threads that are too many to be listed."""
    sites: list[tuple[int, str, int]] = field(default_factory=list)
    """(pc, source, accesses) of the most frequent; the pc is 0 for sites named in words."""
    distinct_sites: int = 0
    functions: dict[str, int] = field(default_factory=dict)
    """Function -> accesses, the most frequent first; empty without a program to name them."""
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
    estimates: list[Estimate] = field(default_factory=list)
    """The figures that are not exact, and by how much."""


def gather(
    trace: Trace,
    *,
    line: int = LINE,
    page: int = PAGE,
    top: int = TOP,
    locator: Locator | None = None,
    timeline: Timeline | None = None,
) -> Statistics:
    """Return the statistics of a whole trace; on damage, of the part before it.

    `line` and `page` are the bytes that working set and reuse distances are counted in;
    so many of the `top` sites are listed; `locator` names functions;
    `timeline` counts what happened when.

    The error is raised again with the statistics as its `partial` attribute.
    """
    from inst.errors import InstError

    collector = _Collector(trace, line, page, top, locator)
    try:
        for tally in tallies(trace) if timeline is None else _timed(trace, timeline):
            collector.add(tally)
    except InstError as error:
        error.partial = collector.finish()  # type: ignore[attr-defined]
        raise
    return collector.finish()


def _timed(trace: Trace, timeline: Timeline) -> Iterator[Tally]:
    """Yield the events of the trace, each of which stands for itself, and count when they came."""
    for batch in trace.events():
        timeline.add(batch)
        yield tally_of(batch)


class _Collector:
    def __init__(
        self, trace: Trace, line: int, page: int, top: int, locator: Locator | None
    ) -> None:
        self._trace, self._top = trace, top
        self._locator, self._longer = locator, Longer(trace, locator)
        self._result = Statistics(line=line, page=page)
        self._functions: Counter[str] = Counter()
        self._opcodes: Counter[str] = Counter()
        self._text: Callable[[int, int], str] | None = None
        self._pcs = Frequent(SITES, self._in_functions)
        self._sites = Frequent(SITES)
        self._words = Frequent(WORDS, self._disassembled)
        self._reuse = ReuseDistances()
        self._lines, self._pages = Distinct(LINES), Distinct(PAGES)
        self._threads, self._thread_count = Listed(THREADS), Distinct(THREADS)
        self._sizes: dict[int, Listed] = {}
        self._calls, self._signals = Listed(NUMBERS), Listed(NUMBERS)

    def add(self, tally: Tally) -> None:
        result, events, times = self._result, tally.events, tally.times
        result.events += _total(events, times)
        valued = events["flags"] & int(Flag.HAS_VALUE) != 0
        result.with_value += int(np.count_nonzero(valued) if times is None else times[valued].sum())
        self._threads.add(tally.threads, tally.of_thread)
        self._thread_count.add(tally.threads)
        ranges = system_events.ranges(events)
        self._add_system(events, ranges, times)
        kinds = events["kind"]
        for kind in np.flatnonzero(np.bincount(kinds)).tolist():
            chosen = (kinds == kind) & ~ranges
            if chosen.any():
                listed = self._sizes.setdefault(kind, Listed(NUMBERS))
                listed.add(events["size"][chosen], _of(times, chosen))
        self._add_words(events, times)
        self._add_sites(events, times)
        self._add_touched(tally.address, tally.size)

    def _add_system(self, events: Array, ranges: Array, times: Array | None) -> None:
        """Count system calls, signals, and the ranges that calls touched."""
        result = self._result
        for kind in (Kind.READ, Kind.WRITE) if ranges.any() else ():
            chosen = ranges & (events["kind"] == kind)
            sizes, count_of = events["size"][chosen], _of(times, chosen)
            count, size = result.ranges.get(kind, (0, 0))
            if len(sizes):
                total = _sum(sizes if count_of is None else sizes * count_of.astype("u8"))
                result.ranges[kind] = count + _total(sizes, count_of), size + total
        calls = system_events.calls(events)
        self._calls.add(events["value"][calls], _of(times, calls))
        signals = system_events.signals(events, self._trace)
        self._signals.add(events["value"][signals], _of(times, signals))

    def _add_words(self, events: Array, times: Array | None) -> None:
        """Count each instruction once: several events may come of one record."""
        chosen = events["flags"] & int(Flag.HAS_WORD) != 0
        chosen[1:] &= events["record"][1:] != events["record"][:-1]
        if chosen.any():
            self._words.add(events["word"][chosen].astype("u8"), _of(times, chosen))
        rows, longer = self._longer.of(events)
        if len(rows):
            records = events["record"][rows]
            once = np.append(True, records[1:] != records[:-1])
            self._words.add(longer[once], _of(times, rows[once]))

    def _add_sites(self, events: Array, times: Array | None) -> None:
        memory = MEMORY[events["kind"]]
        located = memory & (events["flags"] & int(Flag.HAS_PC) != 0)
        self._pcs.add(events["pc"][located], _of(times, located))
        named = memory & (events["site"] != 0)
        self._sites.add(events["site"][named].astype("u8"), _of(times, named))

    def _add_touched(self, first: Array, size: Array) -> None:
        """Count lines and pages of accesses, in their order."""
        last = first + np.maximum(size, 1).astype("u8") - np.uint64(1)
        for lines in _touched(first, last, self._result.line):
            if isinstance(lines, range):
                self._lines.add_range(lines)
                self._reuse.add_range(lines)
                self._result.line_accesses += lines.stop - lines.start
                continue
            self._lines.add(lines)
            self._reuse.add(lines)
            self._result.line_accesses += len(lines)
        for pages in _touched(first, last, self._result.page):
            if isinstance(pages, range):
                self._pages.add_range(pages)
            else:
                self._pages.add(pages)

    def _in_functions(self, pcs: Array, counts: Array) -> None:
        """Count accesses in their functions: exactly, even where sites are estimated."""
        if self._locator is not None:
            for name, count in self._locator.functions(pcs, counts).items():
                self._functions[name] += count

    def _disassembled(self, words: Array, counts: Array) -> None:
        """Count instructions by mnemonic: exactly, even where words are estimated."""
        if self._text is None:
            from inst.words.disassemble import disassembler

            self._text = disassembler(self._trace.facts.arch, remembered=0)
        for word, count in zip(words.tolist(), counts.tolist(), strict=True):
            self._opcodes[self._text(word, 0).partition(" ")[0]] += count

    def finish(self) -> Statistics:
        result = self._result
        self._finish_listed()
        self._finish_sites()
        if self._words.pairs():
            self._disassembled(self._words.values, self._words.counts)
        result.opcodes = _ordered(self._opcodes)
        result.lines, result.pages = self._lines.count, self._pages.count
        self._finish_reuse()
        result.estimates += self._lines.estimate(f"lines of {result.line} bytes")
        result.estimates += self._pages.estimate(f"pages of {result.page} bytes")
        return result

    def _finish_listed(self) -> None:
        result = self._result
        for number, sizes in self._sizes.items():
            kind = Kind(number)
            result.kinds |= {(kind, size): count for size, count in sizes.counts.items()}
            if sizes.others:
                result.other_sizes[kind] = sizes.others
        result.calls, result.other_calls = self._calls.counts, self._calls.others
        result.signals, result.other_signals = self._signals.counts, self._signals.others
        result.threads = dict(sorted(self._threads.counts.items()))
        result.other_threads = self._threads.others
        result.distinct_threads = self._thread_count.count
        result.estimates += self._thread_count.estimate("threads")

    def _finish_sites(self) -> None:
        result, texts = self._result, self._trace.sites.texts
        named = self._sites.pairs()
        sites = itertools.chain(
            ((-count, pc, "") for pc, count in self._pcs.pairs()),
            ((-count, 0, texts[number]) for number, count in named),
        )
        hottest = heapq.nsmallest(self._top, sites)
        result.sites = [(pc, text, -count) for count, pc, text in hottest]
        result.distinct_sites = self._pcs.distinct.count + self._sites.distinct.count
        self._in_functions(self._pcs.values, self._pcs.counts)
        if self._locator is not None and named:
            self._functions["?"] += sum(count for _, count in named)
        result.functions = _ordered(self._functions)
        for sites_seen in (self._pcs, self._sites):
            result.estimates += sites_seen.distinct.estimate("sites")
            result.estimates += sites_seen.estimate("accesses of hottest sites")

    def _finish_reuse(self) -> None:
        reuse, result = self._reuse, self._result
        reuse.finish()
        used = np.flatnonzero(reuse.counts)
        result.reuse = reuse.counts[: int(used[-1]) + 1].tolist() if len(used) else []
        result.lines = min(result.lines, reuse.unseen)  # an estimate may be above it
        result.reuse_farther = reuse.unseen - result.lines


def _of(times: Array | None, chosen: Array) -> Array | None:
    """Return how often some events came; None where each stands for itself."""
    return None if times is None else times[chosen]


def _total(events: Array, times: Array | None) -> int:
    """Return how many events came."""
    return len(events) if times is None else int(times.sum())


def _sum(sizes: Array) -> int:
    """Return the sum of sizes, however large these are."""
    return sum(sizes.tolist())


def _ordered(counts: Counter[str]) -> dict[str, int]:
    """Return counts with the largest first."""
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _touched(first: Array, last: Array, unit: int) -> Iterator[Array | range]:
    """Yield the units that accesses touch, in order and in pieces; many of one access as a range.

    A range that would wrap around the end of the address space ends there.
    """
    start, end = first // np.uint64(unit), last // np.uint64(unit)
    end = np.where(last < first, np.uint64(_LAST // unit), end)
    if (end == start).all():
        yield start
        return
    counts = np.minimum(end - start, np.uint64(PIECE)) + np.uint64(1)
    places = np.cumsum(counts)
    row = 0
    while row < len(start):
        end_row = int(np.searchsorted(places, (places[row - 1] if row else 0) + PIECE, "right"))
        if end_row <= row:  # more than a piece by itself
            yield range(int(start[row]), int(end[row]) + 1)
            row += 1
            continue
        some = counts[row:end_row].astype("i8")
        step = np.arange(int(some.sum())) - np.repeat(np.cumsum(some) - some, some)
        yield np.repeat(start[row:end_row], some) + step.astype("u8")
        row = end_row
