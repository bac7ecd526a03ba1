"""Reading a whole trace again for a result that nobody may be waiting for any longer."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

from inst.browse.index import PAGE
from inst.browse.records import Records
from inst.trace import open_trace
from inst.trace.model import Trace

Progress = Callable[[int], object]
"""Is called with the number of bytes of the records read so far."""


class CancelledError(Exception):
    """The result is no longer wanted."""


@contextlib.contextmanager
def opened(
    records: Records, cancelled: Callable[[], bool], progress: Progress = bool
) -> Iterator[Trace]:
    """Open the trace once more; reading it raises CancelledError soon after it is cancelled.

    Raises InstError when it cannot be opened.
    """
    size = 0

    def take(piece: bytes) -> None:
        nonlocal size
        if cancelled():
            raise CancelledError
        size += len(piece)
        progress(size)

    trace = open_trace(records.index.path)
    trace.tap(PAGE, take)
    try:
        yield trace
    finally:
        trace.close()
