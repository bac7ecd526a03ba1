"""A signal before each instruction of a function that records inline, blocks of a frame among them.

The emulator stops at its start, goes on by a number of instructions, and takes the signal there.
"""

from __future__ import annotations

import signal
from pathlib import Path

import numpy as np
import pytest

from inst.target.targets import TARGETS
from inst.trace import open_trace
from inst.trace.model import Kind
from tests.signals.accidents import check_form
from tests.signals.programs import RECORD, Builder, builder
from tests.signals.test_ranges import address_of, stopped
from tests.sizes import stride

pytestmark = pytest.mark.rotated("sparc-v8", "sparc-v9", turns=True)
STEPS = 48
"""As many instructions as the function has, or more."""
ACCESSES = [4000, 4001, 9000, 4002, 4000, 5000, 5001, 9000, 5002, 5000]
"""What both calls of the function store and load, in order."""
HANDLERS = 77
"""What the handler stores."""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Builder:
    """Return `build` that builds each program once."""
    return builder(lambda: tmp_path_factory.mktemp("built"))


def values_of(path: Path) -> tuple[list[int], int]:
    """Return the values of the function's accesses and the handler's, and the number of frames."""
    rows = np.concatenate(list(open_trace(path).events()))
    words = rows[(rows["size"] == 4) & np.isin(rows["value"], [*ACCESSES, HANDLERS])]
    return words["value"].tolist(), int((rows["kind"] == Kind.FRAME).sum())


@pytest.mark.parametrize("how", ["returns", "leaves", "killed"])
@pytest.mark.parametrize("target", TARGETS)
def test_accesses_are_in_their_place(
    built: Builder, target: str, how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LEAVES" if how == "leaves" else "STAYS", "1")
    program, out = built(target, "block.c", RECORD).traced, Path("trace.rec")
    place, first, frames = address_of(program, "touch", target), ACCESSES[:5], set()
    before = []
    for steps in range(1, STEPS, stride(2)):
        with stopped(program, out) as run:
            run.run_to(place)
            for _ in range(steps):
                assert run.ask("s").startswith("T05")
            printed = run.end(signal.SIGKILL if how == "killed" else signal.SIGALRM)
        assert printed == ("" if how == "killed" else "end\n")
        assert check_form(out) == (how != "killed")
        values, count = values_of(out)
        done = values.index(HANDLERS) if how != "killed" else len(values)
        if done > len(first):  # the second call has begun
            break
        frames.add(count)
        before.append(done)
        assert values[:done] == first[:done]
        if how != "killed":
            assert values[done + 1 :] == ACCESSES[done if how == "returns" else 5 :]
    assert before == sorted(before) and before[0] == 0 and before[-1] > 3, before
    if how != "killed":  # of what a handler leaves it may be missing
        assert len(frames) == 1 + (how == "leaves" and target.startswith("sparc")), frames
