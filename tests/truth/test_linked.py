"""What the linker makes of loads from the GOT and TOC: what is an access is told, nothing else."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from inst.sitetable import read_sites
from inst.targets import TARGETS
from truth.emulator import Plugins
from truth.harness import Build, check_pair, compile_object, link_program

SOURCES = Path(__file__).resolve().parent / "linked"
FORMS = {
    "static": ("-O2", "-static", "-fPIC"),
    "pie": ("-O2", "-pie", "-fPIE"),
    "shared": ("-O2", "-pie", "-fPIC"),
}
"""The last takes data and a function from a shared library: their GOT loads stay loads."""
_FROM_TABLE = re.compile(r"%gdop|%tie_ld|\.LC\d*@toc@l\b|@got@tprel")
"""Loads that the linker may make additions of."""


@pytest.mark.parametrize("target", sorted(TARGETS))
@pytest.mark.parametrize("form", FORMS)
def test_linked_forms(plugins: Plugins, tmp_path: Path, target: str, form: str) -> None:
    binaries = []
    for name, hooks in (("plain", ""), ("traced", "rst")):
        build = Build(TARGETS[target], FORMS[form], hooks=hooks)
        made = [tmp_path / f"{name}.o"]
        compile_object(build, SOURCES / "near.c", made[0])
        if form == "shared":
            made.append(_library(target, tmp_path))
        else:
            made.append(tmp_path / f"{name}-far.o")
            compile_object(build, SOURCES / "far.c", made[1])
        binaries.append(link_program(build, made, tmp_path / name))
    verdict = check_pair(plugins, binaries[0], binaries[1], tmp_path, [])
    assert not verdict.problems, verdict.summary()
    assert verdict.accesses > 200
    loads = [site for site in read_sites(binaries[1].path) if _FROM_TABLE.search(site.text)]
    stayed = [site for site in loads if binaries[1].memory(site.address) is not None]
    assert loads
    assert bool(stayed) == (form == "shared")


def _library(target: str, directory: Path) -> Path:
    made = directory / "libfar.so"
    command = [*TARGETS[target].compiler, "-O2", "-shared", "-fPIC", "-o", str(made)]
    subprocess.run([*command, f"-Wl,-soname,{made}", str(SOURCES / "far.c")], check=True)
    return made
