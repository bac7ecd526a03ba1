"""Start commands without starting Python each time.

Most of what a short command takes is the start of Python and the import of modules.  A server
(`process.py`) has done both.  A command's name then is that of a small program
(`wrappers/client.c`), which has the server fork a process with its own arguments, environment,
directory and open files, and ends as that ends.

Whatever a fork would not do as a real start does is really started: other limits, users, sessions,
or variables of Python than the server's (`process.py` and `client.c` compare them), and every
command where `SERVER` is not set, or its server has ended.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import inst
from inst.errors import InstError
from inst.paths import data

SERVER = "INST_SERVER"
"""The variable with the server's directory: `socket`, `python`, and the commands in `bin/`."""
_COMPILERS = ("cc", "gcc", "clang", "tcc")
"""Names of compilers for the machine that inst runs on."""
PARENT = Path(inst.__file__).resolve().parent.parent
"""Where inst is imported from."""


@contextmanager
def serving(directory: Path, module: str, commands: Mapping[str, str]) -> Iterator[Path]:
    """Run the server that a module's `main` starts; yield the directory with the commands.

    `directory` exists and is empty; `commands` are names, each with the module whose `main` it
    runs.  InstError: there is no compiler for the client, or the server does not start.
    """
    made, real = directory / "bin", directory / "real"
    made.mkdir()
    real.mkdir()
    for name, of_name in commands.items():
        _write_script(real / name, of_name)
    _compile(directory / "python", real)
    for name in commands:
        os.link(directory / "python", made / name)
    with subprocess.Popen(
        _command(module, directory), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as server:
        assert server.stdin and server.stdout
        if server.stdout.readline() != b"ready\n":
            raise InstError("the server of inst-cc did not start", hint="its message is above")
        os.environ[SERVER] = str(directory)
        try:
            yield made
        finally:
            del os.environ[SERVER]
            server.stdin.close()


def _command(module: str, directory: Path) -> list[str]:
    start = f"import sys; sys.path.insert(0, {str(PARENT)!r}); from {module} import main; main()"
    return [sys.executable, "-P", "-c", start, str(directory)]


def _write_script(script: Path, module: str) -> None:
    """Write a command that really starts, as an installation has it."""
    script.write_text(
        f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {str(PARENT)!r})\n"
        f"from {module} import main\nsys.exit(main())\n"
    )
    script.chmod(0o755)


def _compile(made: Path, real: Path) -> None:
    """Compile the client: `python`, and under their names the commands of the directory `real`."""
    compiler = next(filter(None, map(shutil.which, _COMPILERS)), None)
    if not compiler:
        raise InstError(
            "there is no C compiler for this machine, which inst's server needs",
            hint="sudo apt-get install gcc",
        )
    quoted = {"REAL_PYTHON": sys.executable, "REAL_COMMANDS": str(real)}
    defined = [f'-D{name}="{value}"' for name, value in quoted.items()]
    command = [compiler, "-O1", *defined, "-o", str(made), str(data("wrappers/client.c"))]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise InstError(f"cannot compile inst's client: {shlex.join(command)}\n{done.stderr}")
