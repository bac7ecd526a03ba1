"""Directories of the cache, which only the user or root may own, and no other user may write to.

The directories above them are checked too: a user who can write there can replace the cache.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from inst.errors import InstError
from inst.paths import cache_directory

_ELSEWHERE = "INST_CACHE names another directory"
_FOR_OTHERS = 0o022
MODE = 0o755
"""Mode of new directories, regardless of the umask: others may read, as in root's cache."""


def room(*names: str, needed: bool = True) -> Path:
    """Return a directory of the cache, which is made if it does not exist.

    Raises InstError where another user could write to it, and where it is needed and cannot be
    made.
    """
    cache = Path(os.path.realpath(cache_directory()))
    path = cache.joinpath(*names)
    if not path.is_dir():
        try:
            _make(path)
        except OSError as error:
            if not needed:
                return path
            raise InstError(f"cannot make {path}: {error.strerror}", hint=_ELSEWHERE) from None
    for above in cache.parents:
        refuse_others(above, os.stat(above), is_above=True)
    for depth in range(len(names) + 1):
        inside = cache.joinpath(*names[:depth])
        refuse_others(inside, os.lstat(inside))
    return path


def _make(path: Path) -> None:
    missing = [one for one in (path, *path.parents) if not one.is_dir()]
    for one in reversed(missing):
        one.mkdir(MODE, exist_ok=True)


def refuse_others(path: Path, status: os.stat_result, *, is_above: bool = False) -> None:
    """Raise InstError where another user owns a file or directory of the cache, or may write to it.

    Above the cache a directory like /tmp is allowed, where users can remove only their own files,
    and one that the user's private group may write to.
    """
    if status.st_uid not in (0, os.geteuid()):
        raise InstError(
            f"the cache is not safe: {path} belongs to another user (number {status.st_uid})",
            hint=f"{_ELSEWHERE}, which is your own",
        )
    writable = stat.S_IMODE(status.st_mode) & _FOR_OTHERS
    if is_above and (status.st_mode & stat.S_ISVTX or _is_private_group(status)):
        writable &= 0 if status.st_mode & stat.S_ISVTX else 0o002
    if writable:
        raise InstError(
            f"the cache is not safe: others can write to {path}",
            hint=f"inst cache --clear empties it, chmod go-w {path} closes it; or {_ELSEWHERE}",
        )


def _is_private_group(status: os.stat_result) -> bool:
    """Return whether the group is the user's alone, by the custom that both have one number."""
    return status.st_gid == status.st_uid
