"""Random C++ programs that throw: one for each target, and what finds a rewriter that errs."""

from __future__ import annotations

from pathlib import Path

import pytest

from inst.target.targets import TARGETS
from tests.conftest import require_tools
from tests.fuzz.c_program import Trial
from tests.fuzz.campaign import Campaign
from tests.fuzz.case import Case, judge, source_of
from tests.fuzz.exceptions import choose_exceptions, write_exceptions
from tests.fuzz.manner import parse

FORGOTTEN = (("ppc64-33", "output"), ("ppc64le-17", "verify"))
"""Programs that come out wrong where landing pads are not seen, and the step that shows it."""
ALSO = (("ppc64-11", "verify"), ("ppc64le-21", "output"))
"""The same, for the campaign."""


@pytest.mark.rotated("ppc64le", "sparc-v8", turns=True)
@pytest.mark.parametrize("target", sorted(TARGETS))
def test_short_campaign(tmp_path: Path, target: str) -> None:
    require_tools(TARGETS[target].compiler[0], TARGETS[target].emulator)
    campaign = Campaign([("exceptions", target)], 1, 1, 60, tmp_path, keep=False)
    assert campaign.run() == 0


@pytest.mark.parametrize(
    ("name", "step"),
    [*FORGOTTEN, *(pytest.param(*one, marks=pytest.mark.campaign) for one in ALSO)],
)
def test_forgotten_landing_pads_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, step: str
) -> None:
    target, seed = name.split("-")
    case = Case("exceptions", target, int(seed))
    require_tools(TARGETS[target].compiler[0], TARGETS[target].emulator)
    monkeypatch.setattr("inst.flow.liveness.hidden_ways", lambda *_: ([], []))
    if step == "verify":
        monkeypatch.setattr(Trial, "compared", lambda *_: "")
    assert judge(case, source_of(case), tmp_path / "work").startswith(f"{step}: ")


def test_same_seed_same_program() -> None:
    assert write_exceptions(5) == write_exceptions(5) != write_exceptions(6)
    found = [choose_exceptions(target, seed) for target in TARGETS for seed in range(100)]
    assert [parse(manner.text()) for manner in found] == found
    assert {manner.compiler for manner in found} == {"g++", "clang++"}
    assert any("-fnon-call-exceptions" in manner.flags for manner in found)
