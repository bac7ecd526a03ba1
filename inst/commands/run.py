"""inst run: run a program, under the right emulator when it is foreign."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from pathlib import Path

from inst.errors import InstError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `inst run`."""
    parser.add_argument(
        "-o",
        "--output",
        metavar="TRACE",
        help="write the trace to this file (%%p becomes the process id)",
    )
    parser.add_argument("program", metavar="PROGRAM", help="the program; add its arguments")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, metavar="ARGUMENT")


def run(args: argparse.Namespace) -> int:
    """Become the program, or its emulator running it."""
    from inst.emulator import command_for

    command = command_for(_find(args.program), args.arguments)
    if args.output:
        os.environ["INST_OUT"] = os.path.abspath(args.output)
    sys.stdout.flush()
    try:
        os.execv(command[0], command)
    except OSError as error:
        raise InstError(f"cannot run {command[0]}: {error.strerror}") from error


def _find(name: str) -> Path:
    path = Path(name)
    if path.is_dir():
        raise InstError(f"{name} is a directory, not a program")
    if not path.exists() and "/" not in name and (found := shutil.which(name)):
        return Path(found)
    return path.absolute() if "/" not in name else path
