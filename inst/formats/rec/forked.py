"""What a child of fork has from its parent: all that the thread recorded which forked, up to there.

The parent records an event `fork` with a number of its own before it forks, and the child's
recording states `forked=PROCESS THREAD NUMBER`: whose event that is.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from inst.formats.rec.execution import Pieces
from inst.formats.rst.codes import EVENT_RECORD, EVENT_TEXT
from inst.trace.model import Array, Kind

FACT, RUN = "forked", "run"
_TEXT = int.from_bytes(b"fork".ljust(8, b"\0"), "big")
"""The event's word, as its record has it."""
_SIZE = 1
"""Records after it that belong to it."""
_BEFORE = 4
"""Records before that of the event itself, at most: its word and its source."""


@dataclass(frozen=True, slots=True)
class Fork:
    """Where a process was forked."""

    process: int
    thread: int
    """The kernel's number of the thread."""
    number: int
    """Of its event."""

    @classmethod
    def of(cls, stated: str) -> Fork | None:
        """Return what a recording states; None if it is not that of a forked process."""
        words = stated.split()
        if len(words) != 3 or not all(word.isdecimal() for word in words):
            return None
        return cls(*map(int, words))


def candidates(name: str, process: int, parent: int) -> list[Path]:
    """Return the files that may be the recording of the parent of a process, likely ones first.

    A program that forks names its children's recordings after its own, with their numbers.
    """
    path = Path(name)
    ending = f".{process}"
    base = path.with_name(path.name.removesuffix(ending))
    if not path.parent.is_dir():
        return []
    named = sorted(one for one in path.parent.iterdir() if str(parent) in one.name)
    found = [base, *named] if base != path else named
    return [one for one in dict.fromkeys(found) if one != path and one.is_file()]


def up_to(fork: Fork, pieces: Pieces) -> list[tuple[int, Array]]:
    """Return the records of a thread up to a fork; nothing if it has not forked there."""
    found = []
    for order, records in pieces:
        end = _end(fork, records)
        found.append((order, records[:end]))
        if end is not None:
            return found
    return []


def _end(fork: Fork, records: Array) -> int | None:
    """Return where the records of a fork's event end."""
    is_event = (records["rtype"] == EVENT_RECORD) & (records["flags"] == int(Kind.OTHER))
    for at in np.flatnonzero(is_event & (records["second"] == fork.number)).tolist():
        near = records[max(at - _BEFORE, 0) : at]
        if ((near["rtype"] == EVENT_TEXT) & (near["first"] == _TEXT)).any():
            return int(at) + 1 + _SIZE
    return None
