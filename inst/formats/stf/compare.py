"""STF records compared."""

from __future__ import annotations

import re
from collections.abc import Iterator

from inst.formats.stf.record import StfRecord
from inst.trace.compare import Block, Ignored, compared_texts
from inst.trace.model import Trace

REGISTER = re.compile(rb"\b((?:R\d\d|CTR|LNK) = )([0-9a-fA-F]+)(?= |$)")
"""A register that may hold an address, in a text with single spaces."""


def words(record: StfRecord, ignored: Ignored) -> bytes:
    """Return what two equal records have in common."""
    text = b" ".join(record.text.split())
    if record.kind == "instr" and (ignored.places or ignored.no_addresses):
        pc = ignored.address(record.pc)
        text = text.replace(b"PCN = %0*x" % (record.digits, record.pc), b"PCN = %x" % pc)
    if record.kind != "header" and "values" in ignored:
        return REGISTER.sub(rb"\1", text)
    if record.kind != "header" and ignored.pointers:
        places = ignored.pointers
        return REGISTER.sub(
            lambda found: found[1] + b"%x" % places.address(int(found[2], 16)), text
        )
    return text


def compared(trace: Trace, ignored: Ignored) -> Iterator[Block]:
    """Yield a trace's records as keys."""
    return compared_texts(trace, ignored, words)
