"""Libraries that are kept between runs of the tests were built by the modules that are there."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.library_cache import NOT_BUILDERS, ROOT

BUILDERS = ("build.library", "build.librarybuild", "build.wraplibrary", "build.wrapbuild")
LOADED_BY_NAME = ("glue", "isa")
"""Packages some of whose modules are imported by a name that is put together."""


def files(module: str) -> list[Path]:
    """Return the file of a module of inst, if there is one."""
    path = ROOT.joinpath(*module.split("."))
    return [one for one in (path.with_suffix(".py"), path / "__init__.py") if one.is_file()]


def imported(path: Path) -> Iterator[str]:
    """Yield the names of modules that a module imports anywhere, or takes a name from."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_all_that_builds_libraries_is_in_the_digest() -> None:
    waiting = [path for name in BUILDERS for path in files(f"inst.{name}")]
    assert len(waiting) == len(BUILDERS)
    waiting += [one for name in LOADED_BY_NAME for one in (ROOT / "inst" / name).rglob("*.py")]
    found: set[Path] = set()
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            waiting += [one for name in imported(path) for one in files(name)]
    rooms = {path.relative_to(ROOT / "inst").parts[0] for path in found}
    assert not rooms & NOT_BUILDERS
    assert {"glue", "isa", "calls", "asm", "flow"} <= rooms
