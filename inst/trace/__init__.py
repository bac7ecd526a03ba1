"""Traces: records in, events out, whatever the format and the packing.

`open_trace` is the one door; what it returns is described in `inst.trace.model`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from inst.trace.model import Trace


def open_trace(source: str | Path | BinaryIO, *, name: str = "") -> Trace:
    """Open a trace by its content: RST, s-expressions or STF, plain or gzip, zstd or xz.

    `source` is a path, "-" for standard input, or a binary stream. The trace is read
    once, from front to back, in constant memory.
    """
    from inst.trace import source as sources

    label, opened = sources.open_chunks(source, name)
    try:
        kind, chunks = sources.recognise(label, opened)
    except BaseException:
        getattr(opened, "close", bool)()
        raise
    trace = _reader(kind, chunks, label)
    if not kind:
        trace.lacks("there is nothing in it: an empty trace")
    trace.on_close = getattr(opened, "close", trace.on_close)
    return trace


def _reader(kind: str, chunks: Iterator[bytes], label: str) -> Trace:
    if kind == "rst":
        from inst.trace.rst import RstTrace

        return RstTrace(label, chunks)
    if kind == "stf":
        from inst.trace.stf import StfTrace

        return StfTrace(label, chunks)
    from inst.trace.sexp import SexpTrace

    return SexpTrace(label, chunks)
