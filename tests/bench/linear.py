"""What a job costs at several sizes: each measured in a process of its own, and the line through.

A job that is linear costs a fixed time and so much for each thing; both are printed, with how
far the worst size lies from that line. The peak memory of a process of its own says whether
memory grows with the size.
"""

from __future__ import annotations

import itertools
import multiprocessing
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

GOAL = 1_000_000
"""Things a second, at every size."""
SHORT, REPEATS = 1_000_000, 10
"""Sizes below the first are measured so often, and the least counts: other processes disturb."""


@dataclass(frozen=True, slots=True)
class Point:
    """One size, measured."""

    size: int
    seconds: float
    """Of processor time."""
    memory: int
    """MiB that the process had at most."""

    @property
    def rate(self) -> float:
        return self.size / self.seconds


@dataclass(frozen=True, slots=True)
class Line:
    """Seconds by size: what a job costs at any size, and what each thing adds."""

    fixed: float
    each: float

    def at(self, size: int) -> float:
        return self.fixed + self.each * size


def line_through(points: Sequence[Point]) -> Line:
    """Return the line that fits, least squares of the relative errors: small sizes count too."""
    weights = [1 / point.seconds**2 for point in points]
    whole = sum(weights)
    size = sum(w * p.size for w, p in zip(weights, points, strict=True)) / whole
    seconds = sum(w * p.seconds for w, p in zip(weights, points, strict=True)) / whole
    spread = sum(w * (p.size - size) ** 2 for w, p in zip(weights, points, strict=True))
    both = sum(
        w * (p.size - size) * (p.seconds - seconds) for w, p in zip(weights, points, strict=True)
    )
    each = both / spread if spread else seconds / size
    return Line(seconds - each * size, each)


def timed(source: Iterator[bytes], spent: list[float]) -> Iterator[bytes]:
    """Pass chunks on, and add up in `spent[0]` the processor time that making them takes."""
    while True:
        start = time.process_time()
        chunk = next(source, None)
        spent[0] += time.process_time() - start
        if chunk is None:
            return
        yield chunk


def _peak() -> int:
    """Return the most MiB this process had; getrusage would count the parent's before exec."""
    text = Path("/proc/self/status").read_text()
    return int(text.partition("VmHWM:")[2].split()[0]) >> 10


def _once(job: Callable[[int], float], size: int) -> tuple[float, int]:
    return job(size), _peak()


def _measured(job: Callable[[int], float], size: int) -> tuple[float, int]:
    first, memory = _once(job, size)
    more = REPEATS - 1 if size < SHORT else 0
    return min([first, *(job(size) for _ in range(more))]), memory


def alone(job: Callable[[int], float], size: int) -> Point:
    """Measure a job (size to seconds) in a fresh process."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        seconds, memory = pool.apply(_measured, (job, size))
    return Point(size, seconds, memory)


def peak(job: Callable[[int], float], size: int) -> int:
    """Return the most MiB a fresh process has that does a job once."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_once, (job, size))[1]


def show(
    title: str, job: Callable[[int], float], sizes: Sequence[int], goals: Sequence[int] = ()
) -> bool:
    """Measure and print; return whether each size reaches its goal: GOAL, where none is given."""
    print(title)
    print(f"{'size':>12} {'seconds':>9} {'a second':>12} {'peak MiB':>9}")
    points = []
    for size in sizes:
        point = alone(job, size)
        points.append(point)
        columns = f"{size:>12,} {point.seconds:>9.3f} {point.rate:>12,.0f} {point.memory:>9}"
        print(columns, flush=True)
    if len(points) > 1:
        line = line_through(points)
        worst = max(abs(point.seconds / line.at(point.size) - 1) for point in points)
        print(
            f"the line: {1000 * line.fixed:.0f} ms, and {1e6 * line.each:.3f} s a million "
            f"({1 / line.each:,.0f} a second); the worst size is {worst:.0%} off it"
        )
    wanted = itertools.chain(goals, itertools.repeat(GOAL))
    return all(point.rate >= goal for point, goal in zip(points, wanted, strict=False))
