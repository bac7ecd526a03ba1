"""STF records compared."""

from __future__ import annotations

from collections.abc import Iterator

from inst.formats.stf.record import StfRecord
from inst.trace.compare import Block, compared_texts, relative_address
from inst.trace.model import Trace


def words(trace: Trace, record: StfRecord, ignored: frozenset[str]) -> bytes:
    """Return what two equal records have in common."""
    text = b" ".join(record.text.split())
    if ignored & {"addresses", "all-addresses"} and record.kind == "instr":
        pc = relative_address(trace, record.pc, ignored)
        text = text.replace(b"PCN = %0*x" % (record.digits, record.pc), b"PCN = %x" % pc)
    return text


def compared(trace: Trace, ignored: frozenset[str]) -> Iterator[Block]:
    """Yield a trace's records as keys."""
    return compared_texts(trace, ignored, words)
