"""Instructions that a program gives as numbers are reported, preserved and run like all others.

Each instruction of the hand-written files, and of what a compiler makes of some programs, is
written as a number if it can be: in delay slots, after labels, between accesses, as accesses.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from inst.target.targets import TARGETS
from truth.emulator import Plugins
from truth.harness import Build, check_program
from truth.numbers import by_numbers
from truth.programs import EXTRA_FLAGS
from truth.test_assembly import ASSEMBLY, HOSTILE, SOURCES

HERE = Path(__file__).resolve().parent
COMPUTED = ("9",)
"""A label that only a computed jump reaches: a number after it would be taken for data."""
PROGRAMS = ("quicksort", "pressure", "switches", "doubles")


@pytest.mark.parametrize("target", sorted(SOURCES))
@pytest.mark.parametrize("hooks", ["rst", HOSTILE], ids=lambda text: Path(text).stem)
def test_every_form_by_its_number(
    plugins: Plugins, tmp_path: Path, target: str, hooks: str
) -> None:
    build = Build(TARGETS[target], ("-O1", "-static"), hooks=hooks)
    first, *others = (ASSEMBLY / name for name in SOURCES[target])
    written = by_numbers(build, first, tmp_path, COMPUTED)
    assert written.read_text().count(".long 0x") > 100
    verdict = check_program(plugins, build, ASSEMBLY / "forms.c", tmp_path, more=[written, *others])
    assert not verdict.problems, verdict.summary()
    assert hooks == HOSTILE or verdict.accesses > 100


@pytest.mark.parametrize("target", sorted(TARGETS))
@pytest.mark.parametrize("program", PROGRAMS)
def test_programs_by_their_numbers(
    plugins: Plugins, tmp_path: Path, target: str, program: str
) -> None:
    flags = ("-O2" if PROGRAMS.index(program) % 2 else "-O1", *EXTRA_FLAGS.get(target, ()))
    build = Build(TARGETS[target], flags, hooks="rst")
    written = by_numbers(build, HERE / "programs" / f"{program}.c", tmp_path)
    verdict = check_program(plugins, build, written, tmp_path)
    assert not verdict.problems, verdict.summary()
    assert verdict.accesses > 20
