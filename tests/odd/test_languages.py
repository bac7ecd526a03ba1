"""Programs in other languages than C and C++, whose compilers are gcc's as well."""

from __future__ import annotations

import shutil

import pytest

from inst.program.sitetable import read_sites
from inst.target.targets import TARGETS, Target
from tests.conftest import Shell, require_tools
from tests.odd.test_odd import PROGRAMS, run

WITH_ADA = ("ppc32", "ppc64", "ppc64le", "sparc-v9")
"""Debian has Ada's own library for SPARC in 64 bits only."""


@pytest.mark.rotated(turns=True)
def test_fortran(shell: Shell, target: Target) -> None:
    driver, *rest = target.compiler
    compiler = [driver.replace("gcc", "gfortran"), *rest]
    require_tools(compiler[0])
    for made, prefix in (("plain", []), ("traced", ["inst-cc", "--inst-hooks=rst"])):
        source = str(PROGRAMS / "numbers.f90")
        shell.check(*prefix, *compiler, "-O2", "-static", source, "-o", made)
    expected = run(shell.directory / "plain")
    assert expected[0].strip()
    assert run(shell.directory / "traced") == expected


@pytest.mark.rotated(turns=True)
@pytest.mark.parametrize("name", WITH_ADA)
def test_ada(shell: Shell, name: str) -> None:
    """gnatmake takes no compiler of several words: inst-cc goes under the compiler's name."""
    compiler = TARGETS[name].compiler[0]
    maker = f"{compiler.removesuffix('gcc')}gnatmake"
    require_tools(compiler, maker)
    masked = shell.directory / compiler
    masked.symlink_to(str(shutil.which("inst-cc", path=shell.environment["PATH"])))
    outputs = []
    for made, driver in (("plain", shutil.which(compiler)), ("traced", masked)):
        words = [f"--GCC={driver}", "-O2", str(PROGRAMS / "events.adb"), "-o", made]
        rest = ["-bargs", "-static", "-largs", "-static", f"--GCC={driver}"]
        shell.check(maker, "-q", "-f", *words, *rest, INST_HOOKS="rst")
        outputs.append(run(shell.directory / made))
    assert outputs[0] == (b"stopped 6\noutside 20\nxyzxyzxyzxyz\n 42\n 4\n 225\n 675\n", 0)
    assert outputs[1] == outputs[0]
    assert len(read_sites(shell.directory / "traced")) > 100
