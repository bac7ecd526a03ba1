"""What a trace format provides: one value for each, which knows all that is particular to it.

A format is a package of `inst.formats` whose `FORMAT` is such a value, and a row of
`inst.trace.registry`. Everything else asks the value: `trace.codec`. Traces are read in batches
of bounded size, so that a method that is given batches must not keep them.
"""

from __future__ import annotations

import abc
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from inst.trace.batch import Batches, Source
    from inst.trace.compare import Block as Keys
    from inst.trace.finding import Check
    from inst.trace.merging import Merged
    from inst.trace.model import Array, Trace
    from inst.trace.rows import Block
    from inst.trace.view import Keeper, View
    from inst.trace.writing import Job, Losses, Writer
    from inst.trace.written import Written

Decode = Callable[[int, int], str]
"""From an instruction word and its address to its text."""

NO, LIKELY, SURE, CERTAIN = range(4)
"""How sure a format is that the first bytes of a trace are its own; the surest opens it."""


class Format(abc.ABC):
    """One trace format."""

    name = ""
    title = ""
    """The name in sentences."""
    what = ""
    """What is written, for the list of conversions."""
    begins = ""
    """How a trace begins, for the message about files that are none."""
    usual_arch = ""
    """The instruction set of a trace that names none; empty if it may be any."""
    states_ids = False
    """Records carry sequence ids; otherwise their ordinals stand for them."""
    names_sources = False
    """Records may name their source line themselves."""
    carries_registers = False
    """Register values of another format are written, too."""
    offers: ClassVar[Mapping[str, str]] = {}
    """What only some formats can do, as `module:function`, or empty where the name says it all."""

    @property
    def ending(self) -> str:
        """Return the ending of file names."""
        return f".{self.name}"

    def offer(self, name: str) -> Any:
        """Return the function for something that the format offers."""
        module, _, function = self.offers[name].partition(":")
        return getattr(import_module(module), function)

    @property
    @abc.abstractmethod
    def types(self) -> tuple[str, ...]:
        """Names of the record types."""

    @property
    @abc.abstractmethod
    def check_codes(self) -> Mapping[str, str]:
        """Return the codes of findings of the well-formedness check, and what they mean."""

    @abc.abstractmethod
    def recognises(self, start: bytes, first: bytes) -> int:
        """Return how sure it is that the bytes begin a trace; `first` has no blanks before it."""

    @abc.abstractmethod
    def open(self, name: str, chunks: Iterable[bytes]) -> Trace:
        """Return the trace that the bytes are."""

    @abc.abstractmethod
    def rows(self, trace: Any, *, disassembly: bool) -> Iterator[Block]:
        """Yield every record as a row of text."""

    @abc.abstractmethod
    def event_texts(self, trace: Trace) -> Callable[[Decode, Array], list[str]]:
        """Return what puts events of any trace into the words of this format."""

    def batches(self, source: Source, *, accesses: bool) -> Batches:
        """Yield batches for filters; with the values of accesses if they are asked for."""
        from inst.trace.batch import Batch

        for batch in source.trace.batches():
            yield Batch(batch.records, source, tail=batch.tail)

    @abc.abstractmethod
    def views(self, batches: Batches) -> Iterator[View]:
        """Yield views of whole groups of records."""

    def keeper(self) -> Keeper:
        """Return what keeps some records of one view after the other."""
        from inst.trace.view import Keeper

        return Keeper()

    @abc.abstractmethod
    def written(self) -> Written:
        """Return what turns the batches of an output into bytes."""

    def merged(self) -> Merged:
        """Return what makes one stream of several."""
        from inst.trace.merging import Merged

        return Merged()

    @abc.abstractmethod
    def writer(self, job: Job) -> Writer:
        """Return what writes events of any trace as records."""

    @abc.abstractmethod
    def count_losses(self, batch: Any, losses: Losses, *, registers: bool) -> None:
        """Count what a batch of records has beyond its events; `registers` are not lost then."""

    @abc.abstractmethod
    def check(self, trace: Any) -> Check:
        """Return the check of well-formedness."""

    @abc.abstractmethod
    def compared(self, trace: Any, ignored: frozenset[str]) -> Iterator[Keys]:
        """Yield the records as keys that are equal where records are."""

    def describe(self, trace: Trace, record: Any) -> tuple[str, str, dict[str, Any]]:
        """Return a record's type, its text and its fields, for the list of differences."""
        text = " ".join(record.text.decode("utf-8", "replace").split())
        return record.kind, text, {"text": text}
