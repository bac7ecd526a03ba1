"""The page-table check against a naive model of the same protocol, on random short traces."""

from __future__ import annotations

import pytest

from inst.check.pagetable import feed
from tests.check.random_traces import compare

LEAST = {
    "clean", "encoding", "walk-uninitialised", "double-use", "write-uninitialised",
    "root-without-lock", "lock-not-held", "plain-unauthorised", "unclean-parent",
    "valid-to-valid", "unclean-to-valid", "init-used", "dsb-too-weak", "tlbi-not-broadcast",
    "duplicate-id", "root-id-changed", "release-in-use", "already-held",
}  # fmt: skip
"""Verdicts that so many traces are sure to bring."""


@pytest.mark.parametrize("count", [500, pytest.param(2000, marks=pytest.mark.campaign)])
def test_the_check_and_the_naive_model_agree(count: int) -> None:
    """`python -m tests.check.random_traces` does this for 100,000 traces."""
    seen = compare(count, 1)
    assert set(seen) >= LEAST
    assert seen["clean"] > count // 4


@pytest.mark.parametrize("count", [200, pytest.param(500, marks=pytest.mark.campaign)])
def test_they_agree_where_each_initialisation_ends_a_piece(
    count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed, "PIECE", 1)
    assert compare(count, 2)["clean"] > count // 5
