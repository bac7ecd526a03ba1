"""`python -m tests.signals.campaign`: accidents in numbers that a test has no time for."""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from itertools import count
from pathlib import Path

from inst.targets import TARGETS
from tests.signals.accidents import KINDS, have_accident, kill_once
from tests.signals.programs import builder


def main() -> int:
    """Run the campaign and print what was seen."""
    parser = argparse.ArgumentParser(prog="python -m tests.signals.campaign", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kills", type=int, default=200, help="for each target and library")
    parser.add_argument("--target", action="append", choices=sorted(TARGETS))
    parser.add_argument("--hooks", action="append", choices=("rst", "sexp"))
    chosen = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        numbers = count()

        def directory() -> Path:
            made = Path(name) / str(next(numbers))
            made.mkdir()
            return made

        built = builder(directory)
        for target in chosen.target or sorted(TARGETS):
            for hooks in chosen.hooks or ("rst", "sexp"):
                program = built(target, "victim.c", hooks)
                chance = random.Random(chosen.seed)
                held = []
                for _ in range(chosen.kills):
                    try:
                        held.append(kill_once(program, directory(), chance))
                    except (AssertionError, ValueError) as error:
                        print(f"{target} {hooks} killed: {error}", flush=True)
                        failed += 1
                print(f"{target} {hooks}: killed {chosen.kills} times, {len(held)} right; numbers "
                      f"in the trace {min(held)} to {max(held)}", flush=True)  # fmt: skip
                for kind in KINDS:
                    try:
                        seen = have_accident(program, kind, directory())
                    except AssertionError as error:
                        seen, failed = f"WRONG: {error}", failed + 1
                    print(f"{target} {hooks} {kind}: {seen}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
