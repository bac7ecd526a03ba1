"""RST and s-expressions as targets: every event has a record there."""

from __future__ import annotations

from inst.convert.from_stf_registers import StfRegisters
from inst.convert.model import Job, Writer
from inst.trace.model import Array
from inst.trace.rst_write import RstWriter
from inst.trace.sexp_write import SexpWriter
from inst.trace.stf import StfTrace


class TraceWriter(Writer):
    """Writes events as the records of a trace."""

    def __init__(self, writer: RstWriter | SexpWriter, job: Job) -> None:
        self._writer = writer
        self._losses = job.losses

    def events(self, events: Array) -> None:
        """Write a batch of events."""
        self._writer.events(events)

    def finish(self) -> None:
        """Write what comes last."""
        self._writer.finish()
        if isinstance(self._writer, SexpWriter):
            self._losses.add("ids that go back", self._writer.changed_ids)


def to_rst(job: Job) -> Writer:
    """Return a writer of RST."""
    writer = RstWriter(job.trace, job.output)
    if isinstance(job.trace, StfTrace):
        writer.further = StfRegisters(job.trace).behind
    return TraceWriter(writer, job)


def to_sexp(job: Job) -> Writer:
    """Return a writer of s-expressions."""
    return TraceWriter(SexpWriter(job.trace, job.output), job)
