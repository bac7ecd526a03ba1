"""Drive a full-screen program through a pseudo-terminal, with signals, the same way each time.

Keys are sent only when the program has nothing left to do: it sleeps, has used no processor
time for a while and has written nothing.  So what it writes depends on the keys alone, not on
how fast it is.
"""

from __future__ import annotations

import fcntl
import os
import select
import signal
import struct
import subprocess
import termios
import time
from dataclasses import dataclass
from pathlib import Path

_QUIET = 0.15
"""Seconds; longer than the 50 milliseconds for which vi waits behind an escape. Where more
processes want to run than there are processors it is as many times longer."""
_PATIENCE = 60.0
"""Seconds after which a program that is never quiet, or never stops, is an error."""


@dataclass(frozen=True, slots=True)
class Keys:
    """Bytes that are typed."""

    text: bytes


@dataclass(frozen=True, slots=True)
class Send:
    """A signal that is sent to the program from outside."""

    number: signal.Signals


@dataclass(frozen=True, slots=True)
class AwaitStop:
    """Wait until the program has stopped itself, as job control does."""


@dataclass(frozen=True, slots=True)
class Resize:
    """Change the window's size, which the kernel reports by SIGWINCH."""

    rows: int
    columns: int


Step = Keys | Send | AwaitStop | Resize


@dataclass(frozen=True, slots=True)
class Session:
    """What a session gave."""

    screen: bytes
    """All bytes that the program wrote to its terminal."""
    errors: bytes
    """What it wrote to standard error, which is no terminal here."""
    status: int
    seconds: float
    """User processor time."""


def drive(
    command: list[str], steps: list[Step], size: Resize, environment: dict[str, str], errors: Path
) -> Session:
    """Run a program on a terminal of its own, take the steps, and wait for its end.

    It runs in the directory of `errors`, where its standard error goes.
    """
    controller, terminal = os.openpty()
    _resize(controller, size)
    with errors.open("wb") as error_stream:
        process = subprocess.Popen(
            command,
            stdin=terminal,
            stdout=terminal,
            stderr=error_stream,
            cwd=errors.parent,
            env={**os.environ, **environment, "TERM": "vt100"},
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
    os.close(terminal)
    screen = bytearray()
    ended = False
    try:
        for step in steps:
            _await_quiet(process.pid, controller, screen)
            _take(step, process.pid, controller, screen)
        _read_to_end(controller, screen)
        _, status, usage = os.wait4(process.pid, 0)
        ended = True
        process.returncode = os.waitstatus_to_exitcode(status)
    finally:
        os.close(controller)
        if not ended:
            process.kill()
            process.wait()
    return Session(bytes(screen), errors.read_bytes(), process.returncode, usage.ru_utime)


def _take(step: Step, process: int, controller: int, screen: bytearray) -> None:
    match step:
        case Keys(text):
            os.write(controller, text)
        case Send(number):
            os.kill(process, number)
        case Resize():
            _resize(controller, step)
        case AwaitStop():
            _await_stop(process, controller, screen)


def _resize(controller: int, size: Resize) -> None:
    fcntl.ioctl(controller, termios.TIOCSWINSZ, struct.pack("4H", size.rows, size.columns, 0, 0))


def _await_quiet(process: int, controller: int, screen: bytearray) -> None:
    """Read the terminal until the program waits for what comes next."""
    limit = time.monotonic() + _PATIENCE
    since, before = time.monotonic(), ("", -1)
    while time.monotonic() < limit:
        if _read(controller, screen, 0.02):
            since = time.monotonic()
            continue
        now = _state(process)
        if now != before or now[0] not in "STZ":
            since, before = time.monotonic(), now
        elif time.monotonic() - since >= _QUIET * max(
            os.getloadavg()[0] / (os.cpu_count() or 1), 1
        ):
            return
    raise RuntimeError(f"the program is busy after {_PATIENCE:.0f} s: {bytes(screen[-200:])!r}")


def _await_stop(process: int, controller: int, screen: bytearray) -> None:
    limit = time.monotonic() + _PATIENCE
    while _state(process)[0] != "T":
        if time.monotonic() > limit:
            raise RuntimeError("the program did not stop itself on SIGTSTP")
        _read(controller, screen, 0.02)


def _state(process: int) -> tuple[str, int]:
    """Return a process's state, R S T ..., and its processor time in ticks (proc(5))."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return fields[0], int(fields[11]) + int(fields[12])


def _read(controller: int, screen: bytearray, seconds: float) -> bool:
    """Read what there is within some time; False when there was nothing."""
    ready, _, _ = select.select([controller], [], [], seconds)
    if not ready:
        return False
    try:
        text = os.read(controller, 1 << 16)
    except OSError:  # EIO: nobody has the terminal open any more
        return False
    screen += text
    return bool(text)


def _read_to_end(controller: int, screen: bytearray) -> None:
    limit = time.monotonic() + _PATIENCE
    while time.monotonic() < limit:
        ready, _, _ = select.select([controller], [], [], 1.0)
        if ready and not _read(controller, screen, 0):
            return
    raise RuntimeError(f"the program did not end: {bytes(screen[-200:])!r}")
