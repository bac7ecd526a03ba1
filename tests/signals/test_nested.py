"""Handlers that interrupt each other, more than the run time has room for at first."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from inst.target.targets import TARGETS
from inst.trace import open_trace
from inst.trace.model import Kind
from tests.emulator_limits import cannot_run
from tests.signals.accidents import check_form
from tests.signals.programs import LOADS, RECORD, Builder, builder

DEPTH = 120
FIRST = 1000
"""What the first block loads: it stores one more, at which it is interrupted, and thrice that."""
RING, LARGEST = 1 << 20, 4 << 20
"""Bytes of a ring, and more than the least that one takes."""
CANNOT_LEAVE = cannot_run("signals/left.c")

pytestmark = pytest.mark.rotated(turns=True)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Builder:
    """Return `build` that builds each program once."""
    return builder(lambda: tmp_path_factory.mktemp("built"))


@pytest.mark.parametrize("hooks", [RECORD, LOADS])
@pytest.mark.parametrize("target", TARGETS)
def test_each_interrupted_block_goes_on(
    built: Builder, target: str, hooks: str, tmp_path: Path
) -> None:
    program, out = built(target, "nested.c", hooks), tmp_path / "trace.rec"
    plain = program.run(program.plain, str(DEPTH))
    done = program.run(program.traced, str(DEPTH), out=out)
    assert (done.stdout, done.stderr) == (plain.stdout, "")
    assert plain.stdout.startswith(f"{DEPTH + 1} handlers")
    assert check_form(out)
    rows = np.concatenate(list(open_trace(out).events()))
    stored = rows[(rows["kind"] == Kind.WRITE) & (rows["size"] == 4)]["value"]
    numbers = range(FIRST, FIRST + DEPTH)
    returning = [value for one in reversed(numbers) for value in (one + 1, 3 * one)]
    assert stored[(stored >= FIRST) & (stored < 4 * FIRST)].tolist() == [*numbers, *returning]


@pytest.mark.parametrize("target", [one for one in TARGETS if one not in CANNOT_LEAVE])
def test_those_that_never_return_keep_no_room(
    built: Builder, target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A ring grows where all of its chunks are held."""
    monkeypatch.setenv("INST_RING", str(RING))
    program, out = built(target, "left.c", RECORD), tmp_path / "trace.rec"
    assert program.run(program.traced, out=out).stdout == "400 400\n"
    check_form(out)
    assert out.stat().st_size < LARGEST
