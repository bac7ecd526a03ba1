"""A short campaign, what earlier ones found, and that a campaign finds what is broken."""

from __future__ import annotations

from pathlib import Path

import pytest

from inst.targets import TARGETS
from tests.conftest import require_tools
from tests.fuzz.campaign import KEPT, Campaign
from tests.fuzz.case import Case, judge, possible, source_of
from tests.fuzz.reduce import reduce_lines

PAIRS = [("assembly", name) for name in sorted(TARGETS)] + [("c", "ppc32")]
"""One C program is enough here: tests/truth has many."""


@pytest.mark.parametrize(("kind", "target"), [pair for pair in PAIRS if possible(*pair)])
def test_short_campaign(tmp_path: Path, kind: str, target: str) -> None:
    require_tools("csmith", TARGETS[target].compiler[0], TARGETS[target].emulator)
    campaign = Campaign([(kind, target)], 1000, 1, 60, tmp_path, keep=False)
    assert campaign.run() == 0


@pytest.mark.parametrize("kept", sorted(KEPT.glob("*.[cs]")), ids=lambda path: path.name)
def test_what_was_found(tmp_path: Path, kept: Path) -> None:
    kind, rest = kept.stem.split("-", 1)
    target, seed = rest.rsplit("-", 1)
    assert judge(Case(kind, target, int(seed)), kept.read_text(), tmp_path) == ""


def test_same_seed_same_program() -> None:
    case = Case("assembly", "sparc-v8", 5)
    assert source_of(case) == source_of(case) != source_of(Case("assembly", "sparc-v8", 6))


def test_broken_rewriter_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.fuzz import case as module

    sound = module.translate

    def broken(*arguments: object) -> str:
        return sound(*arguments).replace("addi 13,", "addi 12,", 1)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "translate", broken)
    case = Case("assembly", "ppc32", 3)
    assert module._verified(_file(tmp_path, case), TARGETS["ppc32"], "values")


def _file(directory: Path, case: Case) -> Path:
    path = directory / "fuzz.s"
    path.write_text(source_of(case))
    return path


def test_reduction_keeps_what_fails() -> None:
    lines = [str(number) for number in range(100)]
    assert reduce_lines(lines, lambda kept: "17" in kept and "80" in kept) == ["17", "80"]
