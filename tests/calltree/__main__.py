"""The calls of gzip, lua and a C++ program on all targets, against the emulator's record of them.

    python -m tests.calltree [--target ppc32] [--program lua]

Builds each program with --inst-functions, runs it under the emulator, which records the blocks
that it executes, and compares call by call what inst reconstructs from the trace: caller, callee,
call site, order, depth and end, and in which call each access was made.  The exit status is 1 if
anything is different.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from truth.emulator import build_plugins

from inst.target.targets import TARGETS
from tests.calltree.programs import NAMES
from tests.calltree.real import compare_program


def main() -> int:
    """Compare what was asked for and print a line for each program and target."""
    parser = argparse.ArgumentParser(prog="python -m tests.calltree", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--target", action="append", choices=sorted(TARGETS))
    parser.add_argument("--program", action="append", choices=NAMES)
    chosen, differences = parser.parse_args(), 0
    with tempfile.TemporaryDirectory() as temporary:
        plugins = build_plugins(Path(temporary))
        for name in chosen.program or NAMES:
            for target in chosen.target or sorted(TARGETS):
                found = compare_program(name, TARGETS[target], plugins, Path(temporary))
                print(
                    f"{name:8} {target:9} {found.calls:7} calls ({found.sites} with their sites),"
                    f" {found.returns} ends, {found.accesses} accesses:"
                    f" {found.differences} differences",
                    flush=True,
                )
                for text in found.shown:
                    print(f"    {text}", flush=True)
                differences += found.differences
    return int(differences > 0)


if __name__ == "__main__":
    sys.exit(main())
