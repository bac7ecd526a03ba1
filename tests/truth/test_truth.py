"""Every program, plain and instrumented, on every target, at every level of optimisation."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from _pytest.mark import ParameterSet

from inst.target.targets import TARGETS
from truth.emulator import Plugins, Result
from truth.harness import Build, Verdict, check_program, compile_object
from truth.programs import EXTRA_FLAGS, Program, read_programs

PROGRAMS = read_programs()
OPTIMISATIONS = ("-O0", "-O2", "-Os")
WHOLE = ("ppc32", "sparc-v8")
"""Targets that take turns at every level of optimisation for programs which stand for a hazard."""
HAZARDS = (
    "alloca_frames", "atomics", "big_frames", "full_leaf", "long_jumps", "pressure", "signals",
    "struct_return", "switches", "tail_calls",
)  # fmt: skip
"""Programs named in tests/README.md, and those whose code changes most with the level."""
FOR_ADDRESSES = ("hashing", "pressure", "powerpc_odd", "sparc_odd", "unaligned", "varargs")
FLAT = str(Path(__file__).resolve().parent / "hooks" / "flat.c")
FOR_STF = ("floats", "narrow_types", "powerpc_multiple", "powerpc_odd")
FOR_SEXP = ("atomics", "doubles", "heap", "narrow_types", "wide_arithmetic")


def _check(plugins: Plugins, program: Program, build: Build, directory: Path) -> Verdict:
    try:
        return check_program(plugins, build, program.source, directory)
    finally:
        shutil.rmtree(directory)


def _cases() -> Iterator[ParameterSet]:
    """Yield every program on its targets at every level; all but one level for the campaign.

    The levels take turns, so that each program has all of them on some target.  Those that stand
    for a hazard run on every target; they, and all of the campaign's, are compiled by inst-cc
    itself.
    """
    for (row, program), (column, target), (number, level) in product(
        enumerate(PROGRAMS), enumerate(sorted(TARGETS)), enumerate(OPTIMISATIONS)
    ):
        is_turn = number == (row + column) % len(OPTIMISATIONS)
        is_hazard = program.name in HAZARDS
        is_chosen = is_turn or (target == WHOLE[row % 2] and is_hazard)
        marks = [] if is_chosen else [pytest.mark.campaign]
        if not is_hazard:
            marks.append(pytest.mark.rotated(WHOLE[row % 2]))
        if program.runs_on(target):
            name = f"{program.name}-{target}{level}"
            in_process = is_chosen and not is_hazard
            yield pytest.param(program, target, level, in_process, id=name, marks=marks)


@pytest.mark.parametrize(("program", "target", "level", "in_process"), [*_cases()])
def test_trace_is_what_the_emulator_saw(
    plugins: Plugins, tmp_path: Path, program: Program, target: str, level: str, in_process: bool
) -> None:
    """The plain program says on each target what it says on this machine, if it is portable."""
    flags = (level, *program.flags, *EXTRA_FLAGS.get(target, ()))
    build = Build(TARGETS[target], flags, program.libraries, "rst", in_process=in_process)
    verdict = _check(plugins, program, build, tmp_path)
    assert not verdict.problems, "\n".join(verdict.problems)
    assert verdict.accesses > 20
    if not program.targets:
        assert verdict.plain and _said(verdict.plain) == _said(_native(program))


@cache
def _native(program: Program) -> Result:
    """Return what a portable program says on this machine."""
    with TemporaryDirectory() as directory:
        made = f"{directory}/native"
        command = ["gcc", "-O1", "-std=gnu17", "-w", "-o", made, str(program.source), "-lm"]
        subprocess.run([*command, *program.libraries], check=True)
        done = subprocess.run([made], capture_output=True)
    assert done.stdout.strip()
    return Result(done.stdout, done.stderr, done.returncode)


def _said(result: Result) -> tuple[bytes, int]:
    return result.output, result.status


@pytest.mark.parametrize("target", sorted(TARGETS))
def test_an_object_is_what_inst_cc_makes(tmp_path: Path, target: str) -> None:
    """Most programs here are translated in this process, and become the very same objects."""
    programs = [program for program in PROGRAMS if program.runs_on(target)]
    for program in programs[sorted(TARGETS).index(target) :: 17]:
        flags = ("-O2", *program.flags, *EXTRA_FLAGS.get(target, ()))
        for in_process in (False, True):
            build = Build(TARGETS[target], flags, hooks="rst", in_process=in_process)
            compile_object(build, program.source, tmp_path / f"{in_process}.o")
        assert (tmp_path / "True.o").read_bytes() == (tmp_path / "False.o").read_bytes()


def test_values_are_replayed(plugins: Plugins, tmp_path: Path) -> None:
    program = next(program for program in PROGRAMS if program.name == "sorting")
    verdict = check_program(
        plugins, Build(TARGETS["ppc32"], ("-O2",), hooks="rst"), program.source, tmp_path
    )
    assert not verdict.problems, verdict.summary()
    # What the C library stored in between is not known, and is left out.
    assert verdict.bytes_checked > verdict.bytes_loaded * 0.8


VARIANTS = [
    *((FLAT, "addresses", name) for name in FOR_ADDRESSES),
    *(("sexp", "values", name) for name in FOR_SEXP),
    *(("stf", "values", name) for name in FOR_STF),
]


@pytest.mark.rotated(*WHOLE, turns=True)
@pytest.mark.parametrize("target", sorted(TARGETS))
@pytest.mark.parametrize(("hooks", "level", "name"), VARIANTS, ids=lambda text: Path(text).stem)
def test_other_libraries_and_levels_say_the_same(
    plugins: Plugins, tmp_path: Path, hooks: str, level: str, name: str, target: str
) -> None:
    program = next(program for program in PROGRAMS if program.name == name)
    if not program.runs_on(target) or (hooks == "stf" and TARGETS[target].isa != "powerpc"):
        return
    flags = ("-O2", *program.flags)
    build = Build(TARGETS[target], flags, program.libraries, hooks, level, in_process=True)
    verdict = _check(plugins, program, build, tmp_path)
    assert not verdict.problems, verdict.summary()
    assert verdict.accesses > 30
