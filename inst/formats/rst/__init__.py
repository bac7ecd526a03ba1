"""RST 2.13: records of 24 bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from inst.formats.rst.table import OWN, SIZE, TYPES
from inst.trace.format import CERTAIN, LIKELY, NO, Format

if TYPE_CHECKING:
    from inst.trace.batch import Batches, Source
    from inst.trace.compare import Block as Keys
    from inst.trace.finding import Check
    from inst.trace.format import Decode
    from inst.trace.merging import Merged
    from inst.trace.model import Array, Trace
    from inst.trace.rows import Block
    from inst.trace.view import Keeper, View
    from inst.trace.writing import Job, Losses, Writer
    from inst.trace.written import Written


class Rst(Format):
    """RST 2.13."""

    name = "rst"
    title = "RST"
    what = "RST 2.13"
    begins = "first byte 02"
    usual_arch = "sparc"
    carries_registers = True
    types = (*(kind.name for kind in TYPES), "context", "unknown")
    offers: ClassVar = {
        "threads": "",
        "cpus": "",
        "words": "",
        "instructions": "inst.formats.rst.instructions:instructions",
        "registers": "inst.formats.rst.regvals:RstRegisters",
        "anonymise": "inst.formats.rst.anonymise:anonymiser",
        "fill-symbols": "inst.formats.rst.symbols:fill_symbols",
        "renumber": "inst.formats.rst.renumber:renumber",
    }

    @property
    def check_codes(self) -> Mapping[str, str]:
        from inst.formats.rst.well_formed import CODES

        return CODES

    def recognises(self, start: bytes, first: bytes) -> int:
        """A trace cut out of a longer one has no header: take records that look like RST."""
        looks = (
            len(start) >= SIZE
            and 3 <= start[0] <= OWN
            and all(1 < kind <= 63 for kind in start[: SIZE * 8 : SIZE])
        )
        if first[:1] == b"(" and b"\0" in start[:SIZE] and looks:
            return CERTAIN  # the code of EVENT records is that of the character
        return LIKELY if start and (start[0] == 2 or not start.strip(b"\0") or looks) else NO

    def open(self, name: str, chunks: Iterable[bytes]) -> Trace:
        from inst.formats.rst.trace import RstTrace

        return RstTrace(name, chunks)

    def rows(self, trace: Any, *, disassembly: bool) -> Iterator[Block]:
        from inst.formats.rst.text import rst_blocks

        return rst_blocks(trace, disassembly=disassembly)

    def event_texts(self, trace: Trace) -> Callable[[Decode, Array], list[str]]:
        from inst.trace.event_text import classic_line, texts_of

        return texts_of(trace, classic_line)

    def batches(self, source: Source, *, accesses: bool) -> Batches:
        from inst.trace.batch import Batch

        for batch in source.trace.batches():
            yield Batch(batch.raw, source, batch.version)

    def views(self, batches: Batches) -> Iterator[View]:
        from inst.formats.rst.groups import rst_views

        return rst_views(batches)

    def keeper(self) -> Keeper:
        from inst.formats.rst.groups import Switches

        return Switches()

    def written(self) -> Written:
        from inst.trace.written import Written

        return Written()

    def merged(self) -> Merged:
        from inst.formats.rst.merge import MergedRst

        return MergedRst()

    def writer(self, job: Job) -> Writer:
        from inst.formats.rst.write import RstWriter

        writer = RstWriter(job.trace, job.output)
        if "register records" in job.trace.codec.offers:
            writer.further = job.trace.codec.offer("register records")(job.trace)
        return writer

    def count_losses(self, batch: Any, losses: Losses, *, registers: bool) -> None:
        from inst.formats.rst.losses import count_losses

        count_losses(batch, losses, registers=registers)

    def check(self, trace: Any) -> Check:
        from inst.formats.rst.well_formed import RstWellFormed

        return RstWellFormed(trace)

    def compared(self, trace: Any, ignored: frozenset[str]) -> Iterator[Keys]:
        from inst.formats.rst.compare import compared

        return compared(trace, ignored)

    def describe(self, trace: Trace, record: Any) -> tuple[str, str, dict[str, Any]]:
        from inst.formats.rst.compare import describe

        return describe(trace, record)


FORMAT = Rst()
