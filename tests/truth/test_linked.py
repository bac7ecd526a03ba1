"""Loads from the GOT and TOC that the linker may replace: only accesses are reported."""

from __future__ import annotations

import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from inst.program.sitetable import read_sites
from inst.target.targets import TARGETS
from truth.emulator import Plugins
from truth.harness import Build, check_pair, compile_object, link_program
from truth.modules import check_module

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


@pytest.mark.rotated("ppc32", "sparc-v8")
@pytest.mark.parametrize("target", sorted(TARGETS))
def test_library_and_its_program(plugins: Plugins, tmp_path: Path, target: str) -> None:
    """Both are instrumented, and write one trace."""
    libraries, programs = [], []
    for name, hooks in (("plain", ""), ("traced", "rst")):
        directory = tmp_path / name
        directory.mkdir()
        build = Build(TARGETS[target], ("-O2", "-fPIC"), hooks=hooks)
        made = {source: directory / f"{source}.o" for source in ("near", "far", "tells")}
        for source, path in made.items():
            how = Build(build.target, build.flags) if source == "tells" else build
            compile_object(how, SOURCES / f"{source}.c", path)
        shared = replace(build, flags=(*build.flags, "-shared", f"-Wl,-rpath,{directory}"))
        libraries.append(link_program(shared, [made["far"]], directory / "libfar.so"))
        objects = [made["near"], made["tells"], libraries[-1].path]
        programs.append(link_program(replace(build, flags=("-pie",)), objects, directory / "run"))
    trace = tmp_path / "trace.rst"
    verdict = check_module(plugins, (libraries[0], libraries[1]), (programs[0], programs[1]), trace)
    assert not verdict.problems, verdict.summary()
    assert verdict.accesses > 100
    assert verdict.bytes_checked > 100


def _library(target: str, directory: Path) -> Path:
    made = directory / "libfar.so"
    command = [*TARGETS[target].compiler, "-O2", "-shared", "-fPIC", "-o", str(made)]
    subprocess.run([*command, f"-Wl,-soname,{made}", str(SOURCES / "far.c")], check=True)
    return made
