"""Reuse distances against a list that is searched by hand."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from inst.statistics.reuse import ReuseDistances


def by_hand(lines: list[int], bound: int) -> tuple[dict[int, int], int]:
    """Keep the lines in the order of their last use and look how deep each one lies."""
    stack: list[int] = []
    counts: dict[int, int] = {}
    unseen = 0
    for line in lines:
        depth = len(stack) - 1 - stack.index(line) if line in stack else bound
        if depth < bound:
            counts[depth.bit_length()] = counts.get(depth.bit_length(), 0) + 1
        else:
            unseen += 1
        if line in stack:
            stack.remove(line)
        stack.append(line)
    return counts, unseen


@given(
    lines=st.lists(st.integers(0, 30) | st.integers(0, 99) | st.integers(0, 2**58), max_size=200),
    bound=st.sampled_from([1, 2, 4, 16, 1024]),
    chunk=st.sampled_from([1, 3, 16, 1000]),
    step=st.integers(1, 50),
)
def test_distances(lines: list[int], bound: int, chunk: int, step: int) -> None:
    reuse = ReuseDistances(bound, chunk)
    for start in range(0, len(lines), step):
        reuse.add(np.array(lines[start : start + step], "u8"))
    reuse.finish()
    found = {n: int(count) for n, count in enumerate(reuse.counts) if count}
    assert (found, reuse.unseen) == by_hand(lines, bound)


@given(
    pattern=st.lists(st.tuples(st.integers(0, 40), st.integers(1, 3)), min_size=30, max_size=60),
    times=st.integers(2, 6),
    chunk=st.sampled_from([100, 1000]),
)
def test_distances_far_apart(pattern: list[tuple[int, int]], times: int, chunk: int) -> None:
    """Lines come again behind others that are touched again and again, close to each other."""
    lines = [line + n for line, some in pattern for n in (*range(some), *range(some))] * times
    reuse = ReuseDistances(1024, chunk)
    reuse.add(np.array(lines, "u8"))
    reuse.finish()
    found = {n: int(count) for n, count in enumerate(reuse.counts) if count}
    assert (found, reuse.unseen) == by_hand(lines, 1024)


def test_a_loop_over_an_array_has_one_distance() -> None:
    reuse = ReuseDistances()
    for _ in range(10):
        reuse.add(np.arange(100_000, dtype="u8"))
    reuse.finish()
    assert reuse.unseen == 100_000
    assert reuse.counts[17] == 900_000  # 99,999 others lie between: 2**16 to 2**17 - 1
