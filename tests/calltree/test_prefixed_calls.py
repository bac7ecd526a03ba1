"""Calls of functions whose accesses are POWER10's instructions of two words."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from truth.emulator import run
from truth.harness import python_environment

from inst.cli import main
from inst.target.targets import TARGETS
from tests.warm import python

SOURCE = Path(__file__).with_name("prefixed.c")
CALLS = {"add": 6, "both": 3, "sum": 3}


def test_functions_without_other_accesses_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("QEMU_CPU", "power10")
    program, trace = tmp_path / "program", tmp_path / "trace.rst"
    command = [python(), "-m", "inst.wrap.cc", "--inst-hooks=rst", *TARGETS["ppc64le"].compiler]
    command += ["-O2", "-mcpu=power10", str(SOURCE), "-o", str(program)]
    subprocess.run(command, check=True, env=python_environment())
    run(program, environment={"INST_OUT": str(trace)})
    assert main(["report", "--json", "--program", str(program), str(trace)]) == 0
    found = json.loads(capsys.readouterr().out)["functions"]
    assert {row["name"]: row["calls"] for row in found if row["name"] in CALLS} == CALLS
