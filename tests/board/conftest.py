"""The programs of examples/board, built for each board."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.board.boards import BOARDS, INLINE, Board
from tests.conftest import ROOT, Shell, require_tools

sys.path.insert(0, str(ROOT / "tests"))

from truth.emulator import Plugins, build_plugins

Build = Callable[..., Path]


@pytest.fixture(scope="session", params=sorted(BOARDS))
def board(request: pytest.FixtureRequest) -> Board:
    """Run the test once for each board, with its compiler and emulator there."""
    found = BOARDS[request.param]
    require_tools("make", found.emulator[0], found.compiler[0])
    return found


@pytest.fixture(scope="session", params=["calls", "inline"])
def way(request: pytest.FixtureRequest) -> tuple[str, ...]:
    """Run the test once with hooks that are called and once with recording inline: variables of
    make."""
    return INLINE if request.param == "inline" else ()


@pytest.fixture(scope="session")
def plugins(tmp_path_factory: pytest.TempPathFactory) -> Plugins:
    """The emulator plugins, compiled for this machine."""
    return build_plugins(tmp_path_factory.mktemp("plugins"))


@pytest.fixture(scope="session")
def built(
    board: Board, commands: Path, tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., Path]:
    """Return what makes the programs in a directory of their own, with variables of make."""
    made: dict[tuple[str, ...], Path] = {}

    def build(*variables: str) -> Path:
        if variables not in made:
            directory = tmp_path_factory.mktemp(board.name) / "board"
            shutil.copytree(ROOT / "examples/board", directory)
            path = f"{commands}{os.pathsep}{os.environ['PATH']}"
            shell = Shell(directory, {"PATH": path})
            shell.check("make", "-s", f"BOARD={board.name}", *variables)
            made[variables] = directory
        return made[variables]

    return build
