"""Archives that a target's compiler makes once, and that are stored in the cache."""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path

from inst import __version__
from inst.cache.entries import find, publish, remove
from inst.cache.lock import tried, wait
from inst.cache.rooms import MODE, room
from inst.common.colours import report
from inst.errors import InstError
from inst.paths import data
from inst.target.tools import compiler_tool, run_tool

BUILDING = ".building-"
"""Prefix of the name of a directory in which a library is built."""
LOCK = ".lock-"
"""Prefix of the name of the file that the process building a library has locked."""
_PROCESS = "~"
"""Precedes the number of the building process in the name of its directory."""
_KEY = 20
_TICK = 1_000_000_000
"""Nanoseconds within which two changes of a file may have one time."""
_LONGEST_NAME = 120
_PACKAGE = Path(__file__).parents[1]


def cached_archive(name: str, key: str, build: Callable[[Path], Path]) -> Path:
    """Return the archive of this name and digest; `build` makes it in the directory passed to it.

    One process builds it, and others that need it wait.
    """
    libraries = room("libraries")
    name = name[:_LONGEST_NAME]
    start = f"{name}-{key[:_KEY]}"
    try:
        return find(libraries, start) or _made(libraries, name, start, build)
    except OSError as error:
        raise InstError(
            f"cannot build in {libraries}: {error.strerror}",
            hint="INST_CACHE names another directory",
        ) from None


def _made(libraries: Path, name: str, start: str, build: Callable[[Path], Path]) -> Path:
    """Build an archive, or wait until another process has built it."""
    lock = libraries / f"{LOCK}{name}"
    has_waited = False
    while True:
        with tried(lock, without_locks=True) as taken:
            if taken:
                found = find(libraries, start, discard=True)
                return found or _built(libraries, name, start, build)
        wait(lock, name, quiet=has_waited)
        has_waited = True
        if found := find(libraries, start):
            return found


def _built(libraries: Path, name: str, start: str, build: Callable[[Path], Path]) -> Path:
    """Build an archive and publish it; the lock is held."""
    _report_build(libraries, name)
    remove_leftovers(libraries)
    scratch = libraries / f"{BUILDING}{name}{_PROCESS}{os.getpid()}"
    remove(scratch)
    scratch.mkdir(MODE)
    try:
        return publish(build(scratch), libraries, start)
    except InstError:
        _refuse_full_disk(scratch)
        raise
    finally:
        remove(scratch)


def _report_build(libraries: Path, name: str) -> None:
    """Explain on a terminal why a link takes long; elsewhere messages could be taken as errors.

    configure scripts judge a compiler by whether it prints anything.
    """
    if sys.stderr is not None and sys.stderr.isatty():
        report(f"inst: note: building {name} for this link and later ones, in {libraries}")


def name_of_build(path: Path) -> str:
    """Return which library a directory or lock in the cache is for; "" if it is neither."""
    starts = [start for start in (BUILDING, LOCK) if path.name.startswith(start)]
    return path.name.removeprefix(starts[0]).partition(_PROCESS)[0] if starts else ""


def remove_leftovers(libraries: Path) -> None:
    """Remove what builds that were killed have left: no process holds their lock."""
    left = [path for path in libraries.iterdir() if name_of_build(path)]
    for name in {*map(name_of_build, left)}:
        with tried(libraries / f"{LOCK}{name}", without_locks=False) as taken:
            for path in left if taken else ():
                if name_of_build(path) == name and path.name.startswith(BUILDING):
                    remove(path)


def _refuse_full_disk(scratch: Path) -> None:
    """Raise OSError if nothing can be written there: tools report this in many ways."""
    with (scratch / "room").open("wb") as stream:
        stream.write(bytes(1 << 16))


def digest(
    command: list[str], modules: Iterable[str], *more: str | bytes, runtime: bool = True
) -> str:
    """Return a digest of all that an archive depends on.

    That is the version, the compiler and its options, the runtime's sources if it has code of
    them, the modules of the package that make it, and what else is given.  A compiler is the same
    by its name and by its path.
    """
    compiler = _compiler(command[0])
    found = hashlib.sha256(f"{__version__}\0{[compiler, *command[1:]]}\0".encode())
    found.update(_identity(compiler).encode())
    sources = [data("runtime")] if runtime else []
    for path in _files([*sources, *(_PACKAGE / name for name in modules)]):
        found.update(os.path.basename(path).encode() + b"\0" + _content(path))
    for one in more:
        found.update((one if isinstance(one, bytes) else one.encode()) + b"\0")
    return found.hexdigest()


def _content(path: str) -> bytes:
    """Return the digest of a file, which a link needs for more than one archive.

    A file that has just been written may change again within the same tick of its clock.
    """
    status = os.stat(path)
    if time.time_ns() - status.st_mtime_ns < _TICK:
        return _content_of_state.__wrapped__(path)
    return _content_of_state(path, status.st_ino, status.st_size, status.st_mtime_ns)


@cache
def _content_of_state(path: str, *_state: int) -> bytes:
    with open(path, "rb", buffering=0) as stream:
        return hashlib.sha256(stream.read()).digest()


def _compiler(program: str) -> str:
    """Return the absolute path of a compiler; links are not followed, as names mean targets."""
    path = shutil.which(program)
    if path is None:
        raise InstError(
            f"the compiler {program} was not found", hint="install it, or name another compiler"
        )
    return os.path.abspath(path)


def _identity(path: str) -> str:
    """Return text that changes when the program does."""
    status = os.stat(path)
    return f"{os.path.realpath(path)}\0{status.st_size}\0{status.st_mtime_ns}\0"


def _files(trees: Iterable[Path]) -> list[str]:
    """Return the files of directories, and single files, in a fixed order: by their parts.

    Every link does this, so it does without Path, which takes four times as long.
    """
    found: list[str] = []
    for tree in map(str, trees):
        members = _members(tree) if os.path.isdir(tree) else filter(os.path.isfile, [tree])
        found += sorted(members, key=lambda path: path.split(os.sep))
    return found


def _members(directory: str) -> Iterator[str]:
    """Yield the files under a directory; a link to a directory is not followed.

    What Python keeps of modules it has compiled is left out: it is no source, and while a process
    writes it, files under other names come and go.
    """
    with os.scandir(directory) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if entry.name != "__pycache__":
                    yield from _members(entry.path)
            elif entry.is_file():
                yield entry.path


def pack(command: list[str], archive: Path, members: Iterable[Path]) -> Path:
    """Make an archive of files, most of them objects; return it."""
    run_tool([compiler_tool(command, "ar"), "rcsD", str(archive), *map(str, members)])
    return archive
