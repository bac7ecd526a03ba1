"""A program run by this process, which forwards signals, ends with it and returns its status."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from types import FrameType

from inst.errors import InstError

_FROM_THE_TERMINAL = (signal.SIGINT, signal.SIGQUIT)
"""The terminal sends these to the program as well."""
_PASSED_ON = (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGCONT,
              signal.SIGWINCH, signal.SIGALRM)  # fmt: skip
_SET_PARENT_DEATH_SIGNAL = 1


def run_and_wait(
    command: list[str], started: Callable[[int], None] | None = None
) -> tuple[int, int]:
    """Run a command; return its process and its status, negative for the signal that ended it.

    `started` is called with the process once that runs the command.
    """
    parent = os.getpid()
    before = {number: signal.getsignal(number) for number in (*_FROM_THE_TERMINAL, *_PASSED_ON)}
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, before)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        _become(command, parent, writer, blocked)
    os.close(writer)
    _forward_signals(child)
    signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
    try:
        _require_started(reader, command[0])
        if started:
            started(child)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    return child, status


def die_by(number: int) -> None:
    """End as the program did, by a signal, without a core file of this process."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    if number not in (signal.SIGKILL, signal.SIGSTOP):
        signal.signal(number, signal.SIG_DFL)
    sys.stderr.flush()
    os.kill(os.getpid(), number)


def restore_signals() -> None:
    """Undo the signal settings of Python: programs inherit ignored signals."""
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)


def _forward_signals(child: int) -> None:
    def forward(number: int, _frame: FrameType | None) -> None:
        with suppress(ProcessLookupError):  # it has ended just now
            os.kill(child, number)

    for number in _PASSED_ON:
        signal.signal(number, forward)
    for number in _FROM_THE_TERMINAL:
        signal.signal(number, lambda number, frame: None)


def _become(
    command: list[str], parent: int, writer: int, blocked: set[int | signal.Signals]
) -> None:
    """Exec the command; if that fails, report the reason to the parent."""
    try:
        ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, int(signal.SIGKILL))
        if os.getppid() == parent:
            restore_signals()
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
            os.execv(command[0], command)
    except OSError as error:
        os.write(writer, (error.strerror or str(error)).encode())
    finally:
        os._exit(127)


def _require_started(reader: int, name: str) -> None:
    with os.fdopen(reader, "rb") as stream:
        failure = stream.read().decode()
    if failure:
        raise InstError(f"cannot run {name}: {failure}")
