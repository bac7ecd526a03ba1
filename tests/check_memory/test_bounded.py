"""Memory does not grow with a trace: each size in a process of its own.

A process's peak differs by some MiB from run to run, and what is kept for each record is at
least 30 bytes: lengths are a million records apart, and half of what that would take is room.
"""

from __future__ import annotations

from functools import partial

from tests.bench import checks, memory
from tests.bench.linear import Point, line_through, peak

SHORT, LONG = 200_000, 1_200_000
ROOM = 15
"""MiB."""


def test_break_before_make_takes_no_more_for_six_times_the_trace() -> None:
    job = partial(checks.seconds, how=checks.TOGETHER, check=True)
    short, long = (peak(job, size) for size in (SHORT, LONG))
    assert long <= short + ROOM, (short, long)


def test_memory_sound_remembers_memory_and_not_accesses() -> None:
    """The accesses of the longer trace walk over what the shorter one touched."""
    job = partial(memory.checked, walk=1 << 16)
    short, long = (peak(job, size) for size in (SHORT, LONG))
    assert long <= short + ROOM, (short, long)


def test_the_line_through_measurements() -> None:
    line = line_through([Point(size, 0.5 + 2e-6 * size, 0) for size in (10, 1000, 100_000)])
    assert abs(line.fixed - 0.5) < 1e-9 and abs(line.each - 2e-6) < 1e-12
