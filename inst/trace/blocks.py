"""The records of any trace as blocks of rows, in the style that is asked for."""

from __future__ import annotations

from collections.abc import Iterator

from inst.trace.model import Trace
from inst.trace.rows import Block

STYLES = ("rst", "sexp", "stf", "table")


def blocks(trace: Trace, *, style: str = "", disassembly: bool = True) -> Iterator[Block]:
    """Yield every record of the trace, in its own format's style or as events in another."""
    if style and style != trace.format:
        from inst.trace.event_text import event_blocks

        return event_blocks(trace, style, disassembly=disassembly)
    if trace.format == "rst":
        from inst.trace.rst_text import rst_blocks

        return rst_blocks(trace, disassembly=disassembly)  # type: ignore[arg-type]
    if trace.format == "sexp":
        from inst.trace.sexp_text import sexp_blocks

        return sexp_blocks(trace)  # type: ignore[arg-type]
    from inst.trace.stf_text import stf_blocks

    return stf_blocks(trace, disassembly=disassembly)  # type: ignore[arg-type]
