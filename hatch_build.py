"""Puts manual pages into what hatchling builds: share/man of a wheel, man/ of a source archive.

They are made from docs/ by Sphinx, which is asked for only where the pages are not there already: a
wheel that is made from a source archive takes those. Editable installs have none.
"""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_WRITERS = ["sphinx>=8", "myst-parser>=4"]


class ManualPages(BuildHookInterface[Any]):
    """Makes the pages, or finds them."""

    _made: Path | None = None

    def dependencies(self) -> list[str]:
        """Return what makes the pages; the documentation is made by inst's own code, too."""
        return [] if self._shipped().is_dir() else [*_WRITERS, *self.metadata.core.dependencies]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the pages to the files."""
        if version == "editable":
            return
        for page in self._pages():
            if self.target_name == "wheel":
                place = f"share/man/man{page.suffix[1:]}/{page.name}"
                build_data["shared_data"][str(page)] = place
            else:
                build_data["force_include"][str(page)] = f"man/{page.name}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what was made for the build."""
        if self._made:
            shutil.rmtree(self._made, ignore_errors=True)

    def _shipped(self) -> Path:
        return Path(self.root) / "man"

    def _pages(self) -> list[Path]:
        if not self._shipped().is_dir() and not self._make():
            return []
        found = sorted((self._made or self._shipped()).iterdir())
        return [page for page in found if page.suffix[1:].isdigit()]

    def _make(self) -> bool:
        """Make the pages; without Sphinx, which only a build without isolation can lack, say so."""
        if not all(importlib.util.find_spec(name) for name in ("sphinx", "myst_parser")):
            self.app.display_warning("inst: no manual pages, since Sphinx is not installed")
            return False
        self._made = Path(tempfile.mkdtemp(prefix="inst-man-"))
        command = [sys.executable, "-m", "sphinx", "-q", "-b", "man", "-d", self._made / "trees",
                   Path(self.root) / "docs", self._made]  # fmt: skip
        subprocess.run(command, check=True)
        return True
