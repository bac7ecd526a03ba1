"""The trace that a run should have written, and the message if it has not."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from inst.program.sitetable import has_sites

START = 8192
"""Bytes at the start of a trace with its information about itself."""
_ENDING = re.compile(rb'ending(?:=|: |"\) \(value ")([a-zA-Z: ]{1,15})')
_UNREPORTED = re.compile(rb'unreported(?:=|: |"\) \(value ")(\d+)(\+?)')
_UNENDED = "has no end record: its program was killed, or replaced itself by exec"


@dataclass(frozen=True, slots=True)
class _State:
    """The properties of a file that change when it is written."""

    inode: int
    size: int
    changed: int


class Expected:
    """The files a trace may go to, in their state before the run.

    `final` returns the name that one of them gets when the run is over.
    """

    def __init__(self, name: str, final: Callable[[Path], Path] | None = None) -> None:
        self._name = name
        self._final = final or Path
        self._before = dict(self._files(""))

    def what_is_missing(self, process: int, program: Path, *, strict: bool) -> list[str]:
        """Return the messages after the run; none if the trace is complete or cannot be read.

        A truncated trace is reported only with `strict`: the run-time library has done it before.
        """
        if self._name and _is_special(Path(self._name)):
            return []
        written = self.written(process)
        if not written:
            return [self._no_trace(program, any(self._files(str(process))))]
        return [
            f"{self._final(path)} {text}"
            for path in written
            for text in _complaint(path, strict=strict)
        ]

    def written(self, process: int) -> list[Path]:
        """Return the files that changed in the run of a process."""
        now = dict(self._files(str(process)))
        return sorted(path for path, state in now.items() if self._before.get(path) != state)

    def _no_trace(self, program: Path, is_old: bool) -> str:
        final = self._final(Path(self._name)) if self._name else None
        where = str(final or "this directory")
        is_old = is_old or bool(final and final.is_file())
        text = f"no trace was written to {where}"
        if is_old and self._name:
            text += " (the file there is from before this run)"
        if not has_sites(program):
            return f"{text}: {program} was not built with inst-cc, or was stripped"
        return (
            f"{text}: the hooks of {program} write none (empty, count), nothing of it ran that is "
            "instrumented, or it could not be written"
        )

    def _files(self, process: str) -> Iterator[tuple[Path, _State]]:
        """Yield files that may be traces: further processes and libraries append to the name."""
        name = Path(self._name or "inst.%p.")
        start = name.name.partition("%p")[0]
        if process:
            start = name.name.replace("%p", process)
        try:
            entries = sorted(name.parent.iterdir())
        except OSError:
            return
        for path in entries:
            if path.name.startswith(start) and path.is_file():
                status = path.stat()
                state = _State(status.st_ino, status.st_size, status.st_mtime_ns)
                yield path, state


def _is_special(path: Path) -> bool:
    """Return whether it is a pipe or a device: what was written there cannot be read."""
    return path.exists() and not path.is_file()


def _complaint(path: Path, *, strict: bool) -> Iterator[str]:
    try:
        with path.open("rb") as stream:
            start = stream.read(START)
    except OSError:
        return
    found = _ENDING.search(start)
    ending = found[1].decode().strip() if found else ""
    if not start:
        yield "is empty: the trace could not be written"
    elif strict and ending.startswith("stopped"):
        yield f"is incomplete: tracing stopped ({ending.partition(':')[2].strip()})"
    elif strict and ending == "running":
        yield _UNENDED
    missing = _UNREPORTED.search(start)
    if strict and missing and (int(missing[1]) or missing[2]):
        yield "is incomplete: accesses where a reservation was open could not be reported"
