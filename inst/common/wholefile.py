"""Files that appear whole or not at all: written beside their place, then renamed.

Pipes, devices and this process's own descriptors (/dev/stdout, /dev/fd/3) are written to
directly, and never replaced by a file.
"""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from inst.errors import InstError


def is_direct(path: Path) -> bool:
    """Return whether a path is a pipe, a device or a descriptor, which is never replaced."""
    if os.path.realpath(path.parent).startswith("/proc/"):
        return True
    if path.is_symlink() and os.readlink(path).startswith("/proc/"):
        return True
    return path.exists() and not path.is_file()


def refuse_input(output: str | Path, inputs: Iterable[str | Path]) -> None:
    """Raise InstError where a file to be written is also read, under any name."""
    try:
        target = os.stat(output)
    except OSError:
        return
    if not stat.S_ISREG(target.st_mode):
        return
    for each in inputs:
        try:
            same = os.path.samestat(os.stat(each), target)
        except OSError:
            continue
        if same:
            error = InstError(f"{output} is input and output at once", hint="name another output")
            error.exit_status = 2
            raise error


def create_beside(path: Path) -> tuple[int, str]:
    """Make an empty file in the directory that `path` leads to; return its descriptor and name."""
    target = Path(os.path.realpath(path))
    return tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)


def put_in_place(name: str, path: Path) -> None:
    """Give a finished file the permissions of a new one, and the name that `path` leads to."""
    mask = os.umask(0)
    os.umask(mask)
    os.chmod(name, 0o666 & ~mask)
    os.replace(name, os.path.realpath(path))


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """Yield a stream; if the block ends without an error its content is at `path`, else nothing is.

    Raises OSError as `open` and `write` do.
    """
    if is_direct(path):
        with path.open("wb", buffering=0) as device:
            yield device
        return
    handle, name = create_beside(path)
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
        put_in_place(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
