"""RST and s-expressions as targets: every event has a record there."""

from __future__ import annotations

from inst.convert import Job, Writer
from inst.trace.model import Array
from inst.trace.rst_write import RstWriter
from inst.trace.sexp_write import SexpWriter


class TraceWriter(Writer):
    """Writes events as the records of a trace."""

    def __init__(self, writer: RstWriter | SexpWriter) -> None:
        self._writer = writer

    def events(self, events: Array) -> None:
        """Write a batch of events."""
        self._writer.events(events)

    def finish(self) -> None:
        """Write what comes last."""
        self._writer.finish()


def to_rst(job: Job) -> Writer:
    """Return a writer of RST."""
    return TraceWriter(RstWriter(job.trace, job.output))


def to_sexp(job: Job) -> Writer:
    """Return a writer of s-expressions."""
    return TraceWriter(SexpWriter(job.trace, job.output))
