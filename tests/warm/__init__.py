"""Start inst's commands without starting Python each time.

Most of what a short command takes is the start of Python and the import of modules.  In a run of
the tests, a server (`server.py`) has done both: `inst`, `inst-cc`, and the Python that runs inst's
assembler and linker, are a small program (`client.c`) that has the server fork a process with its
own arguments, environment, directory and standard streams, and ends as this ends.

Whatever a fork would not do as a real start does is really started: other streams, limits, users,
sessions, or variables of Python than the server's (`server.py` and `client.c` compare them), and
every command where `SOCKET` is not set.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SOCKET, PYTHON = "WARM_SOCKET", "WARM_PYTHON"
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
    """Return the directory with inst, inst-cc and python; the server is started first."""
    if PYTHON not in os.environ:
        _STACK.enter_context(serving(_WHERE[0]))
    return Path(os.environ[PYTHON]).parent


def python() -> str:
    """Return the Python for commands that tests run: this one, where no server is allowed."""
    return str(commands() / "python") if _WHERE else sys.executable


def make_commands(directory: Path) -> None:
    """Make inst and inst-cc as an installation makes them."""
    for name, module in COMMANDS.items():
        script = directory / name
        script.write_text(
            f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {str(ROOT)!r})\n"
            f"from {module} import main\nsys.exit(main())\n"
        )
        script.chmod(0o755)


@contextmanager
def serving(directory: Path) -> Iterator[Path]:
    """Run a server; yield the directory with its inst, inst-cc and python."""
    real, made = directory / "real", directory / "commands"
    real.mkdir()
    made.mkdir()
    make_commands(real)
    _compile(real, made / "inst")
    for name in ("inst-cc", "python"):
        os.link(made / "inst", made / name)
    socket = directory / "socket"
    command = [sys.executable, "-m", "tests.warm.server", str(socket), str(made / "python")]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as server:
        assert server.stdout and server.stdout.readline() == b"ready\n"
        os.environ |= {SOCKET: str(socket), PYTHON: str(made / "python")}
        try:
            yield made
        finally:
            os.environ.pop(SOCKET)
            os.environ.pop(PYTHON)
            assert server.stdin
            server.stdin.close()


def _compile(real: Path, made: Path) -> None:
    quoted = {"REAL_PYTHON": sys.executable, "REAL_COMMANDS": str(real)}
    defined = [f'-D{name}="{value}"' for name, value in quoted.items()]
    command = ["gcc", "-O1", "-Wall", "-Wextra", "-Werror", *defined]
    command += ["-o", str(made), str(HERE / "client.c")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, f"{shlex.join(command)}:\n{done.stderr}"
