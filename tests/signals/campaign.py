"""`python -m tests.signals.campaign`: accidents in numbers that a test has no time for."""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
from collections.abc import Callable
from itertools import count, product
from pathlib import Path

from inst.target.targets import TARGETS
from tests.signals.accidents import KINDS, MEANWHILE, have_accident, kill_once
from tests.signals.programs import RECORD, Program, builder
from tests.signals.storms import REPORTED, raise_storm


def main() -> int:
    """Run the campaign and print what was seen."""
    parser = argparse.ArgumentParser(prog="python -m tests.signals.campaign", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--kills", type=int, default=200, help="for each target, library and what happens meanwhile"
    )
    parser.add_argument("--target", action="append", choices=sorted(TARGETS))
    parser.add_argument("--storm", type=int, default=10_000, help="signals, for each library too")
    parser.add_argument("--keep", help="directory for traces that are not right")
    parser.add_argument("--hooks", action="append", choices=("rst", "sexp", "stf", RECORD, "none"))
    chosen = parser.parse_args()
    chosen_hooks = chosen.hooks or ("rst", "sexp", "stf", RECORD)
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        numbers = count()

        def directory() -> Path:
            made = Path(name) / str(next(numbers))
            made.mkdir()
            return made

        built = builder(directory)
        for target in chosen.target or sorted(TARGETS):
            every = ("rst", "sexp", *(["stf"] if TARGETS[target].isa == "powerpc" else []))
            for hooks in (one for one in every if one in chosen_hooks):
                program = built(target, "victim.c", hooks)
                for meanwhile in MEANWHILE:
                    failed += kill_often(program, Path(name), chosen, meanwhile,
                                         f"{target} {hooks} {meanwhile}")  # fmt: skip
                failed += have_accidents(program, directory, f"{target} {hooks}")
            if RECORD in chosen_hooks:
                program = built(target, "victim.c", RECORD)
                for meanwhile, packed in product(MEANWHILE, (False, True)):
                    form = "compressed" if packed else "plain"
                    failed += kill_often(program, Path(name), chosen, meanwhile,
                                         f"{target} record {form} {meanwhile}", packed)  # fmt: skip
            for hooks in ("empty", "count", *every, REPORTED) if chosen.storm else ():
                program = built(target, "storm.c", hooks)
                name_of_it = f"{target} {Path(hooks).stem} storm"
                try:
                    seen = raise_storm(program, chosen.storm, directory(), eager=True)
                except AssertionError as error:
                    seen, failed = f"WRONG: {error}", failed + 1
                print(f"{name_of_it}: {seen}", flush=True)
    return 1 if failed else 0


def kill_often(
    program: Program,
    directory: Path,
    chosen: argparse.Namespace,
    meanwhile: str,
    name: str,
    compressed: bool = False,
) -> int:
    """Kill a program as often as wanted; return how often its trace was not right."""
    chance = random.Random(chosen.seed)
    held = []
    for _ in range(chosen.kills):
        try:
            held.append(kill_once(program, directory, chance, meanwhile, compressed=compressed))
        except (AssertionError, ValueError) as error:
            print(f"{name} killed: {error}", flush=True)
            if chosen.keep:
                shutil.copy(directory / "out", Path(chosen.keep) / name.replace(" ", "-"))
    print(
        f"{name}: killed {chosen.kills} times, {len(held)} right; numbers in the trace "
        f"{min(held, default=0)} to {max(held, default=0)}",
        flush=True,
    )
    return chosen.kills - len(held)


def have_accidents(program: Program, directory: Callable[[], Path], name: str) -> int:
    """Let a program have each accident; return how many went wrong."""
    failed = 0
    for kind in KINDS:
        try:
            seen = have_accident(program, kind, directory())
        except AssertionError as error:
            seen, failed = f"WRONG: {error}", failed + 1
        print(f"{name} {kind}: {seen}", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
