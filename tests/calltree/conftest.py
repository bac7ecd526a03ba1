"""The emulator plugins, which several tests use."""

from __future__ import annotations

import pytest
from truth.emulator import Plugins, build_plugins


@pytest.fixture(scope="session")
def plugins(tmp_path_factory: pytest.TempPathFactory) -> Plugins:
    """The emulator plugins, compiled for this machine."""
    return build_plugins(tmp_path_factory.mktemp("plugins"))
