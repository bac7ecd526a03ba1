"""Traces: records in, events out, whatever the format and the packing.

`open_trace` is the one door; what it returns is described in `inst.trace.model`.
"""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

from inst.trace.model import Trace


def open_trace(source: str | Path | BinaryIO, *, name: str = "") -> Trace:
    """Open a trace by its content: RST or s-expressions, plain or gzip, zstd or xz.

    `source` is a path, "-" for standard input, or a binary stream. The trace is read
    once, from front to back, in constant memory.
    """
    from inst.trace import source as sources

    label, chunks = sources.open_chunks(source, name)
    kind, chunks = sources.recognise(label, chunks)
    if kind == "rst":
        from inst.trace.rst import RstTrace

        return RstTrace(label, chunks)
    from inst.trace.sexp import SexpTrace

    return SexpTrace(label, chunks)
