"""`inst build`: run a build whose inst-cc does not start Python each time."""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from inst.cache.rooms import room
from inst.commands.run_wait import die_by, run_and_wait
from inst.common.colours import report
from inst.errors import InstError
from inst.server import PARENT, SERVER, make_commands, serving

_SERVER = "inst.wrap.server"
_COMMANDS = {"inst-cc": "inst.wrap.cc"}
"""What is served: each command and the module whose `main` it runs."""
_KEY = 12
"""Digits of a digest in a directory's name."""
_LONGEST = 70
"""Bytes of a directory's name in which a socket may be: the whole name may have 107."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `inst build`."""
    parser.add_argument("command", metavar="COMMAND", help="the build; add its arguments")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, metavar="ARGUMENT")


def run(args: argparse.Namespace) -> int:
    """Run the command, with inst-cc served; return its status."""
    sys.stdout.flush()
    with _served():
        program = shutil.which(args.command)
        if not program:
            raise InstError(f"command not found: {args.command}", hint="is it installed?")
        status = run_and_wait([program, *args.arguments])[1]
    if status < 0:
        die_by(-status)
    return status


def _directory() -> tempfile.TemporaryDirectory[str]:
    """Make a directory for the server, where the name of its socket is not too long."""
    base = tempfile.gettempdir()
    return tempfile.TemporaryDirectory(
        prefix="inst-build-", dir=base if len(os.fsencode(base)) < _LONGEST else "/tmp"
    )


def _client_directory() -> Path:
    """Return the directory of the cache for the commands that this installation serves."""
    installed = f"{sys.executable}\0{PARENT}"
    return room("commands", hashlib.sha256(installed.encode()).hexdigest()[:_KEY])


@contextmanager
def _served() -> Iterator[None]:
    """Put a served inst-cc first in PATH; where that is not possible, report why and go on."""
    around = os.environ.get(SERVER)
    if around and os.path.exists(os.path.join(around, "socket")):  # a build within a build
        yield
        return
    with ExitStack() as stack:
        directory = Path(stack.enter_context(_directory()))
        path = os.environ.get("PATH", os.defpath)
        stack.callback(os.environ.update, PATH=path)
        try:
            client = _client_directory()
            commands = make_commands(client, _COMMANDS)
            (directory / "python").symlink_to(client / "python")
            stack.enter_context(serving(directory, _SERVER))
            os.environ["PATH"] = f"{commands}{os.pathsep}{path}"
        except InstError as error:
            report(error.render().replace("error:", "warning:", 1))
        yield
