"""RST and s-expressions as targets: every event has a record there."""

from __future__ import annotations

from inst.convert import Job
from inst.trace.rst_write import RstWriter
from inst.trace.sexp_write import SexpWriter


def to_rst(job: Job) -> RstWriter:
    """Return a writer of RST."""
    return RstWriter(job.trace, job.output)


def to_sexp(job: Job) -> SexpWriter:
    """Return a writer of s-expressions."""
    return SexpWriter(job.trace, job.output)
