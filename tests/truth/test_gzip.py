"""gzip from Debian's source package, made through inst-cc, against the emulator's record."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from inst.target.targets import TARGETS
from truth.emulator import Plugins
from truth.gzip_truth import check_gzip

SMALL, LARGE = 1 << 16, 1 << 20
"""Bytes to compress."""
CASES = [
    *(pytest.param(name, SMALL, False, id=name) for name in ("ppc32", "sparc-v8")),
    *(pytest.param(name, LARGE, True, id=f"{name}-configured") for name in sorted(TARGETS)),
]


@pytest.mark.campaign
@pytest.mark.parametrize(("name", "size", "by_itself"), CASES)
def test_gzip_traces_what_the_emulator_saw(
    plugins: Plugins,
    name: str,
    size: int,
    by_itself: bool,
    tmp_path: Path,
    require: Callable[..., None],
) -> None:
    target = TARGETS[name]
    require("apt-get", "dpkg-source", "make")
    for what, verdict in check_gzip(plugins, target, tmp_path, size, by_itself).items():
        assert not verdict.problems, f"{what}: {verdict.summary()}"
        assert verdict.accesses > 250_000
        assert verdict.bytes_checked > verdict.bytes_loaded * 0.4
