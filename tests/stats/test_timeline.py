"""What happened when, counted in parts that grow with the trace."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from inst.statistics.timeline import BINS, BLOCKS, ROWS, SHOWN, THREADS, Timeline
from inst.trace.model import EVENT, Array, Flag, Kind
from tests.sizes import examples


def batch(threads: list[int], addresses: list[int]) -> Array:
    events = np.zeros(len(threads), EVENT)
    events["thread"], events["address"] = threads, addresses
    events["kind"], events["flags"] = Kind.READ, int(Flag.HAS_ADDRESS)
    return events


def filled(threads: list[int], addresses: list[int], size: int) -> Timeline:
    timeline = Timeline()
    for start in range(0, len(threads), size):
        timeline.add(batch(threads[start : start + size], addresses[start : start + size]))
    return timeline


@given(
    threads=st.lists(st.integers(1, 5), min_size=1, max_size=600),
    size=st.integers(1, 400),
    step=st.sampled_from([8, 4096, 1 << 20]),
)
@settings(max_examples=examples(30), deadline=None)
def test_every_event_is_counted_in_its_part(threads: list[int], size: int, step: int) -> None:
    addresses = [step * (n % 97) for n in range(len(threads))]
    timeline = filled(threads, addresses, size)
    assert timeline.events == len(threads) <= BINS * timeline.width
    assert timeline.width == 1 or len(threads) > BINS * timeline.width // 2
    for name, counts in timeline.threads():
        wanted = Counter(n // timeline.width for n, t in enumerate(threads) if str(t) == name)
        assert {part: count for part, count in enumerate(counts.tolist()) if count} == wanted
    rows = timeline.rows()
    assert [row.first for row in rows] == sorted(row.first for row in rows)
    assert len(rows) <= ROWS
    for row in rows:
        wanted = Counter(
            n // timeline.width for n, a in enumerate(addresses) if row.first <= a <= row.last
        )
        assert {part: count for part, count in enumerate(row.counts.tolist()) if count} == wanted
    assert sum(int(row.counts.sum()) for row in rows) == len(threads)


def test_many_threads_and_addresses_take_bounded_memory() -> None:
    count = 4 * BLOCKS
    timeline = filled(list(range(count)), [n << 16 for n in range(count)], 1000)
    assert len(timeline._threads) <= THREADS
    assert len(timeline._blocks) <= BLOCKS
    assert sum(int(counts.sum()) for _, counts in timeline.threads()) == count
    assert [name for name, _ in timeline.threads()][SHOWN:] == ["others"]
    assert sum(int(row.counts.sum()) for row in timeline.rows()) == count


def test_the_highest_addresses_have_a_row() -> None:
    rows = filled([1, 1], [0, (1 << 64) - 4], 2).rows()
    assert [row.first for row in rows] == [0, (1 << 64) - 4096]
    assert rows[-1].last == (1 << 64) - 1
