"""The calls of gzip, lua and a C++ program on all targets, against the emulator's record of them.

    python -m tests.calltree [--target ppc32] [--program lua] [--way functions]

Builds each program, runs it under the emulator, which records the blocks that it executes, and
compares what inst reconstructs from a trace.  The ways:

functions     compiled with --inst-functions: caller, callee, call site, order, depth and end of
              each call, and in which call each access was made
instructions  plain and static, a trace of every instruction: the program's own calls
accesses      what accesses show with certainty: nothing that was not

The exit status is 1 if anything is different.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from itertools import product
from pathlib import Path

from truth.emulator import build_plugins

from inst.target.targets import TARGETS
from tests.calltree.programs import NAMES
from tests.calltree.real import WAYS


def main() -> int:
    """Compare what was asked for and print a line for each program and target."""
    parser = argparse.ArgumentParser(prog="python -m tests.calltree", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--target", action="append", choices=sorted(TARGETS))
    parser.add_argument("--program", action="append", choices=NAMES)
    parser.add_argument("--way", action="append", choices=WAYS)
    chosen, differences = parser.parse_args(), 0
    with tempfile.TemporaryDirectory() as temporary:
        plugins = build_plugins(Path(temporary))
        for way, name, target in product(
            chosen.way or WAYS, chosen.program or NAMES, chosen.target or sorted(TARGETS)
        ):
            found = WAYS[way](name, TARGETS[target], plugins, Path(temporary))
            print(
                f"{way:12} {name:8} {target:9} {found.calls:6} calls ({found.sites} with their"
                f" sites), {found.returns} ends, {found.accesses} accesses:"
                f" {found.differences} differences",
                flush=True,
            )
            for text in found.shown:
                print(f"    {text}", flush=True)
            differences += found.differences
    return int(differences > 0)


if __name__ == "__main__":
    sys.exit(main())
