"""What the commands do with a damaged program: one mutant through all that take one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tests.hostile.mutants import Mutant
from tests.hostile.running import HangError, Outcome, defect, describe, run

SHOWN = {"view": ("view",), "json": ("view", "--json"), "stats": ("stats",),
         "check": ("check", "--keep-going")}  # fmt: skip
"""Commands that show a trace: without the program's symbols, where these cannot be read."""
WRITTEN = {
    "filter": ("filter", "fill-symbols", "t.rst", "out.rst"),
    "select": ("filter", "function other", "t.rst", "out.rst"),
    "convert": ("convert", "--to", "chrome", "t.rst", "out.rst"),
}
"""Commands whose output depends on the symbols: nothing is written without them."""


class Case:
    """A directory with a trace and a program of which mutants are made."""

    def __init__(self, directory: Path, trace: bytes) -> None:
        self.directory = directory
        self.trace = directory / "t.rst"
        self.program = directory / "mutant"
        self.output = directory / "out.rst"
        self.trace.write_bytes(trace)
        self.rows = len(run("view", self.trace).out.splitlines())

    def defects(self, mutant: Mutant, *, unreadable: bool = False) -> Iterator[str]:
        """Yield what is wrong with what the commands do; `unreadable`: nothing can be read."""
        self.program.write_bytes(mutant.data)
        for name, words in (SHOWN | WRITTEN).items():
            try:
                found = self._defect(name, words, unreadable=unreadable)
            except (Exception, HangError) as error:
                found = describe(error)
            if found:
                yield f"{name}: {mutant.name}: {found}"

    def _defect(self, name: str, words: tuple[str, ...], *, unreadable: bool) -> str:
        self.output.unlink(missing_ok=True)
        given = [self.directory / word if word.endswith(".rst") else word for word in words]
        trace = [self.trace] if name in SHOWN else []
        outcome = run(*given, *trace, "--program", self.program)
        if unreadable and outcome.status != 2:
            return f"status {outcome.status} for what cannot be read"
        if outcome.status == 2 and str(self.program) not in outcome.err:
            return f"the message does not name the file: {outcome.err[:300]}"
        found = defect(outcome, (0, 1, 2) if name == "check" else (0, 2))
        return found or self._output(name, outcome)

    def _output(self, name: str, outcome: Outcome) -> str:
        if name in ("view", "json") and len(outcome.out.splitlines()) != self.rows:
            return f"{len(outcome.out.splitlines())} rows are shown of {self.rows}"
        if name in SHOWN and not outcome.out:
            return "nothing is shown"
        expected = {self.trace, self.program}
        if name in WRITTEN and outcome.status == 0:
            expected.add(self.output)
        there = set(self.directory.iterdir())
        return "" if there == expected else f"files: {sorted(path.name for path in there)}"
