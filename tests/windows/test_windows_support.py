"""The functions that hooks may call, on every target."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from truth.harness import ROOT, python_environment

from inst.target.emulator import command_for
from inst.target.targets import TARGETS
from tests.conftest import require_tools
from tests.warm import python

FILES = Path(__file__).resolve().parent / "files"
PROGRAM = """\
#include <signal.h>
volatile int x;
static void caught(int number) { x = number - SIGABRT; }
int main(void) { signal(SIGABRT, caught); return x; }
"""
HEADER = ROOT / "runtime" / "include" / "inst" / "support.h"


@pytest.mark.rotated(turns=True)
@pytest.mark.parametrize("name", sorted(TARGETS))
def test_each_function_does_its_work(name: str, tmp_path: Path) -> None:
    """The library says which function did not do what it should, and ends as it wants.

    ABORT does so although the program's handler of its signal returns.
    """
    target = TARGETS[name]
    require_tools(target.compiler[0], target.emulator)
    (tmp_path / "main.c").write_text(PROGRAM)
    own = [python(), "-m", "inst.wrap.cc", f"--inst-hooks={FILES / 'support.c'}"]
    command = [*own, *target.compiler, "-O1", "-static", "main.c", "-o", "main"]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, env=python_environment()
    )
    assert done.returncode == 0, done.stderr
    for variables, status in (({}, 7), ({"SUPPORT_ENDS": "1"}, -6)):
        ended = subprocess.run(
            command_for(tmp_path / "main", []),
            cwd=tmp_path,
            capture_output=True,
            text=True,
            env={**os.environ, "SUPPORT": "yes", **variables},
        )
        assert (ended.stdout, ended.returncode) == ("all was used\n", status)


def test_no_function_is_left_out() -> None:
    """What the header declares is what the library above uses."""
    declared = set(re.findall(r"\b\*?([A-Z_]{2,})\((?!\()", HEADER.read_text()))
    used = set(re.findall(r"\b([A-Z_]{2,})\(", (FILES / "support.c").read_text()))
    assert declared - used == set()
    assert len(declared) > 30
