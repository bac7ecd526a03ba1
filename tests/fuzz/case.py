"""One random program: which one a seed makes, how it is instrumented, and what is wrong then."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from truth.emulator import Plugins

from inst.target.targets import TARGETS
from tests.fuzz import c_program
from tests.fuzz.assembly import Subject, judge_assembly
from tests.fuzz.events import choose_events, write_events
from tests.fuzz.exceptions import choose_exceptions, write_exceptions
from tests.fuzz.machines import generate
from tests.fuzz.manner import HOSTILE, Manner, choose, recorded, without_failing
from tests.fuzz.powerpc_power10 import is_chosen
from tests.fuzz.statements import judge_statements, write_statements

HERE = Path(__file__).resolve().parent
HOOKS = (
    ("empty", "values"),
    (HOSTILE["values"], "values"),
    ("rst", "values"),
    (HOSTILE["addresses"], "addresses"),
)


_MANNERS: dict[str, Callable[[str, int], Manner]] = {
    "c": choose,
    "events": choose_events,
    "exceptions": choose_exceptions,
    "loads": lambda target, seed: recorded(choose(target, seed)),
    "throws": lambda target, seed: recorded(choose_exceptions(target, seed)),
}
"""Of kinds that a compiler makes."""
KINDS = ("assembly", *_MANNERS, "statements")
"""What programs are made of.

Those of `loads` are of C, those of `throws` of C++ with exceptions, and those of `events` of C with
threads and signals: all three are recorded, and executed again.
"""


@dataclass(frozen=True, slots=True)
class Case:
    """A program that a seed makes, and how it is instrumented."""

    kind: str
    """One of `KINDS`."""
    target: str
    seed: int

    @property
    def name(self) -> str:
        """Return what the case is called in messages and files."""
        return f"{self.kind}-{self.target}-{self.seed}"

    @property
    def is_compiled(self) -> bool:
        """Return whether a compiler makes it from C or C++."""
        return self.kind in _MANNERS

    def manner(self) -> Manner:
        """Return how a compiler makes it."""
        manner = _MANNERS[self.kind](self.target, self.seed)
        return without_failing(manner) if is_chosen(self.target) else manner

    def choice(self) -> tuple[str, str]:
        """Return hook library and level for assembly."""
        return random.Random(f"how {self.seed}").choice(HOOKS)


def source_of(case: Case) -> str:
    """Return the program's text, the same for the same seed."""
    if case.kind in ("c", "loads"):
        return c_program.write_program(case.manner(), case.seed)
    if case.kind in ("exceptions", "throws"):
        return write_exceptions(case.seed)
    if case.kind == "events":
        return write_events(case.seed, case.target)
    if case.kind == "statements":
        return write_statements(case.target, case.seed)
    return generate(case.target, case.seed)


def judge(
    case: Case,
    source: str,
    directory: Path,
    plugins: Plugins | None = None,
    verifying: bool = True,
) -> str:
    """Return what is wrong with the instrumented form of a program; "" if nothing is.

    With plugins, its trace is held against the emulator's record, too; the output is
    verified statically if `verifying`.  Raises Unsuitable if
    csmith's program itself will not do.
    """
    if case.kind == "statements":
        return judge_statements(case.target, case.seed, source, verifying)
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    target = TARGETS[case.target]
    if case.is_compiled:
        return c_program.Trial(target, case.manner(), directory).judge(source, plugins, verifying)
    hooks, level = case.choice() if plugins is None else ("rst", "values")
    return judge_assembly(Subject(target, hooks, level, source, directory), plugins)


def fails_likewise(
    case: Case, source: str, directory: Path, step: str, plugins: Plugins | None = None
) -> bool:
    """Return whether another text of a case fails, and for C in the same step."""
    try:
        problem = judge(case, source, directory, plugins)
    except c_program.Unsuitable:
        return False
    if case.kind != "assembly":
        return problem.startswith(f"{step}:")
    return bool(problem) and not problem.startswith(("plain", "the plain program"))
