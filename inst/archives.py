"""Archives that are made for a target by its compiler, once, and kept in the cache."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from inst import __version__
from inst.errors import InstError
from inst.paths import cache_directory, data
from inst.wrap.compilers import environment_outside_driver

_PACKAGE = Path(__file__).parent


def kept_archive(name: str, key: str, build: Callable[[Path], Path]) -> Path:
    """Return the archive of this name and digest; `build` makes it in a directory it is given."""
    cache = cache_directory() / "libraries"
    archive = cache / f"{name}-{key[:20]}.a"
    if not archive.exists():
        _make_directory(cache)
        with tempfile.TemporaryDirectory(dir=cache, prefix=".building-") as scratch:
            os.replace(build(Path(scratch)), archive)
    return archive


def digest(command: list[str], modules: Iterable[str], *more: str | bytes) -> str:
    """Return a digest of all that an archive depends on.

    That is the version, the compiler and its options, the runtime, the modules of the package
    that make it, and what else is given.
    """
    found = hashlib.sha256(f"{__version__}\0{command}\0".encode())
    found.update(_identity(command[0]).encode())
    for path in _files([data("runtime"), *(_PACKAGE / name for name in modules)]):
        found.update(path.name.encode() + b"\0" + path.read_bytes())
    for one in more:
        found.update((one if isinstance(one, bytes) else one.encode()) + b"\0")
    return found.hexdigest()


def _identity(program: str) -> str:
    """Return text that changes when the program is another."""
    path = shutil.which(program)
    if path is None:
        raise InstError(
            f"the compiler {program} was not found", hint="install it, or name another compiler"
        )
    status = os.stat(path)
    return f"{os.path.realpath(path)}\0{status.st_size}\0{status.st_mtime_ns}\0"


def _files(trees: Iterable[Path]) -> list[Path]:
    """Return the files of directories, and single files, in a fixed order."""
    found: list[Path] = []
    for tree in trees:
        members = tree.rglob("*") if tree.is_dir() else [tree]
        found += sorted(path for path in members if path.is_file() and path.suffix != ".pyc")
    return found


def _make_directory(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InstError(
            f"cannot make {path}: {error.strerror}", hint="INST_CACHE names another directory"
        ) from None


def pack(command: list[str], archive: Path, members: Iterable[Path]) -> Path:
    """Make an archive of object files, with the compiler's own `ar`; return it."""
    named = run_tool([*command, "-print-prog-name=ar"]).decode().strip()
    archiver = shutil.which(named) or shutil.which("ar") or named
    run_tool([archiver, "rcsD", str(archive), *map(str, members)])
    return archive


def run_tool(command: list[str], directory: Path | None = None) -> bytes:
    """Run a tool of the compiler; its own words are the error when it fails."""
    environment = {**environment_outside_driver(), "INST_DISABLE": "1", "LC_ALL": "C"}
    try:
        done = subprocess.run(command, cwd=directory, env=environment, capture_output=True)
    except OSError as error:
        raise InstError(f"cannot run {command[0]}: {error.strerror}") from None
    if done.returncode:
        said = done.stderr.decode(errors="replace").rstrip()
        raise InstError(f"the hook library does not compile\n{said}")
    return done.stdout
