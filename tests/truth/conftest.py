"""Makes the `truth` package importable, and builds its emulator plugins once a session."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from truth.emulator import Plugins, build_plugins


@pytest.fixture(scope="session")
def plugins(tmp_path_factory: pytest.TempPathFactory) -> Plugins:
    """The emulator plugins, compiled for this machine."""
    return build_plugins(tmp_path_factory.mktemp("plugins"))
