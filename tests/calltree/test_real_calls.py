"""The calls of real programs, against the emulator's record: `python -m tests.calltree` has all."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from truth.emulator import Plugins

from inst.target.targets import TARGETS
from tests.calltree.programs import NAMES
from tests.calltree.real import WAYS

USUAL = {
    ("functions", "parcels"): tuple(TARGETS),
    ("instructions", "parcels"): ("sparc-v8",),
    ("accesses", "parcels"): ("ppc32", "sparc-v8"),
}
"""The targets without a campaign."""


@pytest.mark.parametrize(
    ("way", "name", "target"),
    [
        pytest.param(
            way,
            name,
            target,
            marks=() if target in USUAL.get((way, name), ()) else pytest.mark.campaign,
        )
        for way in WAYS
        for name in NAMES
        for target in TARGETS
    ],
)
def test_calls_are_those_that_were_executed(
    way: str,
    name: str,
    target: str,
    plugins: Plugins,
    tmp_path: Path,
    require: Callable[..., None],
) -> None:
    """The same calls, in the same order; of accesses alone, none that was not."""
    require("apt-get", "dpkg-source", "make")
    found = WAYS[way](name, TARGETS[target], plugins, tmp_path)
    assert (found.differences, found.shown) == (0, [])
    assert found.calls > 1000 and max(found.returns, found.accesses) > 1000
    assert way != "functions" or min(found.sites, found.accesses) > 1000
