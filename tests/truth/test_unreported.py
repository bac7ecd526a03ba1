"""Accesses where a reservation is open: the program goes on as before, and they are counted."""

from __future__ import annotations

from pathlib import Path

import pytest

from inst.target.targets import TARGETS
from truth.emulator import Plugins, run
from truth.harness import Build, check_program, compile_object, link_program
from truth.unreported import take_count

HERE = Path(__file__).resolve().parent
SOURCE = HERE / "assembly" / "reservations.c"
BY_HAND = HERE / "assembly" / "reservations.S"
HOSTILE = str(HERE.parent / "runtime" / "files" / "hostile.c")
"""Its hooks undo reservations."""
POWERPC = ("ppc32", "ppc64", "ppc64le")


@pytest.mark.rotated(turns=True)
@pytest.mark.parametrize("flags", ["-O0", "-O2"])
@pytest.mark.parametrize("target", POWERPC)
def test_the_count_is_what_the_emulator_saw(
    plugins: Plugins, tmp_path: Path, target: str, flags: str
) -> None:
    build = Build(TARGETS[target], (flags, "-static"), hooks="rst")
    verdict = check_program(plugins, build, SOURCE, tmp_path, more=[BY_HAND])
    assert not verdict.problems, verdict.summary()
    assert int(verdict.unreported) >= 300
    assert verdict.accesses > 100


@pytest.mark.parametrize("target", POWERPC)
def test_hooks_do_not_undo_a_reservation(tmp_path: Path, target: str) -> None:
    """Also where only some ways to the store access memory, which is said."""
    flags = ("-O2", "-static", "-DSOMETIMES")
    plain = Build(TARGETS[target], flags)
    hooked = Build(TARGETS[target], flags, hooks=HOSTILE)
    expected, found = (run(_made(how, tmp_path), timeout=60) for how in (plain, hooked))
    found, count = take_count(found)
    assert expected == found and found.status == 0
    assert count == "500+"


def _made(build: Build, directory: Path) -> Path:
    name = "hooked" if build.hooks else "plain"
    objects = [directory / f"{name}.{part}.o" for part in "cS"]
    for source, made in zip((SOURCE, BY_HAND), objects, strict=True):
        compile_object(build, source, made)
    return link_program(build, objects, directory / name).path
