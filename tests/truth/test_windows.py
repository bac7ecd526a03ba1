"""Programs whose hooks leave loads out (hooks/windows): the trace is what the emulator saw."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from inst.target.targets import TARGETS
from truth.emulator import Plugins
from truth.harness import Build, check_program
from truth.programs import EXTRA_FLAGS, Program, read_programs

HERE = Path(__file__).resolve().parent
LEFT_OUT = HERE / "left_out.c"
LEVELS = ("-O2", "-O0", "-Os")
FIRST = (
    "signals", "callbacks", "atomics", "memory_blocks", "long_jumps", "powerpc_odd", "sparc_odd",
)  # fmt: skip
"""The programs that do what hooks may get wrong; all others are the campaign's."""
REFUSED = {"powerpc_multiple"}
"""As other recordings for re-execution."""


def _cases() -> list[object]:
    cases = []
    for row, program in enumerate(read_programs()):
        targets = [name for name in sorted(TARGETS) if program.runs_on(name)]
        for number, target in enumerate(targets if program.name not in REFUSED else ()):
            is_first = program.name in FIRST and number == row % len(targets)
            marks = () if is_first else (pytest.mark.campaign,)
            cases.append(pytest.param(program, target, id=f"{program.name}-{target}", marks=marks))
    return cases


def _checked(
    plugins: Plugins, target: str, flags: tuple[str, ...], program: Path, *libraries: str
) -> None:
    """Check the trace of a program against the emulator's record of the same run."""
    flags = (*flags, *EXTRA_FLAGS.get(target, ()))
    how = Build(TARGETS[target], flags, libraries, "windows", "windows", (), True, True)
    directory = Path(plugins.memlog).parent / f"{program.stem}-{target}"
    directory.mkdir()
    try:
        verdict = check_program(plugins, how, program, directory)
    finally:
        shutil.rmtree(directory)
    assert not verdict.problems, "\n".join(verdict.problems)
    assert verdict.accesses > 20


@pytest.mark.parametrize(("program", "target"), _cases())
def test_programs_are_executed_as_the_emulator_did(
    plugins: Plugins, program: Program, target: str
) -> None:
    level = LEVELS[sum(map(ord, target)) % len(LEVELS)]
    _checked(plugins, target, (level, *program.flags), program.source, *program.libraries)


@pytest.mark.rotated("ppc32", "sparc-v8")
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("target", sorted(TARGETS))
def test_what_others_have_changed_is_recorded(plugins: Plugins, target: str, level: str) -> None:
    """By functions of the C library, the kernel, a handler, and hooks on the stack."""
    _checked(plugins, target, (level,), LEFT_OUT)
