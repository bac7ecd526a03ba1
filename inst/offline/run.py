"""A hook library run over a trace, as if its hooks were in the program."""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from inst.errors import InstError
from inst.offline.driver import FAILED, Library, library_for, link, start, target_for
from inst.offline.feed import Feed
from inst.offline.layout import BY_RUNTIME, NOT_IN_TRACES
from inst.trace.model import Trace

_SIGNALS = frozenset(map(int, signal.Signals))


def run_over(trace: Trace, hooks: str, program: str | None, *, partial: bool) -> int:
    """Call a library's hooks for all events of a trace; return how many there were.

    `partial`: at damage the library's output is that of the events before; otherwise it is ended.
    """
    events = trace.events()
    first = next(events, None)
    target = target_for(trace.facts.arch)
    library = library_for(hooks, target)
    _note_missing(trace, library)
    begun = events if first is None else itertools.chain([first], events)
    feed = Feed(trace, target, library.defined, reads_values=library.reads_values)
    with tempfile.TemporaryDirectory(prefix="inst-hooks-") as scratch:
        images = trace.facts.images
        made = link(library, images[0] if images else None, program, Path(scratch))
        _driven(made, library, feed.frames(begun), partial=partial)
    return feed.count


def _note_missing(trace: Trace, library: Library) -> None:
    """Note which hooks of the library are never called; refuse one of which none is."""
    missing = [name for name in NOT_IN_TRACES if name in library.defined]
    if not missing:
        return
    reasons = dict.fromkeys(NOT_IN_TRACES[name] for name in missing)
    text = f"not called: {', '.join(missing)} ({'; '.join(reasons)})"
    if not library.defined - {*missing, *BY_RUNTIME}:
        raise InstError(
            f"{trace.name} has no events for the hooks in {library.hooks}; {text}",
            hint="link the program with these hooks: inst-cc --inst-hooks=...",
        )
    trace.note(text)


def _give(process: subprocess.Popen[bytes], events: int, frames: Iterator[bytes]) -> None:
    """Write all frames; the driver may have ended before it has read them."""
    with contextlib.suppress(BrokenPipeError):
        for frame in frames:
            left = memoryview(frame)
            while left:
                left = left[os.write(events, left) :]


def _driven(program: Path, library: Library, frames: Iterator[bytes], *, partial: bool) -> None:
    """Run a driver with events to its end."""
    reading, writing = os.pipe()
    process = None
    try:
        try:
            process = start(program, reading, os.environ)
        finally:
            os.close(reading)
        failure = None
        try:
            _give(process, writing, frames)
        except InstError as error:
            if not partial:
                raise
            failure = error
        os.close(writing)
        writing = -1
        status = process.wait()
        if status:
            raise failure or _ended(library, status)
        if failure:
            raise failure
    finally:
        if process is not None and process.poll() is None:
            process.kill()
            process.wait()
        if writing >= 0:
            os.close(writing)


def _ended(library: Library, status: int) -> InstError:
    """Return the error for a driver that has ended otherwise than at the end of the events."""
    if status == FAILED:
        return InstError(f"the hooks in {library.hooks} were not called for all events")
    if status > 0:
        return InstError(f"the hooks in {library.hooks} ended the process, with status {status}")
    name = signal.Signals(-status).name if -status in _SIGNALS else f"signal {-status}"
    hint = "of the program there are addresses alone: hooks cannot read its memory or its code"
    return InstError(
        f"the hooks in {library.hooks} were ended by {name}",
        hint=hint if -status in (signal.SIGSEGV, signal.SIGBUS) else "",
    )
