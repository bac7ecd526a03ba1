"""Exceptions that signal handlers throw: the run-time library's own frame lets them through."""

from __future__ import annotations

from pathlib import Path

import pytest

from inst.target.targets import TARGETS
from tests.conftest import Shell
from tests.emulator_limits import cannot_run

SOURCE = Path(__file__).parent / "thrown.cc"
RUN = [name for name in TARGETS if name not in cannot_run("signals/thrown.cc")]


@pytest.mark.parametrize("name", RUN)
@pytest.mark.parametrize("hooks", ["empty", "rst"])
def test_a_handler_may_throw(name: str, hooks: str, shell: Shell) -> None:
    target = TARGETS[name]
    compiler = [word.replace("gcc", "g++") for word in target.compiler]
    shell.check("inst-cc", f"--inst-hooks={hooks}", *compiler, "-O2", "-fnon-call-exceptions",
                "-static", SOURCE, "-o", "p")  # fmt: skip
    for words in ((), ("load",)):
        assert shell.check(target.emulator, "./p", *words, INST_OUT="p.rst") == "caught\n"
