"""Work in the background: a thread for each kind of it, and messages with what it found."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Any

from textual.app import App
from textual.message import Message
from textual.worker import Worker, get_current_worker

from inst.browse.reading import CancelledError
from inst.errors import InstError


class Done(Message):
    """A piece of work has ended."""

    def __init__(
        self, job: Job, then: Callable[[Any], None], result: Any, error: InstError | None
    ) -> None:
        super().__init__()
        self._job, self.then, self.result, self.error = job, then, result, error

    @property
    def is_wanted(self) -> bool:
        """Whether nobody has cancelled it in the meantime."""
        return not self._job.cancelled()


class Job:
    """One piece of work, as its thread sees it."""

    def __init__(self, what: str) -> None:
        self.what = what
        self.progress = ""
        self.is_cancelled = False
        self.worker: Worker[None] | None = None

    def cancelled(self) -> bool:
        """Return whether the work is to end."""
        return self.is_cancelled or (self.worker is not None and self.worker.is_cancelled)

    def tell(self, progress: str) -> None:
        """Say how far it is."""
        self.progress = progress


class Work:
    """All work of the browser; of each kind there is one piece at a time."""

    def __init__(self, app: App[None]) -> None:
        self._app = app
        self.running: dict[str, Job] = {}
        """By kind. Threads take away what they have done: it may change at any time."""
        self._changing = Lock()

    def start(
        self, kind: str, what: str, do: Callable[[Job], Any], then: Callable[[Any], None]
    ) -> None:
        """Begin work in a thread, in place of the last piece of its kind.

        `then` gets what `do` returns, on the thread of the screen, unless it is cancelled before.
        """
        self.cancel(kind)
        job = Job(what)
        with self._changing:
            self.running[kind] = job

        def run() -> None:
            job.worker = get_current_worker()
            result, error = None, None
            try:
                result = do(job)
            except CancelledError:
                job.is_cancelled = True
            except InstError as failure:
                error = failure
            except OSError as failure:
                error = InstError(str(failure))
            with self._changing:
                if self.running.get(kind) is job:
                    del self.running[kind]
            if not job.cancelled():
                self._app.post_message(Done(job, then, result, error))

        self._app.run_worker(run, name=kind, thread=True)

    def cancel(self, kind: str) -> bool:
        """End work of a kind; return whether there was any."""
        with self._changing:
            job = self.running.pop(kind, None)
        if job is not None:
            job.is_cancelled = True
        return job is not None

    def cancel_all(self) -> None:
        """End all work."""
        with self._changing:
            kinds = list(self.running)
        for kind in kinds:
            self.cancel(kind)

    def told(self) -> list[str]:
        """Return what is being done, and how far it is."""
        with self._changing:
            jobs = list(self.running.values())
        return [f"{job.what} {job.progress}".strip() + " ..." for job in jobs]
