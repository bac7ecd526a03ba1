"""What conversions are made of: a job, the writer of its target, and what is lost on the way."""

from __future__ import annotations

import abc
from dataclasses import dataclass, field
from typing import BinaryIO, Protocol

from inst.errors import InstError
from inst.trace.model import Array, Trace

LOSS_LIMIT = 1000
"""Kinds of losses that are distinguished."""


class Output(Protocol):
    """Anything bytes can be written to."""

    def write(self, data: bytes, /) -> object:
        """Take the bytes."""
        ...


class Losses:
    """What could not be carried over, by kind, in the order it was first met."""

    def __init__(self, strict: bool = False) -> None:
        self.counts: dict[str, int] = {}
        self._strict = strict

    def add(self, what: str, count: int) -> None:
        """Count something lost; when strict, refuse it."""
        if count <= 0:
            return
        if what not in self.counts and len(self.counts) >= LOSS_LIMIT:
            what = "anything else"
        self.counts[what] = self.counts.get(what, 0) + count
        if self._strict:
            raise Refused(f"the conversion would lose {what}")


class Refused(InstError):
    """The target cannot carry everything, and everything was asked for."""

    exit_status = 1

    def __init__(self, message: str) -> None:
        super().__init__(message, hint="without --strict it is left out and counted")


@dataclass(slots=True)
class Job:
    """One conversion: what is read, where it goes, what is lost on the way."""

    trace: Trace
    output: BinaryIO
    losses: Losses = field(default_factory=Losses)
    programs: tuple[str, ...] = ()
    """ELF files that name functions, for formats that want names."""
    demangle: bool = True
    """Whether C++ names are shown as they were written."""


class Writer(abc.ABC):
    """What a target format provides."""

    @abc.abstractmethod
    def events(self, events: Array) -> None:
        """Write a batch of events."""

    @abc.abstractmethod
    def finish(self) -> None:
        """Write what comes last."""

    def abandon(self) -> None:  # noqa: B027 - most writers hold nothing to let go of
        """Release everything: the output is discarded."""


class RecordedRegisters(Protocol):
    """Registers that the records of a trace state, by the names that STF has for them."""

    unnamed: int
    """Registers of the trace that STF has no name for."""
    seen: bool
    """Whether the trace has stated any register."""

    def until(self, record: int) -> tuple[dict[str, int], dict[str, int]]:
        """Return what is stated up to a record: after the instruction before it, and since."""
        ...
