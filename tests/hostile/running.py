"""Commands on hostile input, in this process, with limits of time and memory."""

from __future__ import annotations

import contextlib
import io
import resource
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from inst.cli import main
from tests.time_limit import time_limit

SECONDS = 20
"""Far beyond what a command needs for inputs of some kilobytes: what takes it hangs."""
ROOM = 1 << 30
"""Bytes that a command may take on top of what this process has."""
RESERVED = {"--html": 1 << 42}
"""Options whose work reserves addresses, in bytes, that it does not use: a JavaScript engine's."""


class HangError(BaseException):
    """A command that did not end; no `except Exception` catches it."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a command did."""

    status: int
    out: str
    err: str


def run(*words: str | Path) -> Outcome:
    """Run a command of inst; what it raises, and a hang, is the caller's to see."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", "surrogateescape") for _ in range(2))
    room = ROOM + sum(size for word, size in RESERVED.items() if word in words)
    with limited(room), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status = main([str(word) for word in words])
        except SystemExit as error:  # what argparse does
            status = int(error.code or 0)
    texts = []
    for stream in (out, err):
        stream.flush()
        stream.seek(0)
        texts.append(stream.read())
    return Outcome(status, texts[0], texts[1])


@contextlib.contextmanager
def limited(room: int = ROOM) -> Iterator[None]:
    """Limit the time and the memory of what stands in the block."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + room, before[1]))
    try:
        with time_limit(SECONDS, HangError(f"not done after {SECONDS} s")):
            yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def defect(outcome: Outcome, allowed: tuple[int, ...], failed: int = 2) -> str:
    """Return what is wrong with how a command ended; "" if nothing is.

    `failed` is the status that goes with an error message, and no other does.
    """
    if "Traceback" in outcome.err or "a defect of inst" in outcome.err:
        return f"it says: {outcome.err[:300]}"
    if outcome.status not in allowed:
        return f"status {outcome.status} is none of {allowed}: {outcome.err[:300]}"
    if (outcome.status == failed) != ("error: " in outcome.err):
        return f"status {outcome.status} and the message are not of one mind: {outcome.err[:300]}"
    return ""


def describe(error: BaseException) -> str:
    """Return an exception with the innermost place of inst that it went through."""
    frames, step = "", error.__traceback__
    while step is not None:
        code = step.tb_frame.f_code
        if "/inst/" in code.co_filename:
            frames = f"{code.co_filename}:{step.tb_lineno}"
        step = step.tb_next
    return f"{type(error).__name__}: {str(error)[:100]} in {frames}"
