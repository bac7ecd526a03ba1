"""`make classic`, or `python -m tests.classic`: the tables of the 1994 paper, for today.

Builds gzip, tcc and busybox's vi from their Debian sources, plain and instrumented, runs them,
and prints what instrumentation costs and how often each hook was called.  The exit status is 1
if an instrumented program wrote anything else than the plain one, or loaded a value that
nothing in its trace explains.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path

from truth.emulator import Plugins, build_plugins
from truth.harness import python_environment

from inst.errors import InstError
from inst.target.targets import TARGETS, Target
from tests.classic.run import TASKS, Inputs, Outcome, make_inputs, run_task
from tests.classic.tables import Measured, as_text
from tests.classic.workloads import WORK, Variant, build

PLAIN = Variant("plain")
VARIANTS = (
    PLAIN,
    Variant("liveness", "empty"),
    Variant("liveness, stack check", "empty", stack_check=True),
    Variant("save everything", "empty", always=True),
    Variant("save everything, stack check", "empty", always=True, stack_check=True),
)
COUNT = Variant("count", "count")
TRACE = Variant("trace", "rst")
_SMALL_BYTES = 1 << 14
"""What gzip packs where a trace is written; more would be hundreds of megabytes."""


def main() -> int:
    """Measure, print, and say by the status whether all outputs were the same."""
    chosen = _parser().parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    programs = list(dict.fromkeys(TASKS[task] for task in chosen.task or TASKS))
    tasks = [task for task in TASKS if task in (chosen.task or TASKS)]
    failed = False
    try:
        plugins = build_plugins(WORK)
        inputs = make_inputs(WORK / "inputs", chosen.bytes, small=False)
        small = make_inputs(WORK / "small", _SMALL_BYTES, small=True)
        for name in chosen.target or ["sparc-v8", "ppc32"]:
            measured = Measured(name)
            variants = [v for v in VARIANTS if not v.stack_check or TARGETS[name].isa == "sparc"]
            for program in programs:
                own = [task for task in tasks if TASKS[task] == program]
                try:
                    if not chosen.traces_only:
                        measure(measured, program, own, variants, inputs, plugins, chosen.repeats)
                    check_traces(measured, program, own, small)
                except RuntimeError as error:  # what the others gave is worth printing
                    measured.different.append(f"{name} {program}: {error}")
            print(as_text(measured, tasks, [variant.name for variant in variants]), end="\n\n")
            for difference in measured.different:
                print(f"DIFFERENT: {difference}")
            failed = failed or bool(measured.different) or bool(measured.unsound)
    except (InstError, RuntimeError) as error:
        print(f"tests.classic: error: {error}", file=sys.stderr)
        return 2
    return int(failed)


def measure(
    measured: Measured,
    program: str,
    tasks: list[str],
    variants: list[Variant],
    inputs: Inputs,
    plugins: Plugins,
    repeats: int,
) -> None:
    """Build a program in all variants, and run its tasks with each."""
    target = TARGETS[measured.target]
    expected: dict[str, Outcome] = {}
    for variant in [*variants, COUNT]:
        made = _build(program, variant, target)
        for task in tasks:
            _say(f"{target.name} {task}, {variant.name}: running")
            outcome = run_task(task, made, inputs, plugins)
            wanted = expected.setdefault(task, outcome).result
            _compare(measured, task, variant, outcome, wanted)
            if variant == COUNT:
                measured.counts[task] = read_counts(outcome.errors)
                continue
            measured.instructions[task, variant.name] = outcome.instructions
            times = [run_task(task, made, inputs) for _ in range(repeats)]
            for timed in times:
                _compare(measured, task, variant, timed, wanted)
            measured.seconds[task, variant.name] = min(timed.seconds for timed in times)


def _compare(
    measured: Measured, task: str, variant: Variant, outcome: Outcome, wanted: tuple[bytes, ...]
) -> None:
    if outcome.result != wanted:
        said = outcome.errors.decode(errors="replace")[-300:]
        text = f"{measured.target} {task}, {variant.name}: not what the plain one wrote; {said}"
        measured.different.append(text)


def read_counts(errors: bytes) -> dict[str, int]:
    """Read the table that the hook library count writes when a program ends."""
    rows = re.findall(r"^(\w+) +(\d+)$", errors.decode(errors="replace"), re.MULTILINE)
    return {name: int(number) for name, number in rows}


def check_traces(measured: Measured, program: str, tasks: list[str], small: Inputs) -> None:
    """Trace a program on small inputs and look for loads of values that no store explains."""
    target = TARGETS[measured.target]
    made = {variant: _build(program, variant, target) for variant in (PLAIN, TRACE)}
    for task in tasks:
        _say(f"{target.name} {task}: tracing and checking")
        trace = WORK / "trace.rst"
        wanted = run_task(task, made[PLAIN], small).result
        traced = run_task(task, made[TRACE], small, environment={"INST_OUT": str(trace)})
        _compare(measured, task, TRACE, traced, wanted)
        status, measured.findings[task] = check_memory(trace, made[TRACE])
        if status:
            measured.unsound.append(task)
        trace.unlink()


def check_memory(trace: Path, program: Path) -> tuple[int, str]:
    """Return what the check memory-sound says of a trace, at most its first findings.

    It is strict: the program has one thread, and all that touches its memory is told.
    """
    words = ["check", "--only", "memory-sound", "--set", "memory=strict", str(trace)]
    command = [sys.executable, "-m", "inst", *words]
    done = subprocess.run(
        command, capture_output=True, text=True, env=python_environment(), cwd=program.parent
    )
    lines = (done.stdout + done.stderr).splitlines()
    size = f"{trace.stat().st_size >> 20} MB"
    return done.returncode, "\n    ".join([f"{size}, status {done.returncode}", *lines[:40]])


def _build(program: str, variant: Variant, target: Target) -> Path:
    _say(f"{target.name} {program}, {variant.name}: building")
    return build(program, variant, target)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.classic", description=__doc__)
    parser.add_argument(
        "--target", action="append", choices=sorted(TARGETS), help="default: sparc-v8 and ppc32"
    )
    parser.add_argument("--task", action="append", choices=sorted(TASKS), help="default: all")
    parser.add_argument(
        "--traces-only", action="store_true", help="only trace small inputs and check the traces"
    )
    parser.add_argument(
        "--bytes", type=int, default=1 << 18, help="what gzip compresses (default: %(default)s)"
    )
    parser.add_argument(
        "--repeats", type=int, default=3, help="the least time of so many (default: %(default)s)"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
