"""`python -m tests.verify`: instrument files and verify the result, without running it."""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from inst.arch.registry import architecture
from inst.errors import InstError
from inst.target.model import Targets
from inst.target.targets import TARGETS, Target
from inst.translate import Options

from .verify import verify, verify_rewriting


def main() -> int:
    """Verify each file and report how many passed."""
    parser = argparse.ArgumentParser(prog="python -m tests.verify", description=__doc__)
    parser.add_argument("--target", choices=sorted(TARGETS), required=True)
    parser.add_argument("--level", choices=("values", "addresses", "loads"), default="values")
    parser.add_argument("--record", action="store_true", help="code that records, not hooks")
    parser.add_argument("--flags", default="-O2 -g", help="for the compiler")
    parser.add_argument("--assemble", action="store_true", help="assemble both sides, too")
    parser.add_argument("--against", help="output without reports of restores, to verify")
    parser.add_argument("files", nargs="+", help="assembly, or anything the compiler takes")
    chosen = parser.parse_args()
    if chosen.level == "loads" and not chosen.record:
        parser.error("--level loads is for --record")
    target, bad = TARGETS[chosen.target], 0
    options = Options(chosen.level, record=chosen.record)
    for name in chosen.files:
        more = recording_flags(target) if chosen.record else ()
        source = assembly(Path(name), target, [*chosen.flags.split(), *more])
        flags = tuple(chosen.flags.split()) if chosen.assemble else None
        try:
            if chosen.against:
                rewritten = Path(chosen.against).read_text()
                problems = verify(
                    source, rewritten, target, chosen.level, flags, records=chosen.record
                )
            else:
                problems = verify_rewriting(source, target, options, name, flags)
        except InstError as error:
            print(f"{name}: refused\n{error.render()}")
            continue
        bad += bool(problems)
        for problem in problems:
            print(f"{name}: {problem}")
    print(f"{len(chosen.files) - bad} of {len(chosen.files)} files are as they should be")
    return 1 if bad else 0


def recording_flags(target: Target) -> tuple[str, ...]:
    """Return what inst-cc gives to GCC for code that records."""
    return architecture(target.isa).part(Targets).compiled_with(target.name, records=True)


def assembly(path: Path, target: Target, flags: list[str]) -> str:
    """Return a file as assembly; what does not compile is a RuntimeError."""
    if path.suffix == ".s":
        return path.read_text()
    option = "-E" if path.suffix == ".S" else "-S"
    command = [*target.compiler, *flags, "-w", option, "-o", "-", str(path)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}:\n{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
