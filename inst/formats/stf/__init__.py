"""STF: the text of a PowerPC register tracer, instruction by instruction."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from inst.trace.format import NO, SURE, Format

if TYPE_CHECKING:
    from inst.trace.batch import Batches, Source
    from inst.trace.compare import Block as Keys
    from inst.trace.finding import Check
    from inst.trace.format import Decode
    from inst.trace.model import Array, Trace
    from inst.trace.rows import Block
    from inst.trace.view import View
    from inst.trace.writing import Job, Losses, Writer
    from inst.trace.written import Written

_START = re.compile(rb"(?:[RF]\d\d|XER|MSR|CTR|LNK|CCR|MQ|HQ|FPSCR|PCN|GAP)[ \t]*=")
"""A trace cut out of a longer one has no header."""


class Stf(Format):
    """STF."""

    name = "stf"
    title = "STF"
    what = "STF, PowerPC only"
    begins = "first character '|'"
    usual_arch = "ppc"
    carries_registers = True
    types = ("header", "state", "instr")
    offers: ClassVar = {
        "words": "",
        "instructions": "inst.formats.stf.instructions:instructions",
        "register records": "inst.formats.stf.regvals:further",
    }

    @property
    def check_codes(self) -> Mapping[str, str]:
        from inst.formats.stf.well_formed import CODES

        return CODES

    def recognises(self, start: bytes, first: bytes) -> int:
        return SURE if first[:1] == b"|" or _START.match(first) else NO

    def open(self, name: str, chunks: Iterable[bytes]) -> Trace:
        from inst.formats.stf.trace import StfTrace

        return StfTrace(name, chunks)

    def rows(self, trace: Any, *, disassembly: bool) -> Iterator[Block]:
        from inst.formats.stf.text import stf_blocks

        return stf_blocks(trace, disassembly=disassembly)

    def event_texts(self, trace: Trace) -> Callable[[Decode, Array], list[str]]:
        from inst.formats.stf.text import event_line
        from inst.trace.event_text import texts_of

        return texts_of(trace, event_line)

    def batches(self, source: Source, *, accesses: bool) -> Batches:
        from inst.formats.stf.source import stf_batches

        return stf_batches(source, accesses=accesses)

    def views(self, batches: Batches) -> Iterator[View]:
        from inst.formats.stf.view import stf_views

        return stf_views(batches)

    def written(self) -> Written:
        from inst.formats.stf.gap_texts import WrittenStf

        return WrittenStf()

    def writer(self, job: Job) -> Writer:
        from inst.formats.stf.write import StfWriter

        return StfWriter(job)

    def count_losses(self, batch: Any, losses: Losses, *, registers: bool) -> None:
        """Count registers, where they are not carried over."""
        if registers:
            return
        losses.add("register values", sum(record.after.count(b"=") for record in batch.records))
        executed = (record for record in batch.records if record.kind == "instr")
        losses.add("status register values", sum(each.before.count(b"=") for each in executed))

    def check(self, trace: Any) -> Check:
        from inst.formats.stf.well_formed import StfWellFormed

        return StfWellFormed(trace)

    def compared(self, trace: Any, ignored: frozenset[str]) -> Iterator[Keys]:
        from inst.formats.stf.compare import words
        from inst.trace.compare import compared_texts

        return compared_texts(trace, ignored, words)


FORMAT = Stf()
