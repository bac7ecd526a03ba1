"""The process that has started Python and imported inst, and forks for each command.

It ends when its standard input does, and the last of the processes that it has forked.
"""

from __future__ import annotations

import array
import atexit
import ctypes
import fcntl
import gc
import io
import os
import resource
import selectors
import signal
import socket
import struct
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from inst.server import PARENT

Work = Callable[[], object]
"""What a forked process does; its result or SystemExit says how it ends, as for a `main`."""

_SIGNALS = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGCHLD)
"""Signals that may be ignored or blocked; Python itself ignores SIGPIPE."""
_PRESENT = 0xFFFFFFFF
"""What `personality` is passed to change nothing."""
_PLACES = ("/", *(f"/proc/self/ns/{kind}" for kind in ("mnt", "pid", "net", "user")))
"""Files that are others in another root directory, or another container."""
_LIMITS = 16
"""How many limits of resources Linux has."""
_STREAMS = (("stdin", "r"), ("stdout", "w"), ("stderr", "w"))
"""Names in `sys`, and modes; by descriptor."""
_ABOVE = 1000
"""Descriptors from this number on are of this module's own."""
_SAME = ("PYTHON", "LD_", "MALLOC_")
"""Names of variables that Python or the C library reads as it starts begin with these."""
_LOCALE = ("LC_ALL", "LC_CTYPE", "LANG")
"""Variables of which the first that is not empty says how text is encoded, when Python starts."""
_ESCAPED = ("", "C", "POSIX", "C.UTF-8", "C.utf8", "UTF-8")
"""Locales in which Python writes bytes that are not UTF-8 as it has read them (PEP 538 and 540)."""
_UTF_8 = "UTF-8"


@dataclass(frozen=True, slots=True)
class Request:
    """What a client asks for."""

    facts: str
    numbers: list[int]
    """The client's numbers of its descriptors: 0, 1, 2 and others."""
    name: str
    arguments: list[str]
    environment: dict[str, str]
    descriptors: list[int]
    """These, in their order, and at last the directory."""


class Server:
    """Accepts clients, forks, and reports how each process ended."""

    def __init__(self, directory: str, work: Callable[[str, list[str]], Work | None]) -> None:
        """`work` returns what a command's name and arguments ask for, or None to really start it.

        `directory` is the one in the variable `inst.server.SERVER`.
        """
        self._python = os.path.join(directory, "python")
        self._work = work
        self._facts = facts()
        self._variables = _variables(dict(os.environ))
        self._running: dict[int, socket.socket] = {}
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(os.path.join(directory, "socket"))
        self._listener.listen(64)
        self._woken, wake = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        # An interrupt from the terminal is for the build: the server ends after that.
        kept = [one for one in _SIGNALS if signal.getsignal(one) is not signal.SIG_IGN]
        self._handlers = {one: signal.signal(one, lambda number, frame: None) for one in kept}
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)

    def serve(self) -> None:
        """Do so until the standard input and all processes have ended."""
        assert threading.active_count() == 1  # only this thread would be in a forked process
        print("ready", flush=True)
        with selectors.DefaultSelector() as selector:
            for source in (self._listener, self._woken, 0):
                selector.register(source, selectors.EVENT_READ)
            while self._running or 0 in selector.get_map():
                for key, _ in selector.select():
                    if key.fileobj == 0:
                        selector.unregister(0)
                    elif key.fileobj is self._listener:
                        self._accept()
                    else:
                        self._reap()

    def _accept(self) -> None:
        client, _ = self._listener.accept()
        try:
            request = _receive(client)
        except (OSError, ValueError):
            client.close()
            return
        process = self._forked(request, client)
        for one in request.descriptors:
            os.close(one)
        _answer(client, process)
        if process:
            self._running[process] = client
        else:
            client.close()

    def _forked(self, request: Request, client: socket.socket) -> int:
        """Return the process that does what a client asks for, or 0 for what has to be started."""
        work = self._work_of(request)
        try:
            process = os.fork() if work else 0
        except OSError:  # too many processes
            return 0
        if work and not process:
            self._leave(client)
            _become(request, self._python, work)
        return process

    def _work_of(self, request: Request) -> Work | None:
        """Return what to run, or None for what has to be really started."""
        if request.facts != self._facts or _variables(request.environment) != self._variables:
            return None
        return self._work(request.name, request.arguments)

    def _reap(self) -> None:
        with suppress(BlockingIOError):
            os.read(self._woken, 4096)
        with suppress(ChildProcessError):
            while (found := os.waitpid(-1, os.WNOHANG))[0]:
                client = self._running.pop(found[0])
                _answer(client, found[1])
                client.close()

    def _leave(self, client: socket.socket) -> None:
        """Let go, in a new process, of what is the server's."""
        signal.set_wakeup_fd(-1)
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        for one in (self._listener, client, *self._running.values()):
            os.close(one.detach())


