"""Listing and pruning of the cache."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from inst.cache.entries import NAME, is_whole, remove
from inst.cache.lock import is_free
from inst.cache.notes import WRITING
from inst.errors import InstError
from inst.target.archives import LOCK, name_of_build, remove_leftovers
from inst.target.targets import TARGETS

_ROOMS = ("libraries", "compilers", "roots", "ccache-inside", "ccache-outside", "commands")
"""The files that inst makes in the cache; others are not touched."""
_DAY = 86400


@dataclass(frozen=True, slots=True)
class Entry:
    """A library of the cache, or another file in its directory."""

    path: str
    library: str
    target: str
    state: str
    """"good"; "corrupt"; "unsafe": others could write it; "old": of an earlier version; "leftover"
    of a killed build; "building"."""
    bytes: int
    built: float
    used: float
    """Times in seconds since 1970."""


@dataclass(frozen=True, slots=True)
class Survey:
    """The whole cache."""

    directory: str
    entries: tuple[Entry, ...]
    notes: int
    """Files that are not libraries: notes about compilers, links to libraries of targets."""

    def of_state(self, *states: str) -> tuple[Entry, ...]:
        """Return the entries in one of these states."""
        return tuple(entry for entry in self.entries if entry.state in states)

    def as_json(self) -> dict[str, Any]:
        """Return what JSON can hold."""
        return asdict(self)


def survey(cache: Path) -> Survey:
    """Return the state of everything in the cache."""
    libraries = cache / "libraries"
    found = sorted(libraries.iterdir()) if libraries.is_dir() else []
    notes = sum(len(files) for name in _ROOMS[1:] for _, _, files in os.walk(cache / name))
    return Survey(str(cache), tuple(_entries(found)), notes)


def _entries(paths: list[Path]) -> Iterator[Entry]:
    """Yield the entries of files, but for those that a build has removed or renamed meanwhile."""
    for path in paths:
        with suppress(FileNotFoundError):
            yield _entry(path)


def _entry(path: Path) -> Entry:
    named = NAME.fullmatch(path.name)
    name = named["name"] if named else path.name
    target = next((one for one in TARGETS if name.endswith(f"-{one}")), "")
    status = path.lstat()
    library = name.removesuffix(f"-{target}") if target else name
    return Entry(str(path), library, target, _state(path, named is not None), _size(path),
                 status.st_mtime, max(status.st_atime, status.st_mtime))  # fmt: skip


def _state(path: Path, is_named: bool) -> str:
    if build := name_of_build(path):
        return "leftover" if is_free(path.with_name(f"{LOCK}{build}")) else "building"
    if not is_named:
        return "old"
    try:
        return "good" if is_whole(path) else "corrupt"
    except InstError:
        return "unsafe"


def _size(path: Path) -> int:
    if not path.is_dir() or path.is_symlink():
        return path.lstat().st_size
    size = 0
    for folder, _, files in os.walk(path):
        for name in files:
            with suppress(FileNotFoundError):  # a build goes on there
                size += Path(folder, name).lstat().st_size
    return size


def clean(cache: Path, days: int, now: float) -> None:
    """Remove all but good libraries that were used in these days."""
    if (cache / "libraries").is_dir():
        remove_leftovers(cache / "libraries")
    for entry in survey(cache).entries:
        unused = entry.state == "good" and now - entry.used > days * _DAY
        if unused or entry.state in ("corrupt", "unsafe", "old"):
            remove(Path(entry.path))
    for path in cache.glob(f"*/{WRITING}*"):
        remove(path)


def clear(cache: Path) -> None:
    """Remove all that inst has made in the cache, except what is being built."""
    for entry in survey(cache).entries:
        if entry.state != "building":
            remove(Path(entry.path))
    for name in _ROOMS[1:]:
        remove(cache / name)
    for path in (cache / "libraries", cache):
        if path.is_dir() and not any(path.iterdir()):
            path.rmdir()
