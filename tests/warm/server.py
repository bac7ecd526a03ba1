"""The process that has started Python and imported inst, and forks for each command.

    python -m tests.warm.server SOCKET PYTHON

It ends when its standard input does.
"""

from __future__ import annotations

import array
import atexit
import fcntl
import gc
import importlib
import io
import os
import pkgutil
import resource
import runpy
import selectors
import signal
import socket
import struct
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from tests.warm import COMMANDS, ROOT

_SIGNALS = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGCHLD)
"""Signals that may be ignored or blocked; Python itself ignores SIGPIPE."""
_LIMITS = 16
"""How many limits of resources Linux has."""
_LATE = (
    "capstone",
    "elftools.dwarf.callframe",
    "elftools.elf.elffile",
    "elftools.elf.enums",
    "elftools.elf.relocation",
    "numpy.ma",
)
"""What inst, or NumPy, imports where it is used; importing it takes half of a short command.

pyarrow, duckdb and altair are not among these: few commands use them, and a process that is large
takes long to fork.
"""
_ASSEMBLY = ROOT / "tests" / "truth" / "assembly"
_TRANSLATED = {"ppc32": "ppc32.s", "sparc-v8": "sparc-v8.s", "sparc-v9": "sparc-v9.s"}
"""For each set of tables of instructions, a target and assembly that has most kinds of them."""
_ABOVE = 1000
"""Descriptors from this number on are of this module's own."""
_START = str(ROOT / "wrappers" / "start.py")
_MODULES = {
    "inst": ("inst.cli", "inst/__main__.py"),
    "inst.wrap.cc": ("inst.wrap.cc", "inst/wrap/cc.py"),
}
"""What `python -m` runs: the module whose `main` it is, and the file that it begins with."""
_SAME = ("PYTHON", "LC_", "LANG", "LD_", "MALLOC_")
"""Names of variables that Python or the C library reads as it starts begin with these."""


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

    def __init__(self, path: str, python: str) -> None:
        self._python = python
        self._facts = facts()
        self._variables = _variables(dict(os.environ))
        self._running: dict[int, socket.socket] = {}
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(path)
        self._listener.listen(64)
        self._woken, wake = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.signal(signal.SIGCHLD, lambda number, frame: None)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)

    def serve(self) -> None:
        """Do so until the standard input ends."""
        with selectors.DefaultSelector() as selector:
            for source in (self._listener, self._woken, 0):
                selector.register(source, selectors.EVENT_READ)
            while True:
                for key, _ in selector.select():
                    if key.fileobj == 0:
                        return
                    if key.fileobj is self._listener:
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
        work = self._work(request)
        process = os.fork() if work else 0
        if work and not process:
            self._leave(client)
            _become(request, self._python, work)
        for one in request.descriptors:
            os.close(one)
        _answer(client, process)
        if process:
            self._running[process] = client
        else:
            client.close()

    def _work(self, request: Request) -> Callable[[], object] | None:
        """Return what to run, or None for what has to be really started."""
        if request.facts != self._facts or _variables(request.environment) != self._variables:
            return None
        name, words = os.path.basename(request.name), request.arguments
        if name == "python":
            return _work_of_python(words)
        sys.argv = [request.name, *words]
        return _main(COMMANDS.get(name, COMMANDS["inst-cc"]))

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
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for one in (self._listener, client, *self._running.values()):
            os.close(one.detach())


def _work_of_python(words: list[str]) -> Callable[[], object] | None:
    if words[:1] == ["-m"] and words[1] in _MODULES:
        module, file = _MODULES[words[1]]
        sys.argv = [str(ROOT / file), *words[2:]]
        return _main(module)
    if words[:2] == ["-I", "-S"] and os.path.realpath(words[2]) == _START:
        sys.argv = words[2:]
        return lambda: runpy.run_path(_START, run_name="__main__")
    return None


def _main(module: str) -> Callable[[], object]:
    found: Callable[[], object] = sys.modules[module].main
    return found


def facts() -> str:
    """Return what client.c writes of a process, for this one."""
    mask = os.umask(0)
    os.umask(mask)
    numbers = [os.getsid(0), os.getuid(), os.geteuid(), os.getgid(), mask, os.nice(0)]
    for kind in set(range(_LIMITS)) - {resource.RLIMIT_STACK}:
        numbers += resource.getrlimit(kind)
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    ignored = [one in blocked or signal.getsignal(one) is signal.SIG_IGN for one in _SIGNALS]
    return " ".join(map(str, [*numbers, *map(int, ignored)]))


def _variables(environment: dict[str, str]) -> dict[str, str]:
    """Return what decides how Python starts; the checkout as PYTHONPATH decides nothing here."""
    return {
        name: value
        for name, value in environment.items()
        if name.startswith(_SAME) and (name, value) != ("PYTHONPATH", str(ROOT))
    }


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


def _become(request: Request, python: str, work: Callable[[], object]) -> None:
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
    sys.stdin = _stream(0, "r", "strict")
    sys.stdout = _stream(1, "w", "strict")
    sys.stderr = _stream(2, "w", "backslashreplace")
    sys.__stdin__, sys.__stdout__, sys.__stderr__ = sys.stdin, sys.stdout, sys.stderr
    gc.enable()
    _end(_status(work))


def _stream(number: int, mode: str, errors: str) -> io.TextIOWrapper:
    raw = io.FileIO(number, mode, closefd=False)
    binary = io.BufferedReader(raw) if mode == "r" else io.BufferedWriter(raw)
    return io.TextIOWrapper(binary, errors=errors, line_buffering=number == 2)


def _status(work: Callable[[], object]) -> int:
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


def import_all() -> None:
    """Import every module of inst, and what they import."""
    import inst

    for found in pkgutil.walk_packages(inst.__path__, "inst."):
        if not found.name.endswith(("__main__", "pytest_plugin", "_start", ".start")):
            importlib.import_module(found.name)
    for name in _LATE:
        importlib.import_module(name)


def read_tables() -> None:
    """Read once what commands remember: tables of instructions, patterns, packages with checks."""
    from inst.check.registry import known
    from inst.rewrite.options import Options
    from inst.target.targets import TARGETS
    from inst.translate import translate

    for target, name in _TRANSLATED.items():
        translate((_ASSEMBLY / name).read_text(), TARGETS[target], Options())
    known()


def main() -> None:
    """Import, then serve."""
    gc.disable()
    import_all()
    read_tables()
    gc.collect()
    gc.freeze()
    server = Server(sys.argv[1], sys.argv[2])
    assert threading.active_count() == 1
    print("ready", flush=True)
    server.serve()


if __name__ == "__main__":
    main()
