"""Traces: records in, events out, whatever the format and the packing.

`open_trace` opens them; what it returns is described in `inst.trace.model`.
"""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

from inst.common.heap import keep_freed
from inst.common.progress import Progress
from inst.trace import source as sources
from inst.trace.model import Trace


def open_trace(
    source: str | Path | BinaryIO, *, name: str = "", progress: Progress = Progress.NONE
) -> Trace:
    """Open a trace by its content: RST, s-expressions, STF, recordings; plain or gzip, zstd, xz.

    `source` is a path, "-" for standard input, or a binary stream. The trace is read
    once, from front to back, in constant memory. `progress` shows on a terminal how much of a
    file was read.
    """
    keep_freed()
    label, opened = sources.open_chunks(source, name, progress)
    try:
        codec, filled, chunks = sources.recognise(label, opened)
    except BaseException:
        getattr(opened, "close", bool)()
        raise
    file = sources.plain_file(source, codec, progress) if codec.offers("open file") else None
    if file is not None:
        getattr(opened, "close", bool)()
        trace: Trace = codec.part("open file")(label, file)
        return trace
    trace = codec.open(label, chunks)
    if not filled:
        trace.lacks("there is nothing in it: an empty trace")
    trace.on_close = getattr(opened, "close", trace.on_close)
    return trace