def main_of(module: str, words: list[str]) -> Work:
    """Return the work of an imported module's `main`, with these words as its `sys.argv`."""

    def work() -> object:
        sys.argv = words
        return sys.modules[module].main()

    return work


def freeze() -> None:
    """Leave what was imported so far to no garbage collection: forked processes share its pages."""
    gc.collect()
    gc.freeze()


def facts() -> str:
    """Return what client.c writes of a process, for this one."""
    mask = os.umask(0)
    os.umask(mask)
    numbers = [os.getsid(0), os.getuid(), os.geteuid(), os.getgid(), os.getegid(), mask]
    numbers += [os.nice(0), ctypes.CDLL(None).personality(_PRESENT)]
    for place in _PLACES:
        numbers += _identity(place)
    for kind in set(range(_LIMITS)) - {resource.RLIMIT_STACK}:
        numbers += resource.getrlimit(kind)
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    ignored = [one in blocked or signal.getsignal(one) is signal.SIG_IGN for one in _SIGNALS]
    return " ".join(map(str, [*numbers, *map(int, ignored)]))


def _identity(place: str) -> tuple[int, int]:
    """Return the device and the number of a file; 0 and 0 if there is none."""
    try:
        found = os.stat(place)
    except OSError:
        return 0, 0
    return found.st_dev, found.st_ino


def _variables(environment: dict[str, str]) -> dict[str, str]:
    """Return what decides how Python starts; where inst is, as PYTHONPATH, decides nothing.

    Of the locale only the encoding counts, as long as it is UTF-8: configure scripts set `C`.
    """
    found = {
        name: value
        for name, value in environment.items()
        if name.startswith(_SAME) and (name, value) != ("PYTHONPATH", str(PARENT))
    }
    locale = _locale(environment)
    is_utf_8 = locale in _ESCAPED or locale.endswith((".UTF-8", ".utf8"))
    return found | {"LC_CTYPE": _UTF_8 if is_utf_8 else locale}


def _locale(environment: dict[str, str]) -> str:
    return next(filter(None, map(environment.get, _LOCALE)), "")


def _receive(client: socket.socket) -> Request:
    first, control, _, _ = client.recvmsg(4, socket.CMSG_SPACE(256))
    descriptors = array.array("i")
    for level, kind, content in control:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            descriptors.frombytes(content)
    left = struct.unpack("=I", first)[0] if len(first) == 4 else 0
    parts = []
    while left and (part := client.recv(left)):
        parts.append(part)
        left -= len(part)
    texts = b"".join(parts).decode(errors="surrogateescape").split("\0")[:-1]
    if left or len(texts) < 4:
        raise ValueError("a client has ended")
    end = 4 + int(texts[3])
    numbers = [*map(int, texts[1].split())]
    pairs = (text.partition("=")[::2] for text in texts[end:])
    return Request(texts[0], numbers, texts[2], texts[4:end], dict(pairs), [*descriptors])


def _answer(client: socket.socket, number: int) -> None:
    with suppress(OSError):  # a client may have been killed
        client.sendall(struct.pack("=i", number), socket.MSG_NOSIGNAL)


def _become(request: Request, python: str, work: Work) -> None:
    """Be, in a new process, the one that the client stands for."""
    *theirs, directory = request.descriptors
    os.fchdir(directory)
    # None of the numbers that are wanted is among those that are here.
    moved = [fcntl.fcntl(one, fcntl.F_DUPFD, _ABOVE) for one in theirs]
    for one in request.descriptors:
        os.close(one)
    for one, number in zip(moved, request.numbers, strict=True):
        os.dup2(one, number)
        os.close(one)
    os.environ.clear()
    os.environ.update(request.environment)
    sys.executable = python
    errors = "surrogateescape" if _locale(request.environment) in _ESCAPED else "strict"
    for number, (name, mode) in enumerate(_STREAMS):
        stream = _stream(number, mode, "backslashreplace" if number == 2 else errors)
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    gc.enable()
    _end(_status(work))


def _stream(number: int, mode: str, errors: str) -> io.TextIOWrapper:
    raw = io.FileIO(number, mode, closefd=False)
    binary = io.BufferedReader(raw) if mode == "r" else io.BufferedWriter(raw)
    return io.TextIOWrapper(binary, errors=errors, line_buffering=number == 2 or raw.isatty())


def _status(work: Work) -> int:
    """Run it; return the status with which Python would end."""
    try:
        code = work()
    except SystemExit as error:
        code = error.code
    except KeyboardInterrupt:
        sys.excepthook(*sys.exc_info())
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
        code = 130
    except BaseException:
        sys.excepthook(*sys.exc_info())
        code = 1
    if isinstance(code, int):
        return code & 255
    if isinstance(code, str):
        print(code, file=sys.stderr)
    return int(isinstance(code, str))


def _end(status: int) -> None:
    """End as Python does: threads, functions of atexit, what is still in buffers."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
    except OSError as error:
        print(f"Exception ignored in: {sys.stdout!r}\n{error!r}", file=sys.stderr)
        status = 120
    os._exit(status)
