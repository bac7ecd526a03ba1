"""Inputs that are closed when the work is done, read to the end or not."""

from __future__ import annotations

from contextlib import ExitStack, closing
from pathlib import Path

from inst.common.progress import Progress, opened
from inst.errors import InstError, Location
from inst.trace import open_trace
from inst.trace.model import Trace


def open_input(path: str, stack: ExitStack, progress: Progress) -> Trace:
    """Open a trace whose file the stack closes; "-" is standard input, which it leaves open."""
    if path == "-":
        return open_trace(path)
    try:
        stream = stack.enter_context(closing(opened(Path(path), progress)))
    except OSError as error:
        raise InstError(
            f"cannot open the trace: {error.strerror}", location=Location(path)
        ) from error
    return open_trace(stream, name=path)
