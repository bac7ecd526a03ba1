"""In which call each record was made, and what each function did."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable

import numpy as np

from inst.browse.reading import Progress, opened
from inst.browse.records import Records
from inst.calltree.calls import Calls
from inst.calltree.names import Wanted
from inst.calltree.profile import FunctionRow, Profile
from inst.errors import InstError
from inst.shown import shown
from inst.trace.model import Array

CHANGE = np.dtype([("record", "<u8"), ("node", "<u4")])
"""From a record on, events are of another node of the tree of calls."""
SCANNED = 1 << 16
"""Changes that are looked at together."""


class CallIndex:
    """The calls of a trace: a tree in memory, and in a temporary file where the call changes."""

    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - the index closes it
        self._count = 0
        self._last = -1
        self.functions: list[FunctionRow] = []
        """What each function did, most accesses first; complete when the trace has been read."""
        self.note = ""
        """What is not known about the calls; "" if all is."""

    def add(self, records: Array, nodes: Array) -> None:
        """Take the next events' records and nodes. Raises OSError when the disk is full."""
        before = np.concatenate([np.array([self._last], "i8"), nodes[:-1].astype("i8")])
        changed = np.flatnonzero(nodes != before)
        if not len(changed):
            return
        self._last = int(nodes[-1])
        changes = np.empty(len(changed), CHANGE)
        changes["record"], changes["node"] = records[changed], nodes[changed]
        left = memoryview(changes.tobytes())
        while left:
            left = left[os.write(self._file.fileno(), left) :]
        self._count += len(changed)

    def finish(self) -> None:
        """Count what the functions did."""
        self.functions = self._profile.functions()
        self.note = self._profile.calls.note()

    def chain(self, record: int) -> list[str]:
        """Return the functions that a record was made in, the outermost first."""
        at = self._after(record) - 1
        if at < 0:
            return []
        return [
            shown(name) for name in self._profile.tree.path(int(self._changes(at, 1)["node"][0]))
        ]

    def next(self, pattern: str, record: int, *, forwards: bool) -> int | None:
        """Return the next record after (or before) one where a function is entered or returned to.

        `pattern` is its name, which may have `*`. Raises InstError if the trace has none such.
        """
        wanted = Wanted(self._profile.tree, (pattern,), below=False).nodes()
        if not wanted.any():
            raise InstError(f"the trace shows no function {pattern}", hint=self.note)
        at = self._after(record)
        if forwards:
            while at < self._count:
                changes = self._changes(at, SCANNED)
                found = np.flatnonzero(wanted[changes["node"]])
                if len(found):
                    return int(changes["record"][found[0]])
                at += len(changes)
            return None
        while at > 0:
            start = max(at - SCANNED, 0)
            changes = self._changes(start, at - start)
            found = np.flatnonzero(wanted[changes["node"]] & (changes["record"] < record))
            if len(found):
                return int(changes["record"][found[-1]])
            at = start
        return None

    def _after(self, record: int) -> int:
        """Return the number of the first change after a record."""
        low, high = 0, self._count
        while low < high:
            middle = (low + high) // 2
            if int(self._changes(middle, 1)["record"][0]) <= record:
                low = middle + 1
            else:
                high = middle
        return low

    def _changes(self, start: int, count: int) -> Array:
        size = CHANGE.itemsize
        count = min(count, self._count - start)
        return np.frombuffer(os.pread(self._file.fileno(), count * size, start * size), CHANGE)

    def close(self) -> None:
        """Let the temporary file go."""
        self._file.close()


def calls_of(
    records: Records, cancelled: Callable[[], bool], progress: Progress = bool
) -> CallIndex:
    """Reconstruct the calls of the trace, up to damage in it. Raises CancelledError, InstError."""
    with opened(records, cancelled, progress) as trace:
        profile = Profile(Calls(trace, records.programs, demangle=records.demangle))
        calls = CallIndex(profile)
        try:
            for rows in trace.events():
                if len(rows):
                    calls.add(rows["record"], profile.take(rows).nodes)
        except InstError:
            pass  # the index of the trace reports it
        except BaseException:
            calls.close()
            raise
    calls.finish()
    return calls
