"""Records as lines: the rows a viewer selects from and prints, one shape for every format."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from inst.trace.model import Trace


class Row(NamedTuple):
    """One record as a viewer sees it; None where the record has no such thing.

    A named tuple, since one is made for every record of a trace.
    """

    record: int
    name: str
    text: str
    """The line without its number."""
    instruction: bool
    cpu: int | None
    thread: int | None
    pc: int | None
    address: int | None
    fields: Callable[[], dict[str, Any]]
    """The record's fields by name, for machine output."""


def rows(trace: Trace, *, disassembly: bool = True) -> Iterator[Row]:
    """Yield every record of the trace as a row."""
    from inst.trace.rst import RstTrace
    from inst.trace.sexp import SexpTrace
    from inst.trace.stf import StfTrace

    if isinstance(trace, RstTrace):
        from inst.trace.rst_text import rst_rows

        return rst_rows(trace, disassembly=disassembly)
    if isinstance(trace, StfTrace):
        from inst.trace.stf_text import stf_rows

        return stf_rows(trace, disassembly=disassembly)
    assert isinstance(trace, SexpTrace)
    from inst.trace.sexp_text import sexp_rows

    return sexp_rows(trace)
