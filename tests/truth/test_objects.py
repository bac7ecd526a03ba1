"""Objects that are instrumented without their source: every access is in the trace."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

from inst.cli import main
from inst.target.targets import TARGETS
from truth.emulator import Plugins
from truth.harness import Build, check_pair, compile_object, link_program
from truth.programs import EXTRA_FLAGS, Program, read_programs

CASES = {
    ("ppc32", "switches", "-fPIE"),
    ("ppc32", "long_jumps", "-fno-pie"),
    ("ppc64", "switches", "-fPIE"),
    ("ppc64le", "callbacks", "-fno-pie"),
    ("sparc-v8", "callbacks", "-fPIE"),
    ("sparc-v8", "switches", "-fPIE"),
    ("sparc-v8", "switches", "-fno-pie"),
}
"""What `make test` runs; the campaign takes all programs of targets on which this is new."""

IN_SITE_REGISTERS = {
    "sparc-v8": "-fcall-used-g5 -fcall-used-g6 -ffixed-g1 -ffixed-g2 -ffixed-g3 -ffixed-g4",
    "sparc-v9": "-fcall-used-g6 -ffixed-g1 -ffixed-g2 -ffixed-g3 -ffixed-g4 -ffixed-g5",
}
"""With these, GCC has values in the registers of sites wherever it would take other globals."""
OFTEN = ("parser", "sorting", "varargs")
"""Programs of which `make test` takes the objects that are compiled so."""
ASSEMBLY = Path(__file__).resolve().parent / "assembly"


def _cases() -> Iterator[ParameterSet]:
    for program, target, form in product(
        read_programs(), ("ppc32", "ppc64", "ppc64le", "sparc-v8"), ("-fPIE", "-fno-pie")
    ):
        if program.runs_on(target):
            marks = () if (target, program.name, form) in CASES else (pytest.mark.campaign,)
            name = f"{program.name}-{target}{form}"
            yield pytest.param(target, program, form, id=name, marks=marks)


@pytest.mark.parametrize(("target", "program", "form"), [*_cases()])
def test_accesses_of_objects(
    plugins: Plugins, tmp_path: Path, target: str, program: Program, form: str
) -> None:
    """The program's own object, as the plain compiler made it, is instrumented afterwards."""
    link = "-pie" if form == "-fPIE" else "-no-pie"
    flags = ("-O2", "-g", form, link, *program.flags, *EXTRA_FLAGS.get(target, ()))
    plain = Build(TARGETS[target], flags, program.libraries)
    made, after = tmp_path / "plain.o", tmp_path / "traced.o"
    compile_object(plain, program.source, made)
    assert main(["object", str(made), "-o", str(after)]) == 0
    traced = replace(plain, hooks="rst")
    binaries = (link_program(plain, [made], tmp_path / "plain"),
                link_program(traced, [after], tmp_path / "traced"))  # fmt: skip
    verdict = check_pair(plugins, *binaries, tmp_path, [])
    assert not verdict.problems, verdict.summary()
    assert verdict.accesses > 20


@pytest.mark.parametrize("taken", ["objects", "sources"])
@pytest.mark.parametrize("target", ["sparc-v8", "sparc-v9"])
def test_values_in_the_registers_of_sites(
    plugins: Plugins, tmp_path: Path, target: str, taken: str
) -> None:
    """Code that keeps them there until a call: they are elsewhere at each of its accesses."""
    plain = Build(TARGETS[target], ("-O2", "-Wa,-Av9a") if target == "sparc-v9" else ("-O2",))
    with_hooks = replace(plain, hooks="rst")
    objects, traced = [], []
    for name in ("keepers.S", "keepers.c"):
        objects.append(tmp_path / f"{name}.o")
        traced.append(tmp_path / f"{name}.traced.o")
        compile_object(plain, ASSEMBLY / name, objects[-1])
        if taken == "sources":
            compile_object(with_hooks, ASSEMBLY / name, traced[-1])
        else:
            assert main(["object", str(objects[-1]), "-o", str(traced[-1])]) == 0
    binaries = (link_program(plain, objects, tmp_path / "plain"),
                link_program(with_hooks, traced, tmp_path / "traced"))  # fmt: skip
    # Their accesses are by other registers.
    verdict = check_pair(plugins, *binaries, tmp_path, [], alike=False)
    assert not verdict.problems, verdict.summary()
    assert verdict.accesses > 100


def _with_values_there() -> Iterator[ParameterSet]:
    for program, target in product(read_programs(), IN_SITE_REGISTERS):
        if program.runs_on(target) and program.name != "volatiles":  # it loads what it never reads
            marks = () if program.name in OFTEN else (pytest.mark.campaign,)
            yield pytest.param(target, program, id=f"{program.name}-{target}", marks=marks)


@pytest.mark.parametrize(("target", "program"), [*_with_values_there()])
def test_compiled_values_in_the_registers_of_sites(
    plugins: Plugins, tmp_path: Path, target: str, program: Program
) -> None:
    flags = ("-O2", *IN_SITE_REGISTERS[target].split(), *program.flags)
    plain = Build(TARGETS[target], flags, program.libraries)
    made, after = tmp_path / "plain.o", tmp_path / "traced.o"
    compile_object(plain, program.source, made)
    assert main(["object", str(made), "-o", str(after)]) == 0
    binaries = (link_program(plain, [made], tmp_path / "plain"),
                link_program(replace(plain, hooks="rst"), [after],
                             tmp_path / "traced"))  # fmt: skip
    verdict = check_pair(plugins, *binaries, tmp_path, [], alike=False)
    assert not verdict.problems, verdict.summary()
    assert verdict.accesses > 20
