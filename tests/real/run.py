"""Build a program and run its tests: plain, with its assembly put aside, or instrumented."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path

from truth.gzip_truth import fetch_source
from truth.harness import ROOT, python_environment

from inst.target.emulator import Program, command_for, find_root
from inst.target.targets import Target
from tests.real.suite import Setting, Suite

WORK = ROOT / "build" / "real"
_OUTER_VARIABLES = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")
"""Variables that an outer make would pass to the suites' own."""
_GOOD = ("PASS", "OK", "Success", "Passed", "cmp", "Verification Hash")
"""What suites call a test that passed, or print of one that is compared with the plain one's."""
_LOADERS = {
    "ppc32": "/lib/ld.so.1",
    "ppc64": "/lib64/ld64.so.1",
    "ppc64le": "/lib64/ld64.so.2",
    "sparc-v8": "/lib/ld-linux.so.2",
    "sparc-v9": "/lib64/ld-linux.so.2",
}
_RECORDER = """#!/bin/sh
# The assembler, but for a copy of what it is given.
for last; do :; done
if [ -n "$RECORD" ] && [ -f "$last" ]; then cp "$last" "$RECORD/$$.s"; fi
exec {assembler} "$@"
"""
_REFUSAL = """#!/bin/sh
# inst-cc; a file of assembly that it refuses, though it compiles without it, is told of.
by_hand=
for word; do case $word in *.s|*.S) by_hand=yes ;; esac; done
[ -n "$by_hand" ] || exec {compiler} "$@"
said=$(mktemp)
{compiler} "$@" 2>"$said"
status=$?
cat "$said" >&2
if [ $status -ne 0 ] && ! grep -q Traceback "$said" && INST_DISABLE=1 {compiler} "$@"; then
    cat "$said" >>{log}
    status=0
fi
rm -f "$said"
exit $status
"""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a suite ended."""

    status: int
    results: tuple[tuple[str, str], ...]
    """Name and verdict of each test, sorted."""
    build_seconds: float
    test_seconds: float
    """Both elapsed."""
    output: str
    refused: str = ""
    """What inst-cc said of files that it refused."""

    @property
    def passed(self) -> int:
        """How many tests passed."""
        return sum(verdict in _GOOD for _, verdict in self.results)


@dataclass(frozen=True, slots=True)
class Place:
    """Where one build of a suite lies, and what is made beside it."""

    directory: Path

    @property
    def recorded(self) -> Path:
        """The assembly that was made."""
        return self.directory.with_name(self.directory.name + ".assembly")

    @property
    def tools(self) -> Path:
        """Scripts."""
        return self.directory.with_name(self.directory.name + ".tools")


def place_of(suite: Suite, target: Target, compiler: str, hooks: str) -> Place:
    """Return where a suite is built; no hooks: plain."""
    name = f"{suite.name}-{compiler}-{Path(hooks).stem or 'plain'}"
    return Place(WORK / target.name / name)


def run_suite(
    suite: Suite, target: Target, compiler: str, hooks: str, big: bool = False
) -> Outcome:
    """Build a program from scratch and run its tests."""
    start = time.monotonic()
    place, setting = build_suite(suite, target, compiler, hooks, big)
    built = time.monotonic()
    for pattern in suite.programs:
        for program in sorted(place.directory.glob(pattern)):
            if program.is_file() and program.read_bytes()[:4] == b"\x7fELF":
                _run_by_emulator(program)
    output, status = _run_tests(suite, place, setting)
    log = _log(suite, place) or output
    refused = place.tools / "refused"
    return Outcome(
        status,
        tuple(sorted(_results(suite, log))),
        built - start,
        time.monotonic() - built,
        output,
        refused.read_text() if refused.exists() else "",
    )


def build_suite(
    suite: Suite, target: Target, compiler: str, hooks: str, big: bool = False
) -> tuple[Place, Setting]:
    """Build a program from scratch; a plain build puts its assembly aside."""
    place = place_of(suite, target, compiler, hooks)
    for directory in (place.directory, place.recorded, place.tools):
        shutil.rmtree(directory, ignore_errors=True)
    place.recorded.mkdir(parents=True)
    place.tools.mkdir()
    setting = replace(_setting(place, target, compiler, hooks), big=big)
    if suite.assembly and hooks:
        _copy_without_assembly(suite, place_of(suite, target, compiler, ""), place)
    else:
        source = fetch_source(suite.name, WORK / "sources")
        shutil.copytree(source, place.directory, symlinks=True)
        suite.configure(place.directory, setting)
    recording = setting.environment | ({} if hooks else {"RECORD": str(place.recorded)})
    suite.make(place.directory, replace(setting, environment=recording))
    return place, setting


def _setting(place: Place, target: Target, compiler: str, hooks: str) -> Setting:
    """Return how to build, with the scripts that it needs written."""
    emulator = _script(place.tools / "emulate", _emulation(target))
    environment = {n: v for n, v in python_environment().items() if n not in _OUTER_VARIABLES}
    environment["INST_OUT"] = "/dev/null"
    if hooks:
        own = f"{sys.executable} -m inst.wrap.cc --inst-hooks={shlex.quote(hooks)}"
        said = _REFUSAL.format(compiler=own, log=place.tools / "refused")
        prefix, suffix = str(_script(place.tools / "inst-cc", said)), ""
    else:
        assembler = shutil.which(target.compiler[0].removesuffix("gcc") + "as")
        _script(place.tools / "as", _RECORDER.format(assembler=assembler))
        prefix, suffix = "", f"-B{place.tools}"
    return Setting(target, prefix, compiler, suffix, environment, emulator, hooks)


def _emulation(target: Target) -> str:
    loader = Program(Path(), "", target.machine, target.byte_order, _LOADERS[target.name])
    words = [str(shutil.which(target.emulator)), "-L", str(find_root(loader, target))]
    return f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n'


def _script(path: Path, text: str) -> Path:
    path.write_text(text)
    path.chmod(0o755)
    return path


def _copy_without_assembly(suite: Suite, plain: Place, place: Place) -> None:
    """Copy a plain build, but for the objects of its hand-written assembly and what has them."""
    shutil.copytree(plain.directory, place.directory, symlinks=True)
    for source in place.directory.glob(suite.assembly):
        for suffix in (".o", ".lo"):
            source.with_suffix(suffix).unlink(missing_ok=True)
    for library in place.directory.rglob("*.la"):
        library.unlink()
    for pattern in ("*.log", "*.o", "*.lo", "*.la"):
        for result in place.directory.glob(f"tests/**/{pattern}"):
            result.unlink(missing_ok=True)


def _run_by_emulator(program: Path) -> None:
    """Put a script in a program's place that runs it under its emulator."""
    real = program.with_name(program.name + ".real")
    program.rename(real)
    words = command_for(real, [], ("-0", program.name))
    _script(program, f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n')


def _run_tests(suite: Suite, place: Place, setting: Setting) -> tuple[str, int]:
    done = subprocess.run(
        suite.test(place.directory, setting),
        cwd=place.directory,
        env=setting.environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    place.directory.with_name(place.directory.name + ".log").write_text(done.stdout)
    return done.stdout, done.returncode


def _log(suite: Suite, place: Place) -> str:
    """Return what the tests wrote to a file; nothing if they print it."""
    paths = sorted(place.directory.rglob(suite.log)) if suite.log else []
    return "".join(path.read_text(errors="replace") for path in paths)


def _results(suite: Suite, log: str) -> list[tuple[str, str]]:
    """Return name and verdict of each test."""
    found = []
    for match in suite.result.finditer(log):
        named = match.groupdict()
        failed = named.get("failed")
        found.append((failed, "FAIL") if failed else (named["name"], named["verdict"]))
    return found


def log_of(suite: Suite, target: Target, compiler: str, hooks: str) -> str:
    """Return the name of the file that holds what the tests printed."""
    directory = place_of(suite, target, compiler, hooks).directory
    return os.path.relpath(directory.with_name(directory.name + ".log"))
