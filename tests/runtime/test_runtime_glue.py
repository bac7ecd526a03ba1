"""Every entry of the glue, with every library: nothing promised may change."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from functools import partial
from itertools import product
from pathlib import Path

import glue_cases
import glue_cases_powerpc64
import glue_cases_v9
import pytest
from _pytest.mark import ParameterSet

from inst.build.library import build_library
from inst.target.targets import TARGETS

FILES = Path(__file__).parent / "files"
CASES = {
    "sparc-v8": glue_cases.sparc_cases,
    "sparc-v9": glue_cases_v9.cases,
    "ppc32": glue_cases.powerpc_cases,
    "ppc64": glue_cases_powerpc64.cases,
    "ppc64le": glue_cases_powerpc64.cases,
}
ASSEMBLY = {
    "sparc-v8": glue_cases.sparc_assembly,
    "sparc-v9": glue_cases_v9.assembly,
    "ppc32": glue_cases.powerpc_assembly,
    "ppc64": partial(glue_cases_powerpc64.assembly, descriptors=True),
    "ppc64le": partial(glue_cases_powerpc64.assembly, descriptors=False),
}


def build(directory: Path, target_name: str, hooks: str, shared: bool) -> Path:
    """Link the matrix with a hook library."""
    target = TARGETS[target_name]
    library = build_library(hooks, list(target.compiler), target, shared)
    cases = directory / "cases.s"
    cases.write_text(ASSEMBLY[target_name](CASES[target_name]()))
    program = directory / "matrix"
    records = ["-DRECORDS"] if "hostile" in hooks else []
    sources = [FILES / "matrix.c", FILES / f"prepare_{target.runtime}.c", cases]
    command = [*target.compiler, "-O1", "-static", "-no-pie", "-fno-pie", *records]
    subprocess.run([*command, *sources, library, "-o", program], check=True)
    return program


HOSTILE = str(FILES / "hostile.c")
LIBRARIES = dict.fromkeys(CASES, ("empty", "count", "rst", "sexp", HOSTILE))
LIBRARIES |= dict.fromkeys(("ppc64", "ppc64le"), ("rst", HOSTILE))
"""The 64-bit PowerPC targets have three times the entries, made by the same templates."""
SHARED = ("rst", HOSTILE)
"""The libraries that are tried for shared objects, too: the places differ in how they find data."""


def _cases() -> Iterator[ParameterSet]:
    """Yield every library of each target; those for shared objects, but two, for the campaign.

    Every target has hooks that change all they may.
    """
    for name, libraries in LIBRARIES.items():
        for hooks, shared in product(libraries, (False, True)):
            marks = [pytest.mark.campaign] if shared and hooks not in SHARED else []
            if shared or hooks != HOSTILE:
                marks.append(pytest.mark.rotated("ppc32", "sparc-v8", turns=not shared))
            words = (name, Path(hooks).stem, "shared" if shared else "program")
            yield pytest.param(name, hooks, shared, id="-".join(words), marks=marks)


@pytest.mark.parametrize(("target_name", "hooks", "shared"), [*_cases()])
def test_entries_keep_their_promises(
    tmp_path: Path, target_name: str, hooks: str, shared: bool
) -> None:
    program = build(tmp_path, target_name, hooks, shared)
    emulator = TARGETS[target_name].emulator
    environment = {"INST_OUT": str(tmp_path / "out")}
    done = subprocess.run(
        [emulator, program], env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.stdout.endswith(" 0 failures\n"), done.stdout + done.stderr
    assert done.returncode == 0
