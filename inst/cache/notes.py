"""Notes: small texts in the cache, which are facts about a compiler or digests for ccache."""

from __future__ import annotations

import os
from contextlib import suppress

from inst import TYPE_CHECKING
from inst.cache.rooms import refuse_others

if TYPE_CHECKING:
    from pathlib import Path

WRITING = ".writing-"
"""Prefix of the name of a note while it is written; the process's number follows."""
_MODE = 0o644


def read_note(path: str | Path) -> str | None:
    """Return the text of a note, or None; raises InstError if others could have written it."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return None
    with os.fdopen(descriptor, encoding="utf-8", errors="replace") as stream:
        refuse_others(path, os.fstat(descriptor))
        try:
            return stream.read()
        except OSError:
            return None


def write_note(path: str | Path, text: str) -> None:
    """Write a note, whole or not at all; a cache that cannot be written is not an error."""
    temporary = os.path.join(os.path.dirname(path), f"{WRITING}{os.getpid()}")
    with suppress(OSError):
        try:
            descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, _MODE)
            with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
                stream.write(text)
            os.replace(temporary, path)
        except OSError:
            os.unlink(temporary)
