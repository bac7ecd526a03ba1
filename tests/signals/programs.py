"""Programs of this folder, plain and instrumented."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from inst.target.emulator import command_for
from inst.target.targets import TARGETS
from tests.truth.harness import python_environment
from tests.warm import python

HERE = Path(__file__).parent
TIMED_ATOMICS = HERE / "timed_atomics.c"
NAMED = ("-0", "program")
"""The program's own name would be a difference between two runs."""

RECORD, LOADS = "record", "loads"
RECORDS = {RECORD: "--inst-record=values", LOADS: "--inst-record=loads"}
"""In the place of a hook library: the program records inline."""


@dataclass(frozen=True)
class Program:
    """One program, plain and instrumented."""

    plain: Path
    traced: Path

    def run(
        self, path: Path, *arguments: str, out: Path | str = "/dev/null", limit: int = 0
    ) -> subprocess.CompletedProcess[str]:
        """Run one of the two; a file it writes may have so many bytes at most, if not 0."""
        shortened = [f"prlimit --fsize={limit}"] if limit else []
        return subprocess.run(
            [*" ".join(["timeout -k1 25", *shortened]).split(), *self.command(path, *arguments)],
            env={**os.environ, "INST_OUT": str(out)},
            capture_output=True,
            text=True,
        )

    def command(self, path: Path, *arguments: str) -> list[str]:
        """Return the command that runs one of the two."""
        return command_for(path, list(arguments), NAMED)


Builder = Callable[..., Program]


def build(directory: Path, target_name: str, source: str, hooks: str, *options: str) -> Program:
    """Build a program of this folder twice."""
    target = TARGETS[target_name]
    options = options or ("-static",)
    command = [*target.compiler, "-w", "-O2", "-pthread", str(HERE / source), *options, "-o"]
    plain, traced = directory / "plain", directory / "traced"
    subprocess.run([*command, str(plain)], check=True)
    way = RECORDS.get(hooks, f"--inst-hooks={hooks}")
    own = [python(), "-m", "inst.wrap.cc", way]
    subprocess.run([*own, *command, str(traced)], check=True, env=python_environment())
    return Program(plain, traced)


def builder(directories: Callable[[], Path]) -> Builder:
    """Return `build` that builds each program once, in a directory of its own."""

    @cache
    def once(target: str, source: str, hooks: str, *options: str) -> Program:
        return build(directories(), target, source, hooks, *options)

    return once
