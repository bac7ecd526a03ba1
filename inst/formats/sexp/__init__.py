"""Traces of s-expressions, a record a line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from inst.formats.sexp.table import KINDS
from inst.trace.format import NO, SURE, Format

if TYPE_CHECKING:
    from inst.trace.batch import Batches
    from inst.trace.compare import Block as Keys
    from inst.trace.finding import Check
    from inst.trace.format import Decode
    from inst.trace.model import Array, Trace
    from inst.trace.rows import Block
    from inst.trace.view import View
    from inst.trace.writing import Job, Losses, Writer
    from inst.trace.written import Written


class Sexp(Format):
    """S-expressions."""

    name = "sexp"
    title = "s-expressions"
    what = "s-expressions, one a line"
    begins = "first character '('"
    states_ids = True
    names_sources = True
    types = tuple(KINDS)
    offers: ClassVar = {
        "threads": "",
        "located events": "inst.formats.sexp.located:located",
        "anonymise": "inst.formats.sexp.anonymise:anonymiser",
        "fill-symbols": "inst.formats.sexp.symbols:fill_symbols",
        "renumber": "inst.formats.sexp.renumber:renumber",
    }

    @property
    def check_codes(self) -> Mapping[str, str]:
        from inst.formats.sexp.well_formed import CODES

        return CODES

    def recognises(self, start: bytes, first: bytes) -> int:
        """A file without any record is an empty trace of this format."""
        return SURE if not first or first[:1] in (b"(", b"!") else NO

    def open(self, name: str, chunks: Iterable[bytes]) -> Trace:
        from inst.formats.sexp.trace import SexpTrace

        return SexpTrace(name, chunks)

    def rows(self, trace: Any, *, disassembly: bool) -> Iterator[Block]:
        from inst.formats.sexp.text import sexp_blocks

        return sexp_blocks(trace)

    def event_texts(self, trace: Trace) -> Callable[[Decode, Array], list[str]]:
        """Return what `inst convert` would write, with the ids that the events have."""
        import io

        from inst.formats.sexp.write import SexpWriter

        records = SexpWriter(trace, io.BytesIO())
        return lambda _decode, events: records.lines(events, events["id"].tolist())

    def views(self, batches: Batches) -> Iterator[View]:
        from inst.formats.sexp.view import sexp_views

        return sexp_views(batches)

    def written(self) -> Written:
        from inst.trace.written import WrittenText

        return WrittenText()

    def writer(self, job: Job) -> Writer:
        from inst.formats.sexp.write import SexpWriter

        return SexpWriter(job.trace, job.output, job.losses)

    def count_losses(self, batch: Any, losses: Losses, *, registers: bool) -> None:
        from inst.formats.sexp.losses import count_losses

        count_losses(batch, losses)

    def check(self, trace: Any) -> Check:
        from inst.formats.sexp.well_formed import SexpWellFormed

        return SexpWellFormed(trace)

    def compared(self, trace: Any, ignored: frozenset[str]) -> Iterator[Keys]:
        from inst.formats.sexp.compare import words
        from inst.trace.compare import compared_texts

        return compared_texts(trace, ignored, words)


FORMAT = Sexp()
