"""Run a program with text as its input and return its output.

It replaces `subprocess`, whose import alone takes as long as starting a compiler. Input and output
go through anonymous files in memory: no pipe can fill up.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from inst.dataclass import dataclass
from inst.errors import InstError


@dataclass(frozen=True, slots=True)
class Finished:
    """How a program ended, and its output where that was requested."""

    status: int
    """Exit status as in a shell: 128 + n if signal n ended it."""
    output: bytes
    errors: bytes


def run(
    command: Sequence[str],
    *,
    text: bytes | None = None,
    keep_output: bool = False,
    keep_errors: bool = False,
    environment: Mapping[str, str] | None = None,
) -> Finished:
    """Run a program to its end; `text` becomes its standard input."""
    files: dict[int, int] = {}
    try:
        if text is not None:
            files[0] = _memory_file(text)
        if keep_output:
            files[1] = _memory_file(b"")
        if keep_errors:
            files[2] = _memory_file(b"")
        status = _spawn(command, files, environment or os.environ)
        return Finished(status, _content(files.get(1)), _content(files.get(2)))
    finally:
        for descriptor in files.values():
            os.close(descriptor)


def _spawn(command: Sequence[str], files: dict[int, int], environment: Mapping[str, str]) -> int:
    actions = [(os.POSIX_SPAWN_DUP2, source, number) for number, source in files.items()]
    try:
        process = os.posix_spawnp(command[0], list(command), environment, file_actions=actions)
    except OSError as error:
        raise InstError(f"cannot run {command[0]}: {error.strerror}") from error
    code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    return code if code >= 0 else 128 - code


def _memory_file(content: bytes) -> int:
    descriptor = os.memfd_create("inst")
    left = memoryview(content)
    while left:
        left = left[os.write(descriptor, left) :]
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def _content(descriptor: int | None) -> bytes:
    if descriptor is None:
        return b""
    size = os.fstat(descriptor).st_size
    pieces = []
    offset = 0
    while offset < size:
        piece = os.pread(descriptor, size - offset, offset)
        if not piece:
            break
        pieces.append(piece)
        offset += len(piece)
    return b"".join(pieces)
