"""How functions on streams order threads: correct programs are clean, wrong ones are found."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from inst.check import check_trace
from inst.program.program import Locator
from inst.target.targets import Target
from inst.trace import open_trace
from inst.trace.finding import Finding
from tests.conftest import Shell
from tests.emulator_limits import cannot_run

SOURCE = Path(__file__).parent / "programs" / "streams.c"


def build(shell: Shell, target: Target) -> None:
    """Compile the program as `p`."""
    shutil.copy(SOURCE, shell.directory)
    shell.check("inst-cc", "--inst-hooks=sexp", *target.compiler, "-w", "-O1", "-g", "-static",
                "-pthread", "streams.c", "-o", "p")  # fmt: skip


def found(shell: Shell, target: Target, *arguments: str) -> list[Finding]:
    """Run the program and check its trace."""
    shell.check(target.emulator, "./p", *arguments, INST_OUT="p.sexp")
    trace = open_trace(shell.directory / "p.sexp")
    locator = Locator([str(shell.directory / "p")], trace)
    report = check_trace(trace, ("races",), locator=locator)
    assert report.error is None and report.notes == []
    return report.findings


def places(findings: list[Finding]) -> set[str]:
    """Return the lines of findings, by what the program's source says is wrong there."""
    lines = SOURCE.read_text().splitlines()
    found = set()
    for site in (one.site for one in findings if one.site):
        file, _, number = site.rpartition(":")
        named = re.search(r"/\* (.*) \*/", lines[int(number) - 1])
        # putc_unlocked is inlined, with the lines of its header.
        found.add(named[1] if named and file.endswith(SOURCE.name) else Path(file).name)
    return found


@pytest.mark.rotated(turns=True)
def test_only_what_is_wrong_is_found(target: Target, shell: Shell) -> None:
    build(shell, target)
    assert found(shell, target) == []
    if target.name not in cannot_run("check_memory/programs/streams.c cancel"):
        assert found(shell, target, "cancel") == []
    findings = found(shell, target, "wrong")
    assert all(one.code == "race" for one in findings)
    assert places(findings) == {
        "stdio.h",
        "streams that have nothing in common",
        "all streams flushed, none used",
        "files that have nothing in common",
    }
