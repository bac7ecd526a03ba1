"""Real programs with test suites of their own, plain and through inst-cc.

    python -m tests.classic.programs [--target ppc32] [--program zlib] [--hooks rst]

Builds gzip, zlib (static and shared) and pugixml (C++) from their Debian sources by their own
makefiles, once plain and once instrumented, and runs their test suites under the emulator.  The
exit status is 1 if a suite does not end the same for both, or fails.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from truth.gzip_truth import HOSTS, NO_REMAKE, fetch_source
from truth.harness import ROOT, python_environment

from inst.emulator import command_for
from inst.errors import InstError
from inst.targets import TARGETS, Target
from tests.classic.workloads import WORK, execute

_OUTER_VARIABLES = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")
"""What an outer make would tell the suites' own."""


@dataclass(frozen=True, slots=True)
class Suite:
    """A program and how its tests are run."""

    name: str
    sources: Path
    """Where its source is kept, or fetched to."""
    build: Callable[[Path, Target, Callable[[str], str]], None]
    """Called with directory, target and what gives the command for a compiler."""
    programs: tuple[str, ...]
    """The executables that the tests start; patterns."""
    test: tuple[str, ...]
    """The command that runs the tests."""
    passes: str
    """A line of its output for each test that passed, or one with their number as group 1."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a suite ended."""

    status: int
    passed: int
    build_seconds: float
    test_seconds: float
    """Both elapsed."""
    output: str


def run_suite(suite: Suite, target: Target, hooks: str) -> Outcome:
    """Build a program from scratch and run its tests; no hooks: plain."""
    directory = WORK / target.name / f"{suite.name}-suite-{'traced' if hooks else 'plain'}"
    shutil.rmtree(directory, ignore_errors=True)
    directory.parent.mkdir(parents=True, exist_ok=True)
    shutil.copytree(fetch_source(suite.name, suite.sources), directory, symlinks=True)
    own = [sys.executable, "-m", "inst.wrap.cc", f"--inst-hooks={hooks}"] if hooks else []

    def compiler(language: str) -> str:
        driver = target.compiler[0].removesuffix("gcc") + language
        return " ".join([*own, driver, *target.compiler[1:]])

    start = time.monotonic()
    suite.build(directory, target, compiler)
    built = time.monotonic()
    for pattern in suite.programs:
        for program in sorted(directory.glob(pattern)):
            _run_by_emulator(program)
    environment = {**_environment(), "INST_OUT": "/dev/null"}
    done = subprocess.run(
        suite.test,
        cwd=directory,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    found = re.findall(suite.passes, done.stdout, re.MULTILINE)
    passed = int(found[0]) if re.compile(suite.passes).groups and found else len(found)
    return Outcome(done.returncode, passed, built - start, time.monotonic() - built, done.stdout)


def _environment() -> dict[str, str]:
    made = python_environment()
    return {name: value for name, value in made.items() if name not in _OUTER_VARIABLES}


def _run_by_emulator(program: Path) -> None:
    """Put a script in a program's place that runs it under its emulator."""
    real = program.with_name(program.name + ".real")
    program.rename(real)
    words = command_for(real, [], ("-0", program.name))
    program.write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n')
    program.chmod(0o755)


def _build_gzip(directory: Path, target: Target, compiler: Callable[[str], str]) -> None:
    command = ["./configure", f"--host={HOSTS[target.name]}", f"CC={compiler('gcc')}"]
    execute([*command, "CFLAGS=-g -O2"], directory, _environment())
    execute(["make", *NO_REMAKE], directory, _environment())


def _build_zlib(directory: Path, target: Target, compiler: Callable[[str], str]) -> None:
    environment = {**_environment(), "CC": compiler("gcc"), "CHOST": HOSTS[target.name]}
    environment |= {"AR": target.compiler[0].removesuffix("gcc") + "ar", "CFLAGS": "-O3 -g"}
    execute(["./configure", "--uname=Linux"], directory, environment)
    execute(["make", "all"], directory, environment)


def _build_pugixml(directory: Path, target: Target, compiler: Callable[[str], str]) -> None:
    # Its own flags make warnings errors, and gcc has learnt more warnings since.
    command = ["make", f"CXX={compiler('g++')}", "CXXFLAGS=-O2 -g -w -std=c++11", "BUILD=build"]
    execute(command, directory, _environment())


SUITES = (
    Suite(
        "gzip",
        ROOT / "build" / "gzip",
        _build_gzip,
        ("gzip",),
        ("make", "check", *NO_REMAKE),
        r"^# PASS: +(\d+)$",
    ),
    Suite(
        "zlib",
        WORK / "sources",
        _build_zlib,
        ("example", "minigzip", "examplesh", "minigzipsh", "example64", "minigzip64"),
        ("make", "test"),
        r"zlib(?: shared| 64-bit)? test OK",
    ),
    Suite(
        "pugixml",
        WORK / "sources",
        _build_pugixml,
        ("build/test",),
        ("build/test",),
        r"^Success: (\d+) tests passed",
    ),
)


def main() -> int:
    """Run the suites that were asked for and say how each ended."""
    chosen = _parser().parse_args()
    failed = False
    for target in chosen.target or sorted(TARGETS):
        for suite in SUITES:
            if chosen.program and suite.name not in chosen.program:
                continue
            try:
                failed = not compare(suite, TARGETS[target], chosen.hooks) or failed
            except (InstError, RuntimeError) as error:
                print(f"{target} {suite.name}: error: {error}", flush=True)
                failed = True
    return int(failed)


def compare(suite: Suite, target: Target, hooks: str) -> bool:
    """Run a suite plain and instrumented, print both, and return whether all is well."""
    print(f"{target.name} {suite.name}: plain", file=sys.stderr, flush=True)
    plain = run_suite(suite, target, "")
    print(f"{target.name} {suite.name}: instrumented", file=sys.stderr, flush=True)
    traced = run_suite(suite, target, hooks)
    good = plain.status == traced.status == 0 and plain.passed == traced.passed > 0
    for name, outcome in (("plain", plain), ("instrumented", traced)):
        log = WORK / f"{suite.name}-{target.name}-{name}.log"
        log.write_text(outcome.output)
        print(
            f"{target.name} {suite.name} {name}: {outcome.passed} passed, status {outcome.status},"
            f" built in {outcome.build_seconds:.0f} s, tested in {outcome.test_seconds:.0f} s"
            f" ({os.path.relpath(log)})",
            flush=True,
        )
    print(
        f"{target.name} {suite.name}: {'the same' if good else 'DIFFERENT or failed'}", flush=True
    )
    return good


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.classic.programs", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument(
        "--target", action="append", choices=sorted(TARGETS), help="default: all targets"
    )
    parser.add_argument(
        "--program", action="append", choices=[suite.name for suite in SUITES], help="default: all"
    )
    parser.add_argument("--hooks", default="rst", help="hook library (default: %(default)s)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
