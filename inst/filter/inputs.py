"""Inputs that are closed when the work is done, read to the end or not."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from inst.errors import InstError, Location
from inst.trace import open_trace
from inst.trace.model import Trace


def open_input(path: str, stack: ExitStack) -> Trace:
    """Open a trace whose file the stack closes; "-" is standard input, which it leaves open."""
    if path == "-":
        return open_trace(path)
    try:
        stream = stack.enter_context(Path(path).open("rb"))  # noqa: SIM115
    except OSError as error:
        raise InstError(
            f"cannot open the trace: {error.strerror}", location=Location(path)
        ) from error
    return open_trace(stream, name=path)
