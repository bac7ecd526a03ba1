"""The calls of real programs, against the emulator's record: `python -m tests.calltree` has all."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from truth.emulator import Plugins

from inst.target.targets import TARGETS
from tests.calltree.real import compare_program

CASES = {"gzip": ("ppc32",), "parcels": ("ppc32", "ppc64", "ppc64le", "sparc-v8", "sparc-v9")}
"""Program, and the targets without a campaign."""


@pytest.mark.parametrize(
    ("name", "target"),
    [
        pytest.param(name, target, marks=() if target in usual else pytest.mark.campaign)
        for name, usual in CASES.items()
        for target in TARGETS
    ],
)
def test_every_call_is_reconstructed(
    name: str, target: str, plugins: Plugins, tmp_path: Path, require: Callable[..., None]
) -> None:
    """The same calls from the same places, in the same order; each access where it was made."""
    require("apt-get", "dpkg-source", "make")
    found = compare_program(name, TARGETS[target], plugins, tmp_path)
    assert (found.differences, found.shown) == (0, [])
    assert min(found.calls, found.sites, found.accesses) > 1000
