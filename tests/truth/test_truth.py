"""Every program, plain and instrumented, on every target, at every level of optimisation."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from inst.target.targets import TARGETS
from truth.emulator import Plugins, run
from truth.harness import Build, Verdict, check_program, compile_object, link_program
from truth.programs import Program, read_programs

PROGRAMS = read_programs()
PORTABLE = [program for program in PROGRAMS if not program.targets]
OPTIMISATIONS = ("-O0", "-O2", "-Os")
ONE_EACH = ("ppc64", "ppc64le", "sparc-v9")
"""Targets that have one level of optimisation for each program: they share their pass."""
EXTRA_FLAGS = {
    "ppc64le": ("-mblock-compare-inline-limit=0", "-mstring-compare-inline-limit=0"),
}
"""What keeps code from going by the addresses of data (strcmp near the end of a page)."""
FOR_ADDRESSES = ("hashing", "pressure", "powerpc_odd", "sparc_odd", "unaligned", "varargs")
FLAT = str(Path(__file__).resolve().parent / "hooks" / "flat.c")
FOR_STF = ("floats", "narrow_types", "powerpc_multiple", "powerpc_odd")
FOR_SEXP = ("atomics", "doubles", "heap", "narrow_types", "wide_arithmetic")


def _check(plugins: Plugins, program: Program, build: Build, directory: Path) -> Verdict:
    try:
        return check_program(plugins, build, program.source, directory)
    finally:
        shutil.rmtree(directory)


@pytest.mark.parametrize("target", sorted(TARGETS))
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_trace_is_what_the_emulator_saw(
    plugins: Plugins, tmp_path: Path, program: Program, target: str
) -> None:
    if not program.runs_on(target):
        return
    problems = []
    flags = OPTIMISATIONS
    if target in ONE_EACH:
        flags = (OPTIMISATIONS[PROGRAMS.index(program) % len(OPTIMISATIONS)],)
    for flag in flags:
        directory = tmp_path / flag
        directory.mkdir()
        build_flags = (flag, *program.flags, *EXTRA_FLAGS.get(target, ()))
        build = Build(TARGETS[target], build_flags, program.libraries, "rst")
        verdict = _check(plugins, program, build, directory)
        problems += [f"{flag}: {problem}" for problem in verdict.problems]
        assert verdict.problems or verdict.accesses > 20
    assert not problems, "\n".join(problems)


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


@pytest.mark.parametrize("target", sorted(TARGETS))
@pytest.mark.parametrize(("hooks", "level", "name"), VARIANTS, ids=lambda text: Path(text).stem)
def test_other_libraries_and_levels_say_the_same(
    plugins: Plugins, tmp_path: Path, hooks: str, level: str, name: str, target: str
) -> None:
    program = next(program for program in PROGRAMS if program.name == name)
    if not program.runs_on(target) or (hooks == "stf" and TARGETS[target].isa != "powerpc"):
        return
    build = Build(TARGETS[target], ("-O2", *program.flags), program.libraries, hooks, level)
    verdict = _check(plugins, program, build, tmp_path)
    assert not verdict.problems, verdict.summary()
    assert verdict.accesses > 30


@pytest.mark.parametrize("program", PORTABLE, ids=lambda program: program.name)
def test_program_prints_the_same_everywhere(program: Program, tmp_path: Path) -> None:
    native = tmp_path / "native"
    command = ["gcc", "-O1", "-std=gnu17", "-w", "-o", str(native), str(program.source)]
    subprocess.run([*command, "-lm", *program.libraries], check=True)
    expected = subprocess.run([native], capture_output=True)
    assert expected.stdout.strip()
    for target in TARGETS.values():
        build = Build(target, ("-O1", *program.flags), program.libraries)
        made = tmp_path / f"{target.name}.o"
        compile_object(build, program.source, made)
        link_program(build, [made], tmp_path / target.name)
        result = run(tmp_path / target.name)
        assert (result.output, result.status) == (expected.stdout, expected.returncode)
