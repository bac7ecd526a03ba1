"""Objects that are instrumented without their source: every access is in the trace."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from inst.cli import main
from inst.target.targets import TARGETS
from truth.emulator import Plugins
from truth.harness import Build, check_pair, compile_object, link_program

PROGRAMS = Path(__file__).resolve().parent / "programs"
CASES = {
    ("ppc32", "switches", "-fPIE"),
    ("ppc32", "long_jumps", "-fno-pie"),
    ("sparc-v8", "callbacks", "-fPIE"),
    ("sparc-v8", "switches", "-fno-pie"),
}


@pytest.mark.parametrize(("target", "program", "form"), sorted(CASES))
def test_accesses_of_objects(
    plugins: Plugins, tmp_path: Path, target: str, program: str, form: str
) -> None:
    """The program's own object, as the plain compiler made it, is instrumented afterwards."""
    link = "-pie" if form == "-fPIE" else "-no-pie"
    plain = Build(TARGETS[target], ("-O2", "-g", form, link))
    made, after = tmp_path / "plain.o", tmp_path / "traced.o"
    compile_object(plain, PROGRAMS / f"{program}.c", made)
    assert main(["object", str(made), "-o", str(after)]) == 0
    traced = replace(plain, hooks="rst")
    binaries = (link_program(plain, [made], tmp_path / "plain"),
                link_program(traced, [after], tmp_path / "traced"))  # fmt: skip
    verdict = check_pair(plugins, *binaries, tmp_path, [])
    assert not verdict.problems, verdict.summary()
    assert verdict.accesses > 50
