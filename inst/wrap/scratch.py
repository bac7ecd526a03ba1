"""One directory for the temporary files of a run of inst-cc: the compiler's, and inst's own.

A killed process cannot remove its files.  So they are in a directory of the run, which the
next run removes.  The run has a lock on it by a descriptor that the compiler and all that it starts
inherit: when the last of them ends, the lock is released.
"""

from __future__ import annotations

import fcntl
import os
import stat
from contextlib import suppress

_VARIABLES = ("TMPDIR", "TMP", "TEMP")
"""Variables in which compilers look for the directory for temporary files, in this order.

GCC 12: libiberty/make-temp-file.c; LLVM 14: lib/Support/Unix/Path.inc."""
_USUAL = ("/tmp", "/var/tmp")
_REPORTS = (".out", ".sh")
"""Suffixes of the files that compilers write for a report when they crash: for the user."""
_LOWEST_DESCRIPTOR = 100
"""Lower descriptors may be ones that a caller has passed to the compiler, as make does."""


def use_own_directory() -> None:
    """Make a directory for temporary files and pass its name to the compiler.

    Where that is not possible, nothing changes.
    """
    if not (base := _base()):
        return
    with suppress(OSError):
        room = os.path.join(base, f"inst-{os.geteuid()}")
        _make_room(room)
        _remove_unused(room)
        if own := _own_directory(room):
            os.environ["TMPDIR"] = own


def _base() -> str:
    """Return the directory for temporary files that the compiler would use, or nothing."""
    named = [os.environ.get(name, "") for name in _VARIABLES]
    possible = (one for one in (*named, *_USUAL) if one)
    found = next((one for one in possible if os.path.isdir(one) and os.access(one, 7)), "")
    return found if os.path.isabs(found) else ""


def _make_room(room: str) -> None:
    """Make the user's directory; raise OSError if another has made it, or may write to it."""
    with suppress(FileExistsError):
        os.mkdir(room, 0o700)
    status = os.lstat(room)
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid() or status.st_mode & 0o077:
        raise PermissionError


def _own_directory(room: str) -> str:
    """Return a new directory that is locked; "" if another run took it for an old one."""
    path = os.path.join(room, f"{os.getpid()}.{os.urandom(4).hex()}")
    os.mkdir(path, 0o700)
    opened = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        descriptor = fcntl.fcntl(opened, fcntl.F_DUPFD, _LOWEST_DESCRIPTOR)
    finally:
        os.close(opened)
    with suppress(OSError):
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.stat(path), os.fstat(descriptor)):
            return path
    os.close(descriptor)
    return ""


def _remove_unused(room: str) -> None:
    """Remove the directories of runs that have ended."""
    for path in (os.path.join(room, name) for name in os.listdir(room)):
        with suppress(OSError):
            descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if not any(name.endswith(_REPORTS) for name in os.listdir(descriptor)):
                    _remove(path)
            finally:
                os.close(descriptor)


def _remove(path: str) -> None:
    """Remove a directory, which is empty unless its run was killed."""
    try:
        os.rmdir(path)
    except OSError:
        import shutil

        shutil.rmtree(path)
