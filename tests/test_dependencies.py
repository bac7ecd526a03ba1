"""What pyproject.toml declares is what inst imports: nothing less, nothing more."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import inst
from tests.conftest import ROOT
from tests.parsed import parsed

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
OF_TESTS = {"pytest"}
"""inst.testing.pytest_plugin is only imported by pytest itself."""


def _imported() -> set[str]:
    names = set()
    for path in Path(inst.__file__).parent.rglob("*.py"):
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.Import):
                names |= {each.name.partition(".")[0] for each in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names.add(node.module.partition(".")[0])
    return names - set(sys.stdlib_module_names) - {"inst"} - OF_TESTS


def _declared(*groups: list[str]) -> set[str]:
    return {re.split(r"[<>=!~ ]", each)[0].lower() for group in groups for each in group}


def test_every_dependency_is_used_and_every_import_declared() -> None:
    known = packages_distributions()
    used = {known[name][0].lower() for name in _imported()}
    extras = PROJECT["optional-dependencies"]
    assert used == _declared(
        PROJECT["dependencies"],
        *(extras[name] for name in ("cluster", "parquet", "plots", "query", "tui")),
    )
