"""Recordings that a run wrote under the name of another format: they are converted to it."""

from __future__ import annotations

import argparse
import fcntl
from pathlib import Path

from inst.common.notes import print_notes
from inst.errors import InstError


def convert_recordings(written: list[Path], output: str) -> bool:
    """Convert what begins as a recording, where the name of the output asks for another format.

    Return whether all of that could be done.
    """
    from inst.convert import format_of

    try:
        target = format_of(output).name
    except InstError:  # .rec, or a name that means nothing
        return True
    done = [_convert(path, target) for path in written if _is_recording(path)]
    return all(done)


def _is_recording(path: Path) -> bool:
    from inst.formats.rec import MAGICS

    try:
        with path.open("rb") as stream:
            return stream.read(8) in MAGICS
    except OSError:
        return False


def is_in_use(path: Path) -> bool:
    """Return whether a process that outlives the run writes the file, which it has locked."""
    try:
        with path.open("rb") as stream:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    return False


def _convert(path: Path, target: str) -> bool:
    """Convert a file in its own place; the recording remains beside it if that fails."""
    from inst.commands import convert

    recording = path.with_name(f"{path.name}.rec")
    if is_in_use(path):
        print_notes([f"{path} remains a recording: a process still writes it"])
        return False
    try:
        path.rename(recording)
    except OSError as error:
        print_notes([f"{path} remains a recording: {error.strerror}"])
        return False
    arguments = argparse.Namespace(
        trace=str(recording), output=str(path), to=target, program=[], demangle=True,
        strict=False, partial=True)  # fmt: skip
    if convert.run(arguments):
        print_notes([f"the recording of the run is {recording}"])
        return False
    recording.unlink()
    return True
