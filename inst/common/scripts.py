"""Scripts given as programs: libtool's, which start a program, and others.

Until its libraries are installed, a program that libtool linked is in .libs, and a script with its
name sets LD_LIBRARY_PATH for it. `libtool --mode=execute` sets a variable that has the script print
the program's path (libtool's manual, section "Execute mode"); the same is done here.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from inst.errors import InstError

_START = 1024
"""Bytes at a script's start that are read to identify it."""
_ASK = """\
libtool_execute_magic='%%%MAGIC variable%%%'
file=$1 ECHO="printf %s\\\\n"
. "$1"
printf '\\n\\0%s\\0%s' "$progdir/$program" "$LD_LIBRARY_PATH"
"""


def interpreter(path: Path) -> str:
    """Return the interpreter that a script's first line names; "" if it is not a script."""
    start = _start(path)
    return os.fsdecode(start[2:].split(b"\n")[0]).strip() if start.startswith(b"#!") else ""


def is_of_libtool(path: Path) -> bool:
    """Return whether libtool wrote the script to start a program that is not installed."""
    start = _start(path)
    return start.startswith(b"#!") and b"wrapper script for" in start and b"libtool" in start


def program_of_script(path: Path) -> tuple[Path, str]:
    """Return the program of libtool's script, and LD_LIBRARY_PATH for it."""
    command = ["sh", "-c", _ASK, "sh", os.path.abspath(path)]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True)
    answer = done.stdout.rpartition(b"\n\0")[2].split(b"\0")
    program = Path(os.fsdecode(answer[0]))
    if done.returncode or len(answer) != 2 or not program.is_file():
        raise InstError(
            f"{path} is a script of libtool and does not print where its program is",
            hint=f"libtool --mode=execute inst run ... {path}, or the program itself, in .libs",
        )
    return program, os.fsdecode(answer[1])


def hint(path: Path) -> str:
    """Return a hint for a file that is not the program expected; "" if nothing is known."""
    if is_of_libtool(path):
        return f"it is a script of libtool: the program is {path.parent / '.libs' / path.name}"
    return "it is a script: name the program that it starts" if interpreter(path) else ""


def _start(path: Path) -> bytes:
    try:
        if not path.is_file():
            return b""
        with path.open("rb") as stream:
            return stream.read(_START)
    except OSError:
        return b""
