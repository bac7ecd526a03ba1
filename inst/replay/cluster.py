"""Windows executed by the workers of a Dask cluster.

A window is a task of its own, which any worker does that has the recording under its name. If a
worker ends while it does one, the scheduler has another do it.
"""

from __future__ import annotations

import contextlib
import io
import logging
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from dataclasses import dataclass
from typing import Any, BinaryIO

import zstandard

from inst.errors import InstError
from inst.replay.parallel import Crew, Piece, Result, Windows, temporary

CONNECT = 5
"""Seconds after which a scheduler is taken to be unreachable."""
_AHEAD = 2
"""Windows that have been sent to the cluster for each of its threads: one is written, one waits."""
_MOST = 1 << 40
"""Bytes of a window's text, at most."""

Write = Callable[[Any, BinaryIO], Result]
"""What writes the text of a window to a stream, and returns what else its process leaves."""


class Cluster:
    """A connection to a cluster's scheduler."""

    def __init__(self, address: str) -> None:
        library = require_library()
        logging.getLogger("distributed").setLevel(logging.CRITICAL)
        self._address = address
        try:
            self._client: Any = library.Client(address, timeout=CONNECT, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise InstError(
                f"there is no scheduler at {address}: {error}",
                hint="`dask scheduler` starts one and prints its address",
            ) from error
        if not self._threads():
            print(
                f"inst: {address} has no workers yet; `dask worker {address}` starts one",
                file=sys.stderr,
            )

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def crew(self, write: Write, task: Callable[[int, int], Any]) -> Crew:
        """Return what has windows written by the workers.

        `write` is a function that they import, and `task` gives what it is called with.
        """

        def jobs() -> int:
            with self._asked():
                return _AHEAD * max(self._threads(), 1)

        return lambda windows, pieces: _Tasks(windows, jobs, pieces, self, write, task)

    def submit(self, write: Write, task: Any) -> Any:
        """Have a worker write a window; return the future."""
        with self._asked():
            return self._client.submit(_compressed, write, task, pure=False)

    def fetch(self, future: Any, window: str) -> tuple[bytes, Result]:
        """Return what a worker has written, and what else it has left."""
        from distributed.scheduler import KilledWorker

        with self._asked():
            try:
                text, result = future.result()
            except KilledWorker as error:
                raise InstError(
                    f"the workers that should write {window} ended, one after the other",
                    hint="their logs say why: too little memory, most often",
                ) from error
            except ImportError as error:
                raise InstError(f"a worker lacks what inst needs: {error}") from error
        return zstandard.decompress(text, max_output_size=_MOST), result

    def _threads(self) -> int:
        return sum(self._client.nthreads().values())

    @contextlib.contextmanager
    def _asked(self) -> Iterator[None]:
        try:
            yield
        except (OSError, TimeoutError, CancelledError) as error:
            raise InstError(f"the scheduler at {self._address} has gone: {error}") from error


@dataclass(slots=True, kw_only=True)
class _Sent(Piece):
    """A window that was sent to the cluster."""

    cluster: Cluster
    future: Any
    """None: it has come back."""
    left: Result = (None, {})

    @property
    def is_running(self) -> bool:
        return self.future is not None

    def wait(self) -> bool:
        if self.future is not None:
            name = f"instructions {self.start} to {self.end}"
            text, self.left = self.cluster.fetch(self.future, name)
            self.future = None
            self.text.write(text)
        return True

    def result(self) -> Result:
        return self.left


class _Tasks(Windows):
    """Sends each window to the cluster."""

    def __init__(
        self,
        windows: Iterator[tuple[int, int]],
        jobs: Callable[[], int],
        pieces: list[Piece],
        cluster: Cluster,
        write: Write,
        task: Callable[[int, int], Any],
    ) -> None:
        super().__init__(windows, jobs, pieces)
        self._cluster, self._write, self._task = cluster, write, task

    def _start(self, start: int, end: int) -> None:
        future = self._cluster.submit(self._write, self._task(start, end))
        self.pieces.append(_Sent(start, end, temporary(), cluster=self._cluster, future=future))


def _compressed(write: Write, task: Any) -> tuple[bytes, Result]:
    """Write a window, on a worker; its text is compressed on its way."""
    text = io.BytesIO()
    result = write(task, text)
    return zstandard.compress(text.getbuffer(), 1), result


def require_library() -> Any:
    """Return Dask's library; raise InstError with what to install if it is missing."""
    try:
        import distributed
    except ImportError as error:
        raise InstError(
            f"--scheduler needs a library that is not installed: {error.name}",
            hint="pip install 'inst[cluster]'",
        ) from error
    return distributed
