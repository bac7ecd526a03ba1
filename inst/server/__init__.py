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

import hashlib
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import inst
from inst.cache.notes import WRITING
from inst.errors import InstError
from inst.paths import data

SERVER = "INST_SERVER"
"""The variable with the server's directory, which has `socket` and `python`."""
_COMPILERS = ("cc", "gcc", "clang", "tcc")
"""Names of compilers for the machine that inst runs on."""
PARENT = Path(inst.__file__).resolve().parent.parent
"""Where inst is imported from."""


def make_commands(directory: Path, commands: Mapping[str, str]) -> Path:
    """Make the commands that are served, unless they are there; return the directory for PATH.

    `directory` exists and has `python` afterwards; `commands` are names, each with the module whose
    `main` it runs. Builds remember where they have found a compiler: there it has to be after this
    server, too.  InstError: there is no compiler for the client, or the directory is not writable.
    """
    made, real = directory / "bin", directory / "real"
    quoted = {"REAL_PYTHON": sys.executable, "REAL_COMMANDS": str(real)}
    source = data("wrappers/client.c")
    key = hashlib.sha256(repr((quoted, commands, source.read_text())).encode()).hexdigest()
    files = [directory / "python", *(made / name for name in commands)]
    noted = directory / "key"
    try:
        if not all(file.exists() for file in (noted, *files)) or noted.read_text() != key:
            with tempfile.TemporaryDirectory(prefix=WRITING, dir=directory) as scratch:
                for parent in (made, real):
                    parent.mkdir(exist_ok=True)
                for name, module in commands.items():
                    _write(real / name, _script(module), Path(scratch))
                client = _compiled(source, quoted, Path(scratch))
                for file in files:
                    os.link(client, linked := Path(scratch, file.name))
                    linked.replace(file)
                _write(noted, key, Path(scratch))
    except OSError as error:
        raise InstError(f"cannot write {directory}: {error.strerror}") from None
    if not os.access(files[0], os.X_OK):  # of a file system that is mounted without
        raise InstError(
            f"programs in {directory} cannot be executed", hint="INST_CACHE names another directory"
        )
    return made


@contextmanager
def serving(directory: Path, module: str) -> Iterator[None]:
    """Run the server that a module's `main` starts; `directory` has the clients' `python`.

    InstError: the server does not start.
    """
    with subprocess.Popen(
        _command(module, directory), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as server:
        assert server.stdin and server.stdout
        if server.stdout.readline() != b"ready\n":
            raise InstError("the server of inst-cc did not start", hint="its message is above")
        os.environ[SERVER] = str(directory)
        try:
            yield
        finally:
            del os.environ[SERVER]
            server.stdin.close()


def _command(module: str, directory: Path) -> list[str]:
    start = f"import sys; sys.path.insert(0, {str(PARENT)!r}); from {module} import main; main()"
    return [sys.executable, "-P", "-c", start, str(directory)]


def _script(module: str) -> str:
    """Return a command that really starts, as an installation has it."""
    return (
        f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {str(PARENT)!r})\n"
        f"from {module} import main\nsys.exit(main())\n"
    )


def _write(file: Path, text: str, scratch: Path) -> None:
    """Write an executable text, which another process may be using, in one step."""
    written = scratch / "text"
    written.write_text(text)
    written.chmod(0o755)
    written.replace(file)


def _compiled(source: Path, quoted: Mapping[str, str], scratch: Path) -> Path:
    """Compile the client, which is `python` and the commands of the directory `real`."""
    compiler = next(filter(None, map(shutil.which, _COMPILERS)), None)
    if not compiler:
        raise InstError(
            "there is no C compiler for this machine, which inst's server needs",
            hint="sudo apt-get install gcc",
        )
    made = scratch / "client"
    defined = [f'-D{name}="{value}"' for name, value in quoted.items()]
    command = [compiler, "-O1", *defined, "-o", str(made), str(source)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise InstError(f"cannot compile inst's client: {shlex.join(command)}\n{done.stderr}")
    return made
