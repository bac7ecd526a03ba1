"""Inputs that are read twice: first for how regions moved, then to be compared."""

from __future__ import annotations

import shutil
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from inst.common.progress import Progress
from inst.diff.evidence import gather
from inst.diff.regions import found_places
from inst.errors import InstError, Location
from inst.filter.inputs import open_input
from inst.trace.places import Places


def kept_input(path: str, files: ExitStack) -> str:
    """Return a file with what a path holds: itself, or a copy of a pipe that the stack deletes."""
    if path != "-" and (Path(path).is_file() or not Path(path).exists()):
        return path
    copy = files.enter_context(
        tempfile.NamedTemporaryFile(prefix="inst-diff-")  # noqa: SIM115 - the stack closes it
    )
    try:
        if path == "-":
            shutil.copyfileobj(sys.stdin.buffer, copy)
        else:
            with open(path, "rb") as stream:
                shutil.copyfileobj(stream, copy)
        copy.flush()
    except OSError as error:
        raise InstError(
            f"cannot keep a copy of the trace: {error.strerror}", location=Location(path)
        ) from error
    return copy.name


def places_of(old: str, new: str) -> tuple[Places, Places]:
    """Read two files and return where each has the regions that both have."""
    with ExitStack() as files:
        traces = [open_input(path, files, Progress.PRINTS) for path in (old, new)]
        return found_places(gather(traces[0], traces[1]))
