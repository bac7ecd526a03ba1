"""Each register's value, as sites with and without free registers report it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
import register_cases

from inst.build.library import build_library
from inst.target.targets import TARGETS
from inst.translate import Options, translate

FILES = Path(__file__).parent / "files"
MACHINES = {"ppc32": "7447a"}
"""Machines with vector registers, where the emulator's ordinary one has none."""
ASSEMBLER = {"ppc32": ["-Wa,-maltivec"], "ppc64": ["-Wa,-mpower8"], "ppc64le": ["-Wa,-mpower8"]}


@pytest.mark.rotated(turns=True)
@pytest.mark.parametrize("pressure", register_cases.PRESSURES)
@pytest.mark.parametrize("family_name", register_cases.FAMILIES)
def test_each_register_is_reported_as_memory_has_it(
    tmp_path: Path, family_name: str, pressure: str
) -> None:
    target_name = family_name.split()[0]
    target, family = TARGETS[target_name], register_cases.FAMILIES[family_name]
    library = build_library(str(FILES / "hostile.c"), list(target.compiler), target, False)
    cases = tmp_path / "cases.s"
    options = Options(small_data=family_name != target_name)
    cases.write_text(translate(register_cases.assembly(family, pressure), target, options))
    program = tmp_path / "registers"
    command = [*target.compiler, "-O1", "-static", "-no-pie", "-fno-pie", "-w"]
    command += [*ASSEMBLER.get(target_name, []), FILES / "registers.c", cases, library]
    subprocess.run([*command, "-o", program], check=True)
    environment = {**os.environ, "QEMU_CPU": MACHINES.get(target_name, "")}
    if not environment["QEMU_CPU"]:
        del environment["QEMU_CPU"]
    done = subprocess.run(
        [target.emulator, program], env=environment, capture_output=True, text=True, timeout=100
    )
    count = len(family.rows)
    assert done.stdout == f"{count} of {count}, 0 failures\n", done.stdout + done.stderr
