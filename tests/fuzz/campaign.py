"""A campaign: cases one after the other, until they or the time run out; failures are kept."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from truth.emulator import Plugins

from tests.fuzz.case import HERE, Case, judge, source_of
from tests.fuzz.reduce import reduce_c, reduce_lines

KEPT = HERE / "kept"


@dataclass(slots=True)
class Campaign:
    """What is to be run, and how far it has got."""

    pairs: list[tuple[str, str]]
    """(kind, target), taken in turn."""
    seed: int
    count: int
    """Cases of each pair."""
    seconds: float
    directory: Path
    plugins: Plugins | None = None
    every: int = 0
    """Each so many cases the truth test runs; 0: never."""
    keep: bool = True
    done: dict[str, int] = field(default_factory=dict)
    failed: list[str] = field(default_factory=list)

    @property
    def state(self) -> Path:
        """Return where the campaign writes how far it is."""
        return self.directory / "state.json"

    def resume(self) -> None:
        """Go on where the last campaign with the same first seed was stopped."""
        if self.state.exists():
            kept = json.loads(self.state.read_text())
            if kept["seed"] == self.seed:
                self.done, self.failed = kept["done"], kept["failed"]

    def run(self) -> int:
        """Run what is left; return how many cases failed."""
        end = time.monotonic() + self.seconds
        for case in self._cases():
            if time.monotonic() > end:
                break
            self._one(case)
            self.done[f"{case.kind} {case.target}"] = case.seed - self.seed + 1
            self._remember()
        for pair, number in sorted(self.done.items()):
            print(f"{pair}: {number} cases from seed {self.seed}")
        print(f"{len(self.failed)} failed: {' '.join(self.failed)}".rstrip(": "))
        return len(self.failed)

    def _cases(self) -> Iterator[Case]:
        for number in range(self.count):
            for kind, target in self.pairs:
                if number >= self.done.get(f"{kind} {target}", 0):
                    yield Case(kind, target, self.seed + number)

    def _one(self, case: Case) -> None:
        truth = self.every and (case.seed - self.seed) % self.every == 0
        plugins = self.plugins if truth else None
        source = source_of(case)
        problem = judge(case, source, self.directory / "work", plugins)
        if not problem:
            return
        print(f"{case.name}: {problem}", file=sys.stderr, flush=True)
        self.failed.append(case.name)
        if self.keep and not problem.startswith(("plain", "the plain program")):
            self._keep(case, source, plugins)

    def _keep(self, case: Case, source: str, plugins: Plugins | None) -> None:
        """Shrink a failing program and keep it: tests run what is kept."""
        suffix = ".c" if case.kind == "c" else ".s"
        kept = KEPT / f"{case.name}{suffix}"
        work = self.directory / "reduce"
        if case.kind == "c":
            kept.write_text(source)
            own = [sys.executable, "-m", "tests.fuzz", "--fails", case.name]
            reduce_c(kept, own)
        else:

            def fails(lines: list[str]) -> bool:
                problem = judge(case, "".join(lines), work, plugins)
                return bool(problem) and not problem.startswith(("plain", "the plain program"))

            lines = reduce_lines(source.splitlines(keepends=True), fails)
            kept.write_text("".join(lines))
        print(f"kept as {kept}", file=sys.stderr, flush=True)

    def _remember(self) -> None:
        state = {"seed": self.seed, "done": self.done, "failed": self.failed}
        self.state.write_text(json.dumps(state))
