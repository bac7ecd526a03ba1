"""The tools of a target's compiler: `ar`, `nm` and the compiler itself, all run from here."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from inst.errors import InstError
from inst.target.compilers import environment_outside_driver


def compiler_tool(command: list[str], name: str) -> str:
    """Return the compiler's own `ar`, `nm` or the like, or this machine's."""
    named = run_tool([*command, f"-print-prog-name={name}"]).decode().strip()
    return shutil.which(named) or shutil.which(name) or named


def run_tool(command: list[str], directory: Path | None = None, show: bool = False) -> bytes:
    """Run a tool of the compiler; its own message is the error when it fails.

    `show` passes on its messages where it does not fail, such as warnings.
    """
    import subprocess

    environment = {**environment_outside_driver(), "INST_DISABLE": "1", "LC_ALL": "C"}
    try:
        done = subprocess.run(command, cwd=directory, env=environment, capture_output=True)
    except OSError as error:
        raise InstError(f"cannot run {command[0]}: {error.strerror}") from None
    if done.returncode:
        message = done.stderr.decode(errors="replace").rstrip()
        raise InstError(f"the hook library does not compile\n{message}")
    if show and done.stderr:
        sys.stderr.write(done.stderr.decode(errors="replace"))
    return done.stdout
