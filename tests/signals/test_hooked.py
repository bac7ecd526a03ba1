"""A signal in a hook that had begun to write: what ran since the last value comes before it."""

from __future__ import annotations

import signal
from pathlib import Path

import numpy as np
import pytest

from inst.target.targets import TARGETS
from inst.trace import open_trace
from inst.trace.model import Kind
from tests.signals.accidents import check_form
from tests.signals.programs import LOADS, Builder, builder
from tests.signals.test_ranges import address_of, stopped

pytestmark = pytest.mark.rotated("ppc32", "ppc64", "ppc64le", turns=True)
POWERPC = [target for target in TARGETS if target.startswith("ppc")]
"""SPARC's atomic accesses load what they compare with first: a value is taken."""
STORED = 50
"""What the code stores between the two hooks, and the handler loads."""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Builder:
    """Return `build` that builds each program once."""
    return builder(lambda: tmp_path_factory.mktemp("built"))


@pytest.mark.parametrize("target", POWERPC)
def test_what_ran_before_the_hook_comes_before_the_signal(
    built: Builder, target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The hook of `lwarx` is called when the place of that among all threads' has been written."""
    monkeypatch.chdir(tmp_path)
    program, out = built(target, "hooked.c", LOADS).traced, Path("trace.rec")
    with stopped(program, out) as run:
        run.run_to(address_of(program, "llhook", target))
        printed = run.end(signal.SIGALRM)
    assert printed == f"0 {900 + STORED} {STORED}\n"
    assert check_form(out)
    rows = np.concatenate(list(open_trace(out).events()))
    own = np.isin(rows["kind"], (Kind.READ, Kind.WRITE)) & (rows["value"] == STORED)
    assert rows["kind"][own].tolist()[:2] == [Kind.WRITE, Kind.READ]
