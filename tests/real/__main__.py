"""Real programs with test suites of their own, plain and through inst-cc.

    python -m tests.real [--target ppc32] [--program zlib] [--compiler clang] [--hooks hostile]

Builds gzip, zlib (static and shared), pugixml (C++), libffi and gmp (with assembly written by
hand), bzip2, lua, mawk, expat, json-c and sqlite from their Debian sources by their own build
systems, plain and instrumented (and gzip with musl, which is instrumented as well), runs their test
suites under the emulator and compares them test by test.  The plain compiler's assembly is checked
as well: each statement is known and comes back byte for byte, and the verifier has nothing to say
of what becomes of it.  The exit status is 1 if anything is different or wrong.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from inst.errors import InstError
from inst.target.targets import TARGETS, Target
from tests.real.run import Outcome, build_suite, log_of, place_of, run_suite
from tests.real.suite import COMPILERS, Suite
from tests.real.suites import SUITES
from tests.real.texts import check_texts

HOSTILE = str(Path(__file__).resolve().parent.parent / "runtime" / "files" / "hostile.c")
"""A library that changes every register its ABI lets it change."""


def main() -> int:
    """Run the suites that were asked for and say how each ended."""
    chosen = _parser().parse_args()
    suites = [suite for suite in SUITES if suite.name in (chosen.program or [suite.name])]
    good = True
    for name in chosen.target or sorted(TARGETS):
        for suite in suites:
            for compiler in chosen.compiler or COMPILERS[:1]:
                if compiler in suite.compilers and name in suite.targets:
                    good &= _check(suite, TARGETS[name], compiler, chosen)
    return int(not good)


def _check(suite: Suite, target: Target, compiler: str, chosen: argparse.Namespace) -> bool:
    """Run a suite plain and with each library, print all and return whether it is well."""
    title = f"{target.name} {suite.name} {compiler}"
    try:
        if chosen.assembly:
            build_suite(suite, target, compiler, "")
            return _check_texts(title, suite, target, compiler)
        plain = _run(suite, target, compiler, "", chosen.big)
        good = _tell(title, "plain", plain)
        good &= chosen.tests_only or _check_texts(title, suite, target, compiler)
        for library in chosen.hooks or ["rst"]:
            hooks = HOSTILE if library == "hostile" else library
            traced = _run(suite, target, compiler, hooks, chosen.big)
            good &= _tell(title, library, traced)
            good &= _same(title, library, plain, traced)
    except (InstError, RuntimeError, OSError) as error:
        print(f"{title}: error: {error}", flush=True)
        return False
    return good


def _run(suite: Suite, target: Target, compiler: str, hooks: str, big: bool) -> Outcome:
    print(f"... {log_of(suite, target, compiler, hooks)}", file=sys.stderr, flush=True)
    return run_suite(suite, target, compiler, hooks, big)


def _tell(title: str, name: str, outcome: Outcome) -> bool:
    print(
        f"{title} | {name} | {outcome.passed} of {len(outcome.results)} passed, status"
        f" {outcome.status} | built in {outcome.build_seconds:.0f} s, tested in"
        f" {outcome.test_seconds:.0f} s",
        flush=True,
    )
    for line in outcome.refused.splitlines():
        if ": error: " in line:
            print(f"{title} | {name} | refused: {line}", flush=True)
    return outcome.passed > 0


def _same(title: str, name: str, plain: Outcome, traced: Outcome) -> bool:
    """Compare test by test."""
    same = plain.results == traced.results and plain.status == traced.status
    print(f"{title} | {name} | {'the same tests pass' if same else 'DIFFERENT'}", flush=True)
    for test, verdict in sorted(set(plain.results) ^ set(traced.results))[:20]:
        where = "plain" if (test, verdict) in plain.results else name
        print(f"    {verdict} only {where}: {test}", flush=True)
    return same


def _check_texts(title: str, suite: Suite, target: Target, compiler: str) -> bool:
    found = check_texts(place_of(suite, target, compiler, "").recorded, target)
    print(
        f"{title} | assembly | {found.files} files, {found.statements} statements,"
        f" {found.instructions} instructions: {len(found.problems)} problems,"
        f" {found.refused} files refused",
        flush=True,
    )
    for problem in found.problems[:20]:
        print(f"    {problem}", flush=True)
    return not found.problems


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.real", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add = parser.add_argument
    add("--target", action="append", choices=sorted(TARGETS), help="default: all targets")
    add("--program", action="append", choices=[s.name for s in SUITES], help="default: all")
    add("--compiler", action="append", choices=COMPILERS, help="default: gcc")
    add("--hooks", action="append", help="hook library, or hostile (default: rst); repeatable")
    add("--assembly", action="store_true", help="check what the plain compiler makes, run nothing")
    add("--tests-only", action="store_true", help="do not check what the plain compiler makes")
    add(
        "--big",
        action="store_true",
        help="gzip's test of 4 GB, too, which takes an hour, expat's longest, and all of libffi's",
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
