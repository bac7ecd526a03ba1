"""The pytest plugin, used as a user does: a suite in a directory of its own, run by pytest."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from inst.target.targets import TARGETS, Target
from tests.conftest import ROOT, require_tools

PROGRAM = """\
#include <stdio.h>
#include <inst/annotate.h>

volatile int cells[4]; int lock;

int main(int count, char **arguments)
{
    INST_LOCK(&lock);
    for (int n = 0; n < 4; n++)
        cells[n] = n + 0x40;
    INST_UNLOCK(&lock);
    if (count > 1)
        INST_UNLOCK(&lock);
    printf("%s\\n", count > 1 ? arguments[1] : "ok");
    return count > 2;
}
"""

SUITE = """\
def test_counts_and_findings(inst):
    run = inst.build("cells.c").run(watch="cells")
    assert run.output == "ok\\n"
    assert run.counts["write"] == 4 and run.counts["lock"] == 1
    assert run.findings("locks") == []
    run.check("locks", "memory-sound")

def test_golden(inst):
    inst.build("cells.c").run(watch="cells").golden("golden/cells.txt")

def test_statuses(inst):
    built = inst.build("cells.c")
    assert built.run("a", "b", status=1).status == 1
"""

FAILING = """\
def test_finding(inst):
    run = inst.build("cells.c").run("twice")
    assert run.findings("locks") == []

def test_check(inst):
    inst.build("cells.c").run("twice").check("locks")

def test_status(inst):
    inst.build("cells.c").run("a", "b")

def test_source(inst):
    inst.build("missing.c")
"""


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    for target in TARGETS.values():
        require_tools(target.compiler[0], target.emulator)
    (tmp_path / "cells.c").write_text(PROGRAM)
    (tmp_path / "test_cells.py").write_text(SUITE)
    return tmp_path


def run(directory: Path, *arguments: str) -> tuple[int, str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "inst.testing.pytest_plugin",
               "-p", "no:cacheprovider", *arguments]  # fmt: skip
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True,
                          env=environment, timeout=300)  # fmt: skip
    return done.returncode, done.stdout + done.stderr


def test_golden_traces_are_the_same_wherever_the_program_is(suite: Path) -> None:
    """Written for one target and compared for it in another directory, with other addresses."""
    status, said = run(suite, "--inst-target", "sparc-v8")
    assert status == 1 and "--inst-update" in said and "2 passed" in said
    assert run(suite, "--inst-target", "sparc-v8", "--inst-update", "-k", "golden")[0] == 0
    golden = (suite / "golden/cells.txt").read_text()
    assert golden.splitlines() == [
        "lock lock cells.c:8",
        *(f"write cells{f'+{4 * n:#x}' * (n > 0)} 4 {n + 0x40:#x} cells.c:10" for n in range(4)),
        "unlock lock cells.c:11",
    ]
    other = suite / "elsewhere"
    other.mkdir()
    (other / "golden").mkdir()
    (other / "golden/cells.txt").write_text(golden)
    (other / "test_cells.py").write_text(SUITE)
    # More in the program: everything lies elsewhere, and the story is the same.
    (other / "cells.c").write_text(PROGRAM + "int before[100] = {1};\n")
    assert run(other, "--inst-target", "sparc-v8", "-k", "golden")[0] == 0
    (other / "cells.c").write_text(PROGRAM.replace("n + 0x40", "n + 0x41"))
    status, said = run(other, "--inst-target", "sparc-v8", "-k", "golden")
    assert status == 1
    assert "-write cells 4 0x40 cells.c:10" in said and "+write cells 4 0x41 cells.c:10" in said


def test_all_targets(suite: Path) -> None:
    status, said = run(suite, "--inst-target", "all", "-k", "counts")
    assert status == 0 and f"{len(TARGETS)} passed" in said


def test_failures_explain_themselves(suite: Path) -> None:
    (suite / "test_cells.py").write_text(FAILING)
    status, said = run(suite)
    assert status == 1 and "4 failed" in said
    explained = said.partition("test_check")[0]
    assert "the findings unlock-not-held are not []" in explained
    assert "cells.c:13" in explained and "cells.c:11" in explained
    assert said.count("[unlock-not-held]") >= 2
    assert "gave 1" in said and "missing.c" in said


def test_a_target_that_is_none(suite: Path) -> None:
    status, said = run(suite, "--inst-target", "vax")
    assert status != 0 and "sparc-v8" in said


@pytest.mark.rotated("ppc64le", "sparc-v8", turns=True)
def test_the_page_table_example(target: Target) -> None:
    """Clean when all is right; every seeded bug under its code."""
    status, said = run(ROOT / "examples" / "pagetable", "--inst-target", target.name)
    assert status == 0 and "2 passed" in said, said
