"""System calls by `scv`, as the C library makes them where the system has that instruction."""

from __future__ import annotations

from pathlib import Path

import pytest

from inst.target.targets import TARGETS
from tests.conftest import Shell

HERE = Path(__file__).parent


@pytest.mark.parametrize("name", ["ppc64le"])
def test_vectored_calls_are_reported(name: str, shell: Shell) -> None:
    """The emulator raises SIGILL; a handler that is not instrumented makes the call."""
    compiler, programs = TARGETS[name].compiler, HERE / "programs"
    handler, program = programs / "vectored_handler.c", programs / "vectored.c"
    assert not shell.run(*compiler, "-O1", "-c", str(handler), "-o", "handler.o").returncode
    options = ("-O1", "-static", str(program), "handler.o", "-o", "a")
    show = f"--inst-hooks={HERE / 'hooks' / 'show.c'}"
    assert not shell.run("inst-cc", show, *compiler, *options).returncode
    done = shell.run("inst", "run", "./a")
    assert done.stdout == b"direct\n7 -9\n"
    kinds = ("call", "result", "error")
    lines = [line for line in done.stderr.decode().splitlines() if line.startswith(kinds)]
    assert lines == ["call 4 0", "result 4 7", "call 4 0", "error 4 9"]
