"""A campaign: cases one after the other, until they or the time run out; failures are saved."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

from truth.emulator import Plugins

from tests.fuzz.c_program import Unsuitable
from tests.fuzz.case import HERE, Case, fails_likewise, judge, source_of
from tests.fuzz.reduce import reduce_c, reduce_lines

KEPT = HERE / "kept"
_REPORT_SECONDS = 60.0


@dataclass(slots=True)
class Progress:
    """How far one kind of programs has got for one target."""

    seed: int
    """Of the next case."""
    ran: int = 0
    truths: int = 0
    """Cases that were held against the emulator's record, too."""
    unsuitable: dict[str, list[int]] = field(default_factory=dict)
    """Why seeds were replaced by the next, and which they were."""
    failed: list[str] = field(default_factory=list)

    def text(self) -> str:
        """Return it on one line."""
        replaced = sum(map(len, self.unsuitable.values()))
        return f"{self.ran} ran ({self.truths} with the truth test), {replaced} seeds replaced"


@dataclass(slots=True)
class Campaign:
    """What is to be run, and how far it has got."""

    pairs: list[tuple[str, str]]
    """(kind, target), taken in turn."""
    seed: int
    count: int
    """Cases of each pair that are to run."""
    seconds: float
    directory: Path
    plugins: Plugins | None = None
    every: int = 0
    """Each so many cases the truth test runs; 0: never."""
    verify_every: int = 1
    """Each so many cases the output is verified statically."""
    keep: bool = True
    done: dict[str, Progress] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for kind, target in self.pairs:
            self.done[f"{kind} {target}"] = Progress(self.seed)

    @property
    def state(self) -> Path:
        """Return where the campaign writes how far it is."""
        return self.directory / "state.json"

    @property
    def failed(self) -> list[str]:
        """Return the names of the cases that failed."""
        return [name for progress in self.done.values() for name in progress.failed]

    def resume(self) -> None:
        """Go on where the last campaign with the same first seed was stopped."""
        if self.state.exists():
            kept = json.loads(self.state.read_text())
            if kept["seed"] == self.seed:
                self.done |= {pair: Progress(**how) for pair, how in kept["done"].items()}

    def run(self) -> int:
        """Run what is left; return how many cases failed."""
        start = time.monotonic()
        reported, before = start, self._ran()
        for case, progress in self._cases():
            self._one(case, progress)
            self._remember()
            now = time.monotonic()
            if now > start + self.seconds:
                break
            if now > reported + _REPORT_SECONDS:
                reported = now
                speed = (self._ran() - before) / (now - start)
                print(f"{(now - start) / 60:.0f} min: {self._summary()}, {speed:.2f}/s", flush=True)
        self._report()
        return len(self.failed)

    def _cases(self) -> Iterator[tuple[Case, Progress]]:
        """Yield the next case of each pair in turn, so that a stop leaves them even."""
        while True:
            left = [pair for pair, progress in self.done.items() if progress.ran < self.count]
            if not left:
                return
            for kind, target in (pair.split() for pair in left):
                progress = self.done[f"{kind} {target}"]
                progress.seed += 1
                yield Case(kind, target, progress.seed - 1), progress

    def _one(self, case: Case, progress: Progress) -> None:
        truth = self.every and progress.ran % self.every == 0
        plugins = self.plugins if truth else None
        try:
            source = source_of(case)
            verifying = progress.ran % self.verify_every == 0
            problem = judge(case, source, self.directory / "work", plugins, verifying)
        except Unsuitable as why:
            progress.unsuitable.setdefault(str(why)[:60], []).append(case.seed)
            return
        progress.ran += 1
        progress.truths += plugins is not None
        if not problem:
            return
        print(f"{case.name}: {problem}", file=sys.stderr, flush=True)
        progress.failed.append(case.name)
        if self.keep and not problem.startswith(("plain", "the plain program")):
            self._keep(case, source, plugins, problem)

    def _keep(self, case: Case, source: str, plugins: Plugins | None, problem: str) -> None:
        """Shrink a failing program and save it: tests run what is saved."""
        kept = KEPT / f"{case.name}{_suffix(case)}"
        work = self.directory / "reduce"
        step = problem.split(":")[0]

        def fails(text: str) -> bool:
            return fails_likewise(case, text, work / "judged", step, plugins)

        if case.is_compiled:
            manner = case.manner()
            own = [sys.executable, "-m", "tests.fuzz", "--directory", str(work / "own")]
            own += ["--fails", case.name, "--step", step, "--truth", str(int(plugins is not None))]
            language = "cc" if manner.plus else "c"
            small = reduce_c(source, fails, own, work, language=language)
            kept.write_text(f"/* {manner.text()} */\n{small}")
        else:
            lines = source.splitlines(keepends=True)
            kept.write_text("".join(reduce_lines(lines, lambda kept: fails("".join(kept)))))
        print(f"saved as {kept}", file=sys.stderr, flush=True)

    def _ran(self) -> int:
        return sum(progress.ran for progress in self.done.values())

    def _summary(self) -> str:
        each = (f"{pair} {progress.ran}" for pair, progress in self.done.items())
        truths = sum(progress.truths for progress in self.done.values())
        return f"{', '.join(each)} of {self.count}; {truths} truth tests; {len(self.failed)} failed"

    def _report(self) -> None:
        for pair, progress in sorted(self.done.items()):
            last = progress.seed - 1
            print(f"{pair}: {progress.text()}; seeds {self.seed} to {last}")
            for why, seeds in sorted(progress.unsuitable.items()):
                print(f"    {len(seeds)} replaced: {why}")
        print(f"{len(self.failed)} failed: {' '.join(self.failed)}".rstrip(": "), flush=True)

    def _remember(self) -> None:
        done = {pair: asdict(progress) for pair, progress in self.done.items()}
        written = self.state.with_suffix(".new")
        written.write_text(json.dumps({"seed": self.seed, "done": done}))
        written.replace(self.state)


def _suffix(case: Case) -> str:
    """Return what the name of a kept program ends with."""
    if not case.is_compiled:
        return ".s"
    return ".cc" if case.manner().plus and case.kind in ("exceptions", "throws") else ".c"
