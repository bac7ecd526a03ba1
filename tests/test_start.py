"""How `inst` begins: an interrupt ends it without a traceback, and tools start fast."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from inst.paths import data
from inst.target.targets import TARGETS
from tests.conftest import require_tools
from tests.truth.harness import ROOT, python_environment

INTERRUPTED = """
import os, runpy, signal, sys

class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == {name!r}:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupt())
sys.argv = ["inst", "check", "--list"]
runpy.run_module("inst", run_name="__main__")
"""
PLACES = {
    "inst.cli": -signal.SIGINT,
    "inst.commands.check": -signal.SIGINT,
    "numpy": -signal.SIGINT,
    "inst.check.races": 130,
}
"""What is being imported when the interrupt comes, and the status: the last one by a command."""


@pytest.mark.parametrize("name", PLACES)
def test_an_interrupt_ends_it_without_a_traceback(name: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED.format(name=name)],
        env=python_environment(),
        capture_output=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        timeout=60,
    )
    assert (done.stderr, done.returncode) == (b"", PLACES[name])


def test_an_interrupt_that_is_ignored_stays_ignored() -> None:
    """As for what a shell starts in the background."""
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED.format(name="numpy")],
        env=python_environment(),
        capture_output=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
        timeout=60,
    )
    assert (done.stderr, done.returncode) == (b"", 0)
    assert b"races" in done.stdout


SLOW = frozenset(
    ("argparse", "dataclasses", "difflib", "inspect", "numpy", "pathlib", "pyparsing", "shutil",
     "subprocess", "typing")
)  # fmt: skip
"""Modules that take longer to import than a short file to translate."""
_IMPORTED = re.compile(r"^import time:.*\| +([\w.]+)$", re.MULTILINE)
SHORT = {
    "ppc32": ("-a32 -mppc", "\tlwz 3,8(9)\n\tstwx 3,9,10\n\tblr\n"),
    "ppc64le": ("-a64 -mlittle", "\tld 3,8(9)\n\taddis 4,2,x@toc@ha\n\tblr\n"),
    "sparc-v8": ("-Av8 -32", "\tld [%i0+8],%i0\n\tand %i0,0xff,%i0\n\tjmp %i7+8\n\t restore\n"),
    "sparc-v9": ("-Av9 -64", "\tldx [%o0+8],%o0\n\tretl\n\t nop\n"),
}


def test_inst_cc_imports_nothing_slow() -> None:
    """Compilers are started for every file of a build."""
    compiler = TARGETS["ppc32"].compiler[0]
    require_tools(compiler)
    command = [sys.executable, "-X", "importtime", "-m", "inst.wrap.cc", compiler, "-v"]
    done = subprocess.run(command, env=python_environment(), capture_output=True, text=True)
    assert done.returncode == 0
    assert "gcc version" in done.stderr and "inst.wrap.options" in _IMPORTED.findall(done.stderr)
    assert not SLOW & {*_IMPORTED.findall(done.stderr)}


@pytest.mark.parametrize("name", SHORT)
def test_the_assembler_imports_nothing_slow(name: str, tmp_path: Path) -> None:
    compiler = TARGETS[name].compiler[0]
    require_tools(compiler)
    options, text = SHORT[name]
    (tmp_path / "a.s").write_text(text)
    environment = {
        **python_environment(),
        "INST_PYTHON_PATH": os.pathsep.join([str(ROOT), *filter(None, sys.path)]),
        "INST_QUERY": compiler,
        "INST_FAMILY": "gcc",
    }
    tool = [sys.executable, "-X", "importtime", "-I", "-S", data("wrappers/start.py"), "assembler"]
    words = [data("wrappers/tools/as"), *options.split(), "-o", "a.o", "a.s"]
    done = subprocess.run(
        [*tool, *words], env=environment, cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert b"inst.level.values" in (tmp_path / "a.o").read_bytes()
    assert not SLOW & {*_IMPORTED.findall(done.stderr)}
