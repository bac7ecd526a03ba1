"""Directories of the cache, which only the user or root may own, and no other user may write to.

The directories above them are checked too: a user who can write there can replace the cache.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator

from inst import TYPE_CHECKING
from inst.errors import InstError
from inst.paths import cache_name

if TYPE_CHECKING:
    from pathlib import Path

_ELSEWHERE = "INST_CACHE names another directory"
_FOR_OTHERS = 0o022
MODE = 0o755
"""Mode of new directories, regardless of the umask: others may read, as in root's cache."""


def room(*names: str, needed: bool = True) -> Path:
    """Return a directory of the cache, which is made if it does not exist.

    Raises InstError where another user could write to it, and where it is needed and cannot be
    made.
    """
    from pathlib import Path

    return Path(room_name(*names, needed=needed))


def room_name(*names: str, needed: bool = True) -> str:
    """Return the same as text (see `inst.paths`)."""
    cache = os.path.realpath(cache_name())
    path = os.path.join(cache, *names)
    if not os.path.isdir(path):
        try:
            _make(path)
        except OSError as error:
            if not needed:
                return path
            raise InstError(f"cannot make {path}: {error.strerror}", hint=_ELSEWHERE) from None
    for above in _parents(cache):
        refuse_others(above, os.stat(above), is_above=True)
    for depth in range(len(names) + 1):
        inside = os.path.join(cache, *names[:depth])
        refuse_others(inside, os.lstat(inside))
    return path


def _parents(path: str) -> Iterator[str]:
    """Yield the directories above a path, up to the root."""
    while path != os.path.dirname(path):
        path = os.path.dirname(path)
        yield path


def _make(path: str) -> None:
    missing = [one for one in (path, *_parents(path)) if not os.path.isdir(one)]
    for one in reversed(missing):
        try:
            os.mkdir(one, MODE)
        except FileExistsError:  # another process has made it
            if not os.path.isdir(one):
                raise


def refuse_others(path: str | Path, status: os.stat_result, *, is_above: bool = False) -> None:
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
