"""Start inst's commands as `inst build` starts inst-cc: forked by a process that has imported inst.

Every command of the tests is served, and not only inst-cc: `inst.server` says how.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from inst import server

ROOT = Path(__file__).resolve().parent.parent.parent
SERVER = server.SERVER
COMMANDS = {"inst": "inst.cli", "inst-cc": "inst.wrap.cc"}
"""Each command and the module whose `main` it runs."""

_STACK = ExitStack()
_WHERE: list[Path] = []


@contextmanager
def allowed(directory: Path) -> Iterator[None]:
    """Let the first command that is wanted start a server, which has this directory."""
    _WHERE.append(directory)
    with _STACK:
        yield
    _WHERE.clear()


def commands() -> Path:
    """Return the directory with inst and inst-cc; the server is started first."""
    if SERVER not in os.environ:
        _STACK.enter_context(serving(_WHERE[0]))
    return Path(os.environ[SERVER]) / "bin"


def python() -> str:
    """Return the Python for commands that tests run: this one, where no server is allowed."""
    return str(commands().parent / "python") if _WHERE else sys.executable


@contextmanager
def serving(directory: Path) -> Iterator[Path]:
    """Run a server; the directory with its inst and inst-cc is what `with` gives."""
    made = server.make_commands(directory, COMMANDS)
    with server.serving(directory, "tests.warm.server"):
        yield made
