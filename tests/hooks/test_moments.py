"""inithook, windowhook and exithook: called when the table says, and how often."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.signals.programs import HERE as SIGNALS
from tests.signals.programs import Program, build

HERE = Path(__file__).parent
BOTH = ("ppc32", "sparc-v8")
WINDOW = 100
ENDS = {
    **dict.fromkeys(("return", "exit", "thread", "last thread", "no exec"), 1),
    **dict.fromkeys(("_exit", "_Exit", "quick_exit", "syscall", "instruction"), 1),
    **dict.fromkeys(("abort", "caught abort", "fault", "raise", "kill", "pipe", "default"), 1),
    **dict.fromkeys(("fork", "vfork", "killed child"), 2),
    "untouched": 1,
}
"""How often exithook is called, by the way in which the program ends."""
WITHOUT_LATE = frozenset(("_exit", "_Exit", "syscall", "instruction", "abort", "fault", "raise",
                          "kill", "pipe", "default", "vfork", "killed child"))  # fmt: skip
"""Where no function of atexit runs."""
TOLD = re.compile(r"inits (\d+) exits (\d+) windows (\d+) left (\d+) accesses (\d+) wrong (\d+)")


@pytest.fixture(scope="module", params=BOTH)
def target(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def program(target: str, tmp_path_factory: pytest.TempPathFactory) -> Program:
    """Return the program with hooks that watch each other."""
    directory = tmp_path_factory.mktemp("moments")
    return build(directory, target, str(HERE / "ends.c"), str(HERE / "moments.c"))


def told(program: Program, *arguments: str) -> list[list[int]]:
    """Return what exithook said, once for each process; the program does as the plain one."""
    plain = program.run(program.plain, *arguments)
    traced = program.run(program.traced, *arguments)
    assert (traced.stdout, traced.returncode) == (plain.stdout, plain.returncode)
    return [[int(number) for number in found] for found in TOLD.findall(traced.stderr)]


@pytest.mark.rotated(turns=True)
@pytest.mark.parametrize("way", ENDS)
def test_each_is_called_once(program: Program, way: str) -> None:
    """inithook before all accesses, also of constructors; exithook after them, at every end."""
    found = told(program, way)
    assert len(found) == ENDS[way]
    for inits, exits, _, _, accesses, wrong in found:
        assert (inits, exits, wrong) == (1, 1, 0)
        assert accesses > 2 * 2510, "early and main's"
        assert accesses > 2 * 2843 or way in WITHOUT_LATE


def test_exec_begins_anew(program: Program) -> None:
    """exithook is called before, with what was until then."""
    before, found = told(program, "exec", *program.command(program.traced, "return"))
    assert (before[:2], before[-1]) == ([1, 1], 0)
    assert found == told(program, "return")[0]


def test_exec_may_fail(program: Program, tmp_path: Path) -> None:
    """Where a file is no program exithook has been called; the process has another end."""
    (tmp_path / "text").write_text("no program")
    (tmp_path / "text").chmod(0o755)
    found = told(program, "exec", str(tmp_path / "text"))
    assert [exits for _, exits, *_ in found] == [1, 2]


def test_windows_end_at_their_counts(
    program: Program, target: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Exactly one windowhook for each hundred of what the counter alone counts, in all runs."""
    directory = tmp_path_factory.mktemp("counted")
    counted = build(directory, target, str(HERE / "ends.c"), str(SIGNALS / "counted.c"))
    total = int(counted.run(counted.traced, "return").stderr)
    for _ in range(3):
        ((_, _, windows, left, _, wrong),) = told(program, "return")
        assert (windows, WINDOW - left, wrong) == (*divmod(total, WINDOW), 0)
    assert total > 1000
