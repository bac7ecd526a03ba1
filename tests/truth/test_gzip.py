"""gzip from Debian's source package, made through inst-cc, against the emulator's record."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from inst.target.targets import TARGETS
from truth.emulator import Plugins
from truth.gzip_truth import check_gzip

SIZE = 1 << 16
"""Bytes; the command `python tests/truth/gzip_truth.py` takes 1 MB and any target, and minutes."""


@pytest.mark.parametrize("name", ["ppc32", "sparc-v8"])
def test_gzip_traces_what_the_emulator_saw(
    plugins: Plugins, name: str, tmp_path: Path, require: Callable[..., None]
) -> None:
    target = TARGETS[name]
    require("apt-get", "dpkg-source", "make")
    for what, verdict in check_gzip(plugins, target, tmp_path, SIZE).items():
        assert not verdict.problems, f"{what}: {verdict.summary()}"
        assert verdict.accesses > 250_000
        assert verdict.bytes_checked > verdict.bytes_loaded * 0.4
