"""The process that empties rings of recordings while programs run, and compresses what they record.

It holds a lock of the file `drain` in the rings' directory: a program that waits for a slot looks
whether anything still empties its ring. It runs until the programs have ended, also if
some of them outlive the first one.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inst.formats.rec.emptying import Emptied

_VARIABLE = "INST_DRAIN"
"""Names the directory for the programs."""
_IN_MEMORY = Path("/dev/shm")
_ROOM = 256 << 20
"""Bytes that must be free there: a ring takes 13 MB, and more with many threads."""
_SHORTEST, _LONGEST = 0.0005, 0.01
"""Seconds to sleep where no slot is full."""
_BETWEEN = 0.1
"""Seconds from one look at whether processes have ended to the next."""
_IGNORED = (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGTERM)
"""What may end the program does not end the drain, which ends after the program."""
_WAITS_FOR_OTHERS = b"."


@contextmanager
def drained() -> Iterator[None]:
    """Have the recordings of the programs that are started compressed while these run.

    At the end, all recordings of programs that have ended are written.
    """
    if any(os.environ.get(name) for name in (_VARIABLE, "INST_RING")):
        yield
        return
    try:
        drain = _Drain()
    except OSError as error:
        _report(f"recordings are not compressed while the program runs: {error.strerror}")
        yield
        return
    os.environ[_VARIABLE] = str(drain.directory)
    try:
        yield
    finally:
        del os.environ[_VARIABLE]
        drain.wait()


class _Drain:
    """The process, and the directory of rings that it empties."""

    def __init__(self) -> None:
        self.directory = Path(os.path.realpath(tempfile.mkdtemp(prefix="inst-", dir=_parent())))
        lock = os.open(self.directory / "drain", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        fcntl.flock(lock, fcntl.LOCK_EX)
        over, self._over = os.pipe()
        self._done, done = os.pipe()
        sys.stdout.flush()
        if os.fork() == 0:
            os.close(self._over)
            os.close(self._done)
            _run(self.directory, over, done)
        for descriptor in (lock, over, done):
            os.close(descriptor)

    def wait(self) -> None:
        """Wait until all rings of programs that have ended are written."""
        os.close(self._over)
        os.read(self._done, 1)
        os.close(self._done)


def _parent() -> Path | None:
    """Return where rings are files that are never written to a disk, if there is such a place."""
    try:
        if os.access(_IN_MEMORY, os.W_OK) and shutil.disk_usage(_IN_MEMORY).free >= _ROOM:
            return _IN_MEMORY
    except OSError:
        pass
    return None


def _run(directory: Path, over: int, done: int) -> None:
    """Empty the rings of a directory, in a process of its own; it does not return."""
    status = 1
    try:
        for number in _IGNORED:
            signal.signal(number, signal.SIG_IGN)
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1):
            os.dup2(nothing, descriptor)
        _Rings(directory).empty(over, done)
        status = 0
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        shutil.rmtree(directory, ignore_errors=True)
        os._exit(status)


class _Rings:
    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._open: dict[str, Emptied] = {}
        self._seen: set[str] = set()

    def empty(self, over: int, done: int) -> None:
        """Empty rings until the run is over and no process records any longer."""
        os.set_blocking(over, False)
        sleep, looked, is_over = _SHORTEST, 0.0, False
        while True:
            taken = self._take()
            sleep = _SHORTEST if taken else min(2 * sleep, _LONGEST)
            if taken:
                continue
            was_over, is_over = is_over, is_over or _is_closed(over)
            now = time.monotonic()
            if is_over != was_over or now - looked > _BETWEEN:
                looked = now
                self._finish_ended()
                if is_over and self._is_done():
                    return
                if is_over and not was_over:
                    os.write(done, _WAITS_FOR_OTHERS)
            time.sleep(sleep)

    def _is_done(self) -> bool:
        """Return whether no ring is left, and no process that has one or may have one yet."""
        if self._open or is_mapped(self._directory):
            return False
        self._take()  # of a process that has begun and ended since
        return not self._open

    def _take(self) -> int:
        """Take what is full in all rings; return how many slots that were."""
        for name, path in self._new():
            self._seen.add(name)
            self._begin(name, path)
        return sum(ring.take() for ring in self._open.values())

    def _new(self) -> Iterator[tuple[str, Path]]:
        names = [name for name in os.listdir(self._directory) if name.endswith(".ring")]
        if len(names) == len(self._open):
            return
        from inst.formats.rec.emptying import is_ring

        for name in names:
            path = self._directory / name
            if name not in self._seen and is_ring(path):
                yield name, path

    def _begin(self, name: str, path: Path) -> None:
        from inst.formats.rec.emptying import Emptied

        try:
            self._open[name] = Emptied(path)
        except (OSError, ValueError) as error:
            _report(f"the ring {path} of a recording cannot be read: {error}")

    def _finish_ended(self) -> None:
        """End the recordings of the processes that have ended theirs, or have been killed."""
        for name, ring in list(self._open.items()):
            if not (ring.is_over or is_gone(ring.process, ring.path)):
                continue
            del self._open[name]
            ring.finish()
            if ring.failure:
                why = ring.failure.strerror
                _report(f"cannot write more of the recording to {ring.output}: {why}")


def _is_closed(pipe: int) -> bool:
    try:
        return not os.read(pipe, 1)
    except BlockingIOError:
        return False


def is_gone(process: int, ring: Path) -> bool:
    """Return whether a process has ended or no longer maps a ring, after exec.

    A thread may outlive the first one, whose own entry then states no maps.
    """
    tasks = Path(f"/proc/{process}/task")
    try:
        return not any(str(ring) in (task / "maps").read_text() for task in tasks.iterdir())
    except PermissionError:
        return False
    except OSError:
        return not tasks.exists()


def is_mapped(directory: Path) -> bool:
    """Return whether a process maps a file of a directory: it records, or is a child that may."""
    for maps in Path("/proc").glob("[0-9]*/maps"):
        try:
            if f"{directory}/" in maps.read_text(errors="replace"):
                return True
        except OSError:
            continue
    return False


def _report(message: str) -> None:
    print(f"inst: error: {message}", file=sys.stderr, flush=True)
