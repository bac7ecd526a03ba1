"""A lock for one process at a time, released whenever its process ends.

It is a lock on a file, which the holder removes before releasing it.  So a process that gets
the lock checks that its file is still the one at that path.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from inst.common.colours import report


@contextmanager
def tried(path: Path, *, without_locks: bool) -> Iterator[bool]:
    """Hold the lock if no process has it; yield whether it is held.

    `without_locks` is the value to yield on a file system that has no locks.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        taken = _take(descriptor, path, without_locks)
        if taken:
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, b"%d\n" % os.getpid(), 0)
        try:
            yield taken
        finally:
            if taken:
                path.unlink(missing_ok=True)
    finally:
        os.close(descriptor)


def _take(descriptor: int, path: Path, without_locks: bool) -> bool:
    taken = _at_once(descriptor, fcntl.LOCK_EX)
    if not taken:
        return taken is None and without_locks
    with suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    return False


def is_free(path: Path) -> bool:
    """Return whether no process holds the lock."""
    with _opened(path) as descriptor:
        return descriptor is None or _shares(descriptor)


def wait(path: Path, what: str, *, quiet: bool = False) -> None:
    """Wait until the process that holds the lock releases it; report that unless `quiet`."""
    with _opened(path) as descriptor:
        if descriptor is None or _shares(descriptor):
            return
        if not quiet:
            _report_wait(descriptor, what)
        fcntl.flock(descriptor, fcntl.LOCK_SH)


@contextmanager
def _opened(path: Path) -> Iterator[int | None]:
    """Yield a descriptor of the lock's file; None if it does not exist."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        yield None
        return
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _shares(descriptor: int) -> bool:
    """Return whether no process holds the lock exclusively, as far as the file system has locks."""
    return _at_once(descriptor, fcntl.LOCK_SH) is not False


def _at_once(descriptor: int, kind: int) -> bool | None:
    """Lock without waiting; return whether that succeeded, None if there are no locks."""
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def _report_wait(descriptor: int, what: str) -> None:
    holder = os.pread(descriptor, 20, 0).decode(errors="replace").strip()
    process = f" (process {holder})" if holder else ""
    report(f"inst: note: waiting for another inst-cc{process}, which builds {what}")
