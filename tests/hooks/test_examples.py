"""The hook libraries in examples/hooks: built and run on all targets, their figures compared.

Each is a row of a table: the library with its arguments, and what it must print for a program
whose accesses are known from another library's trace.
"""

from __future__ import annotations

import runpy
import subprocess
from collections import Counter, OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from inst.target.emulator import command_for
from inst.target.targets import TARGETS, Target
from inst.trace import open_trace
from inst.trace.model import Event, Kind
from tests.conftest import ROOT
from tests.truth.harness import python_environment
from tests.warm import python

pytestmark = pytest.mark.rotated("ppc32")

HERE = Path(__file__).parent
EXAMPLES = ROOT / "examples"
HOOKS = EXAMPLES / "hooks"
WINDOW = 256
LEVELS = ((4096, 2), (32768, 4))
LINE = 32
ROOM = 65536
"""Bytes of the array that walk.c accesses, and what its address is a multiple of."""


def expected_cache(accesses: list[Event]) -> list[str]:
    """Simulate two levels with the cache that examples/cache.py has for traces."""
    cache: Any = runpy.run_path(str(EXAMPLES / "cache.py"))["Cache"]
    first, second = (cache(size, ways, LINE) for size, ways in LEVELS)
    missing: Counter[int | None] = Counter()
    for event in accesses:
        for line in range(event.address // LINE, (event.address + event.size - 1) // LINE + 1):
            misses = first.misses
            first.touch(line)
            if first.misses > misses:
                second.touch(line)
                missing[event.pc] += 1
    counts = [f"{number} L1 misses at" for _, number in missing.most_common(5)]
    levels = (("L1", first), ("L2", second))
    return [f"{name} {one.hits} hits {one.misses} misses" for name, one in levels] + counts


def expected_reuse(accesses: list[Event]) -> list[str]:
    """Count reuse distances in a list of lines by their last use."""
    stack: OrderedDict[int, None] = OrderedDict()
    buckets: Counter[int] = Counter()
    first = now = 0
    for event in accesses:
        if now == 2 * WINDOW:
            while len(stack) > WINDOW:
                stack.popitem(last=False)
            now = len(stack)
        line = event.address // 64
        if line in stack:
            buckets[list(reversed(stack)).index(line).bit_length()] += 1
        else:
            first += 1
        stack[line] = None
        stack.move_to_end(line)
        now += 1
    return [
        f"{len(accesses)} accesses to lines of 64 bytes",
        f"{first} first accesses",
        *(
            f"{number} with fewer than {1 << bucket} other lines since the last"
            for bucket, number in sorted(buckets.items())
        ),
    ]


@dataclass(frozen=True, slots=True)
class Row:
    """A library in examples/hooks, and the beginnings of the lines that it must print."""

    hooks: str
    """Its file and arguments, as INST_HOOKS has them."""
    expected: Callable[[list[Event]], list[str]]
    """From the loads and stores between the program's hints, as the trace has them."""
    program: str = "walk.c"


ROWS = {
    "cache": Row(
        f"cache.c -DL1_SIZE={LEVELS[0][0]} -DL1_WAYS={LEVELS[0][1]} "
        f"-DL2_SIZE={LEVELS[1][0]} -DL2_WAYS={LEVELS[1][1]}",
        expected_cache,
    ),
    "reuse": Row(f"reuse.cc -DWINDOW={WINDOW}", expected_reuse),
}


def linked(target: Target, row: str, hooks: str, directory: Path) -> Path:
    """Compile a program of this folder, and link it with a hook library."""
    program = directory / row
    command = [python(), "-m", "inst.wrap.cc", f"--inst-hooks={hooks}", *target.compiler]
    command += ["-O2", "-fno-pie", "-static", str(HERE / ROWS[row].program), "-o", str(program)]
    done = subprocess.run(
        command, env=python_environment(), capture_output=True, text=True, cwd=HOOKS
    )
    assert (done.returncode, done.stderr) == (0, "")
    return program


def run(program: Path, trace: Path | str = "/dev/null") -> str:
    """Run a program; return what it says on standard error."""
    environment = {**python_environment(), "INST_OUT": str(trace)}
    command = command_for(program, [], ())
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return done.stderr


def accesses_of(trace: Path) -> list[Event]:
    """Return the loads and stores between the hints of a trace."""
    events = list(open_trace(trace).objects())
    first, last = (place for place, event in enumerate(events) if event.kind == Kind.HINT)
    found = [event for event in events[first:last] if event.kind in (Kind.READ, Kind.WRITE)]
    start = found[0].address & -ROOM
    assert all(0 <= event.address - start < ROOM for event in found), "in the array alone"
    return found


@pytest.fixture(scope="module", params=sorted(TARGETS))
def target(request: pytest.FixtureRequest) -> Target:
    return TARGETS[request.param]


@pytest.fixture(scope="module")
def traces(target: Target, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Event]]:
    """Return what each program accesses, from its trace by the library rst."""
    directory = tmp_path_factory.mktemp("traces")
    found = {}
    for name, row in ROWS.items():
        if row.program not in found:
            program = linked(target, name, "rst", directory)
            run(program, directory / "trace.rst")
            found[row.program] = accesses_of(directory / "trace.rst")
    return found


@pytest.mark.parametrize("name", ROWS)
def test_figures_agree_with_a_trace(
    name: str, target: Target, traces: dict[str, list[Event]], tmp_path: Path
) -> None:
    row = ROWS[name]
    program = linked(target, name, row.hooks, tmp_path)
    wanted = row.expected(traces[row.program])
    said = [" ".join(line.split()) for line in run(program).splitlines()]
    said = [line for line in said if not line.startswith("base=")]
    assert len(wanted) > 3
    assert len(said) == len(wanted)
    for line, start in zip(said, wanted, strict=True):
        assert f"{line} ".startswith(f"{start} "), (said, wanted)


def test_every_example_has_a_page_and_a_test() -> None:
    libraries = {path.stem: path.name for path in HOOKS.iterdir() if path.suffix in (".c", ".cc")}
    assert {path.stem for path in HOOKS.glob("*.md")} == {*libraries, "README"}
    assert {*ROWS} <= {*libraries}
    tests = "".join(path.read_text() for path in HERE.glob("test_*.py"))
    assert all(name in tests for name in libraries.values())
