"""Programs under test: built with inst-cc, run where they can run, their traces checked.

The pytest plugin passes these to tests; other test runners may use them as well.
"""

from __future__ import annotations

import difflib
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path

from inst.check import Finding, Options, Report, check_trace
from inst.check.text import Writer
from inst.common.wholefile import whole_file
from inst.errors import InstError
from inst.program.program import Locator, Program
from inst.target.emulator import command_for
from inst.target.model import Target
from inst.target.targets import TARGETS
from inst.testing.event_lines import event_lines
from inst.trace import open_trace
from inst.trace.model import Kind, Trace

FLAGS = ("-g", "-O2", "-static")
BUILD_SECONDS, RUN_SECONDS = 300, 60
SHOWN = 60


class Findings(list[Finding]):
    """What checks found, and the same explained to a person."""

    def __init__(self, report: Report) -> None:
        super().__init__(report.findings)
        self.report = report

    @property
    def codes(self) -> list[str]:
        """The code of each finding, in their order."""
        return [finding.code for finding in self]

    @property
    def explained(self) -> str:
        writer = Writer(colour=False)
        return "\n".join([*writer.lines(self.report), writer.verdict(self.report)])


@lru_cache(maxsize=4)
def _read_program(path: Path, changed: int) -> Program:
    """Return a program's symbols and tables: read once, however many of its traces are checked."""
    return Program(path)


@dataclass(frozen=True)
class Run:
    """A program's run and its trace."""

    program: Path
    path: Path
    """The trace."""
    status: int
    output: str
    errors: str
    directory: Path
    """The directory that names of golden traces are relative to."""
    update: bool

    def trace(self) -> Trace:
        """Return the trace, opened anew."""
        return open_trace(self.path)

    @cached_property
    def counts(self) -> Counter[str]:
        """How many events there are of each kind: read, write, lock, tlbi ..."""
        found: Counter[str] = Counter()
        for rows in self.trace().events():
            for number, count in Counter(rows["kind"].tolist()).items():
                found[Kind(number).name.lower()] += count
        return found

    def findings(self, *checks: str, keep_going: bool = False, **settings: str) -> Findings:
        """Return the findings of the checks (all by default); a damaged trace is an InstError."""
        trace = self.trace()
        options = Options(keep_going, frozenset(checks), settings)
        locator = Locator([_read_program(self.program, self.program.stat().st_mtime_ns)], trace)
        report = check_trace(trace, checks or None, options, locator)
        if report.error:
            raise report.error
        return Findings(report)

    def check(self, *checks: str, **settings: str) -> None:
        """Fail with the findings explained, if there are any."""
        __tracebackhide__ = True
        found = self.findings(*checks, keep_going=False, **settings)
        assert not found, f"{self.program.name} {self.path.name}\n{found.explained}"

    def golden(self, name: str) -> None:
        """Compare the trace with a golden one; `--inst-update` writes it."""
        __tracebackhide__ = True
        path = self.directory / name
        lines = list(event_lines(self.trace(), self.program))
        if self.update:
            path.parent.mkdir(parents=True, exist_ok=True)
            with whole_file(path) as stream:
                stream.write("".join(f"{line}\n" for line in lines).encode())
            return
        assert path.exists(), f"{path} is not there; run pytest with --inst-update to write it"
        changes = _changes(path.read_text().splitlines(), lines)
        assert not changes, f"the trace differs from {path}\n{changes}"


def _changes(golden: list[str], lines: list[str]) -> str:
    """Return how a trace differs from the golden one; the beginning of it, if that is long."""
    found = list(difflib.unified_diff(golden, lines, "golden", "trace", lineterm="", n=2))
    more = [f"... and {len(found) - SHOWN} lines more"] if len(found) > SHOWN else []
    return "\n".join([*found[:SHOWN], *more])


@dataclass(frozen=True)
class Built:
    """A program that was built."""

    program: Path
    project: Project

    def run(
        self, *arguments: str, stdin: str = "", watch: str = "", status: int | None = 0,
        **variables: str,
    ) -> Run:  # fmt: skip
        """Run the program to its end; another exit status than expected is an AssertionError."""
        __tracebackhide__ = True
        project = self.project
        trace = project.place / f"{self.program.name}.{next(project.numbers)}.trace"
        environment = {**os.environ, **variables, "INST_OUT": str(trace)}
        environment.pop("INST_WATCH", None)
        if watch:
            environment["INST_WATCH"] = watch
        done = subprocess.run(
            command_for(self.program, list(arguments)),
            input=stdin.encode(),
            capture_output=True,
            env=environment,
            cwd=project.place,
            timeout=RUN_SECONDS,
        )
        output, errors = (text.decode(errors="replace") for text in (done.stdout, done.stderr))
        message = f"{self.program.name} {' '.join(arguments)} gave {done.returncode}"
        assert status is None or done.returncode == status, f"{message}\n{output}{errors}"
        return Run(self.program, trace, done.returncode, output, errors,
                   project.directory, project.update)  # fmt: skip


@dataclass
class Project:
    """A target to build for and a place to do it in."""

    target_name: str
    directory: Path
    """The directory that names of sources are relative to."""
    place: Path
    update: bool = False
    numbers: Iterator[int] = field(default_factory=lambda: iter(range(1, 1 << 30)))

    @property
    def target(self) -> Target:
        return TARGETS[self.target_name]

    def build(
        self,
        *sources: str | Path,
        flags: Iterable[str] = FLAGS,
        hooks: str = "sexp",
        compiler: Iterable[str] = (),
        name: str = "program",
    ) -> Built:
        """Compile and link C sources with inst-cc; the compiler's messages are the error."""
        program = self.place / name
        paths = [str(self.directory / source) for source in sources]
        command = [
            sys.executable, "-m", "inst.wrap.cc", f"--inst-hooks={hooks}",
            *(compiler or self.target.compiler), *flags, *paths, "-o", str(program),
        ]  # fmt: skip
        environment = dict(os.environ)
        package = str(Path(__file__).resolve().parents[2])
        search = [package, *environment.get("PYTHONPATH", "").split(os.pathsep)]
        environment["PYTHONPATH"] = os.pathsep.join(part for part in search if part)
        done = subprocess.run(command, capture_output=True, env=environment, timeout=BUILD_SECONDS)
        if done.returncode:
            message = done.stderr.decode(errors="replace").rstrip()
            raise InstError(f"{' '.join(map(str, sources))} cannot be built\n{message}")
        return Built(program, self)
