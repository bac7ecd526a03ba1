"""Programs that record inline, on every target: each access that the emulator saw, in order."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

from inst.target.targets import TARGETS
from truth.emulator import Plugins
from truth.harness import Build, check_program
from truth.programs import Program, read_programs

OPTIMISATIONS = ("-O0", "-O2", "-O3")
CHOSEN = {
    "sparc-v8": "sparc_odd",
    "sparc-v9": "tail_calls",
}
"""What every run of the tests has for some targets; the campaign has all programs for all."""


def _cases() -> Iterator[ParameterSet]:
    for program in read_programs():
        for target in sorted(TARGETS):
            if not program.runs_on(target):
                continue
            for level in OPTIMISATIONS:
                is_chosen = CHOSEN.get(target) == program.name and level == "-O2"
                marks = () if is_chosen else (pytest.mark.campaign,)
                name = f"{program.name}-{target}{level}"
                yield pytest.param(program, target, level, id=name, marks=marks)


@pytest.mark.parametrize(("program", "target", "level"), [*_cases()])
def test_recording_has_what_the_emulator_saw(
    plugins: Plugins, tmp_path: Path, program: Program, target: str, level: str
) -> None:
    flags = (level, *program.flags)
    options = ("--inst-record=values",)
    build = Build(TARGETS[target], flags, program.libraries, "record", options=options)
    verdict = check_program(plugins, build, program.source, tmp_path)
    assert not verdict.problems, verdict.summary()
    assert verdict.accesses > 20
    assert verdict.bytes_checked
