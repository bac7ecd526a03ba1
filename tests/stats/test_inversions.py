"""Inversions against a comparison of every pair."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inst.statistics import inversions
from inst.statistics.inversions import larger_before


def by_hand(values: list[int]) -> list[int]:
    """Compare each number with all before it."""
    return [sum(other > one for other in values[:place]) for place, one in enumerate(values)]


@given(
    values=st.lists(st.integers(0, 5000), unique=True, max_size=300),
    room=st.integers(1, 100),
    bits=st.integers(1, 7),
    block=st.sampled_from([1, 2, 16, 64]),
)
def test_some_numbers(values: list[int], room: int, bits: int, block: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(inversions, "BITS", bits)
        patch.setattr(inversions, "BLOCK", block)
        found = larger_before(np.array(values, "i4"), max(values, default=0) + room)
    assert found.tolist() == by_hand(values)


@pytest.mark.parametrize("count", [127, 128, 129, 4096, 16385, 300_001])
def test_whole_permutations(count: int) -> None:
    """Those of ascending and descending numbers are known; of a shuffle and the same backwards,
    each pair is in one of the two."""
    ascending = np.arange(count, dtype="i4")
    assert not larger_before(ascending, count).any()
    assert (larger_before(ascending[::-1], count) == ascending).all()
    shuffled = np.random.default_rng(count).permutation(count).astype("i4")
    total = int(larger_before(shuffled, count).sum(dtype="i8"))
    backwards = int(larger_before(shuffled[::-1], count).sum(dtype="i8"))
    assert total + backwards == count * (count - 1) // 2
