"""What is left of a trace after an accident: all up to the last flush; what is missing is said."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from inst.target.targets import TARGETS
from tests.signals.accidents import KINDS, MEANWHILE, have_accident, kill_once
from tests.signals.programs import RECORD, Builder, builder

pytestmark = pytest.mark.rotated("ppc32", "sparc-v8", turns=True)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Builder:
    """Return `build` that builds each program once."""
    return builder(lambda: tmp_path_factory.mktemp("built"))


BUILT = [*((target, "rst") for target in TARGETS), ("ppc32", "stf")]


@pytest.mark.parametrize(("target", "hooks"), BUILT)
def test_a_killed_program_leaves_what_it_wrote(
    built: Builder, target: str, hooks: str, tmp_path: Path
) -> None:
    chance = random.Random(target)
    for meanwhile in MEANWHILE:
        kill_once(built(target, "victim.c", hooks), tmp_path, chance, meanwhile)


@pytest.mark.parametrize("compressed", [False, True], ids=["plain", "compressed"])
@pytest.mark.parametrize("target", TARGETS)
def test_a_killed_program_leaves_its_recording(
    built: Builder, target: str, compressed: bool, tmp_path: Path
) -> None:
    program, chance = built(target, "victim.c", RECORD), random.Random(target)
    for meanwhile in MEANWHILE:
        kill_once(program, tmp_path, chance, meanwhile, compressed=compressed)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("target", "hooks"), BUILT)
def test_an_accident_changes_nothing_else(
    built: Builder, target: str, hooks: str, kind: str, tmp_path: Path
) -> None:
    have_accident(built(target, "victim.c", hooks), kind, tmp_path)
