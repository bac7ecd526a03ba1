"""Damaged assembly and command lines: no traceback, no wrong status, nothing half-written."""

from __future__ import annotations

import resource
import subprocess
from pathlib import Path

import pytest

from inst.target.targets import Target
from tests.hostile import assembly_case, option_case
from tests.hostile.mutants import Mutant
from tests.warm import python


@pytest.mark.rotated(turns=True)
def test_assembly_mutants(target: Target, tmp_path: Path) -> None:
    data = assembly_case.compile_source(target, "-O1")
    case = assembly_case.Case(tmp_path, target)
    assert list(case.defects(Mutant("whole", data))) == []
    mutants = [assembly_case.mutant(data, seed) for seed in range(20)]
    assert [text for each in mutants for text in case.defects(each)] == []


def test_command_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("INST_CACHE", "")
    case = option_case.Case(tmp_path)
    assert [text for seed in range(60) for text in case.defects(seed)] == []


@pytest.mark.parametrize(
    "words", [("translate", "-t", "ppc32"), ("run",), ("check",), ("check", "--program")]
)
def test_a_file_without_an_end(words: tuple[str, ...]) -> None:
    command = [python(), "-m", "inst", *words, "/dev/zero"]
    command += ["/dev/null"] if "--program" in words else []
    done = subprocess.run(
        command, capture_output=True, text=True, preexec_fn=_bound_memory, timeout=300
    )
    assert done.returncode in (1, 2), done.stderr
    assert "error: " in done.stdout + done.stderr and "Traceback" not in done.stderr


def _bound_memory() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
