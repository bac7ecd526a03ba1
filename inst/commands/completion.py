"""`inst completion`: scripts for shell completion of inst's and inst-cc's commands and options."""

from __future__ import annotations

import argparse
import sys

NAMES = ("bash", "zsh", "fish")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `inst completion`."""
    parser.add_argument("shell", choices=NAMES, help="the shell to write a script for")


def run(args: argparse.Namespace) -> int:
    """Print the script."""
    from inst.commands.shells import SHELLS

    sys.stdout.write(SHELLS[args.shell]())
    return 0
