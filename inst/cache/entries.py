"""Files of the cache, whose names hold a digest of what they contain."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import stat
import time
from contextlib import suppress
from pathlib import Path

from inst.cache.rooms import refuse_others

NAME = re.compile(r"(?P<name>.+)-(?P<key>[0-9a-f]{20})-(?P<content>[0-9a-f]{64})\.a", re.DOTALL)
"""What it is, a digest of what it was made from, and one of what it contains."""


def find(directory: Path, start: str, *, discard: bool = False) -> Path | None:
    """Return the file with this prefix, if it is whole; `discard` removes those that are not.

    Raises InstError for a file that another user could have written.
    """
    for name in sorted(os.listdir(directory)):  # every link does this, in caches of thousands
        if not name.startswith(f"{start}-"):
            continue
        path = directory / name
        if is_whole(path):
            _mark_used(path)
            return path
        if discard:
            remove(path)
    return None


def is_whole(path: Path) -> bool:
    """Return whether a file's content has the digest in its name."""
    named = NAME.fullmatch(path.name)
    try:
        if named is None or not stat.S_ISREG(path.lstat().st_mode):
            return False
        descriptor = _open(path)
    except OSError:
        return False
    with os.fdopen(descriptor, "rb") as stream:
        refuse_others(path, os.fstat(descriptor))
        return hashlib.file_digest(stream, "sha256").hexdigest() == named["content"]


def _open(path: Path) -> int:
    """Open a file without changing its access time, which is its last use, where possible."""
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW
    try:
        return os.open(path, flags | os.O_NOATIME)
    except PermissionError:
        return os.open(path, flags)


def publish(built: Path, directory: Path, start: str) -> Path:
    """Move a finished file into the directory, under the name that its content determines."""
    with built.open("rb") as stream:
        content = hashlib.file_digest(stream, "sha256").hexdigest()
    path = directory / f"{start}-{content}.a"
    built.chmod(0o644)
    os.replace(built, path)
    return path


def remove(path: Path) -> None:
    """Remove a file, or a directory with all in it; one that cannot be removed stays."""
    with suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


def _mark_used(path: Path) -> None:
    """Set the time of access, which file systems need not do by themselves."""
    with suppress(OSError):
        status = path.stat()
        os.utime(path, ns=(max(status.st_mtime_ns, time.time_ns()), status.st_mtime_ns))
