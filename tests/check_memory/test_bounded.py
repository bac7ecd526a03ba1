"""Memory does not grow with a trace: each size in a process of its own."""

from __future__ import annotations

from functools import partial

from tests.bench import checks, memory
from tests.bench.linear import Point, alone, line_through

SHORT, LONG = 50_000, 300_000
ROOM = 8
"""MiB that two runs of one size may differ by."""


def test_break_before_make_takes_no_more_for_six_times_the_trace() -> None:
    job = partial(checks.seconds, how=checks.TOGETHER, check=True)
    short, long = (alone(job, size).memory for size in (SHORT, LONG))
    assert long <= short + ROOM, (short, long)


def test_memory_sound_remembers_memory_and_not_accesses() -> None:
    """The accesses of the longer trace walk over what the shorter one touched."""
    job = partial(memory.checked, walk=1 << 16)
    short, long = (alone(job, size).memory for size in (4 * SHORT, 4 * LONG))
    assert long <= short + ROOM, (short, long)


def test_the_line_through_measurements() -> None:
    line = line_through([Point(size, 0.5 + 2e-6 * size, 0) for size in (10, 1000, 100_000)])
    assert abs(line.fixed - 0.5) < 1e-9 and abs(line.each - 2e-6) < 1e-12
