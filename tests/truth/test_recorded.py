"""Programs that record inline: the trace is what the emulator saw, as with hooks."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

from inst.target.targets import TARGETS
from truth.emulator import Plugins
from truth.harness import Build, check_program
from truth.programs import EXTRA_FLAGS, Program, read_programs

PROGRAMS = read_programs()
LEVELS = ("-O2", "-O0", "-Os")


def _cases() -> Iterator[ParameterSet]:
    """Yield every program on its targets at every level; all but one of these for the campaign."""
    for row, program in enumerate(PROGRAMS):
        targets = [target for target in sorted(TARGETS) if program.runs_on(target)]
        cases = list(product(targets, LEVELS))
        for number, (target, level) in enumerate(cases):
            chosen = number == row % len(cases)
            marks = () if chosen else (pytest.mark.campaign,)
            yield pytest.param(
                program, target, level, id=f"{program.name}-{target}{level}", marks=marks
            )


@pytest.mark.parametrize(("program", "target", "level"), [*_cases()])
def test_a_recording_is_what_the_emulator_saw(
    plugins: Plugins, tmp_path: Path, program: Program, target: str, level: str
) -> None:
    _check(plugins, tmp_path, program, target, level, "values")


def _address_cases() -> Iterator[ParameterSet]:
    """Yield every program on one of its targets; six in seven for the campaign."""
    for row, program in enumerate(PROGRAMS):
        targets = [target for target in sorted(TARGETS) if program.runs_on(target)]
        marks = () if row % 7 == 0 else (pytest.mark.campaign,)
        target = targets[row % len(targets)]
        yield pytest.param(program, target, id=f"{program.name}-{target}", marks=marks)


@pytest.mark.parametrize(("program", "target"), [*_address_cases()])
def test_so_is_a_recording_of_addresses(
    plugins: Plugins, tmp_path: Path, program: Program, target: str
) -> None:
    """And what hooks report in it has true values."""
    _check(plugins, tmp_path, program, target, "-O2", "addresses")


def _check(
    plugins: Plugins, tmp_path: Path, program: Program, target: str, optimised: str, level: str
) -> None:
    flags = (optimised, *program.flags, *EXTRA_FLAGS.get(target, ()))
    libraries = program.libraries
    build = Build(TARGETS[target], flags, libraries, "record", level, in_process=True, record=True)
    try:
        verdict = check_program(plugins, build, program.source, tmp_path)
    finally:
        shutil.rmtree(tmp_path)
    assert not verdict.problems, "\n".join(verdict.problems)
    assert verdict.accesses > 20


COUNTED = ("goto_loops", "switches", "computed_goto", "loops")


@pytest.mark.rotated("ppc32", "sparc-v9", turns=True)
@pytest.mark.parametrize("target", sorted(TARGETS))
@pytest.mark.parametrize("name", COUNTED)
def test_code_that_counts_as_well_records_the_same(
    plugins: Plugins, tmp_path: Path, name: str, target: str
) -> None:
    (program,) = (one for one in PROGRAMS if one.name == name)
    flags = ("-O2", *program.flags, *EXTRA_FLAGS.get(target, ()))
    build = Build(
        TARGETS[target], flags, program.libraries, "record", options=("--inst-counts",), record=True
    )
    verdict = check_program(plugins, build, program.source, tmp_path)
    assert not verdict.problems, "\n".join(verdict.problems)
