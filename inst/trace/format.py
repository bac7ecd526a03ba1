"""What a trace format provides: one value for each, which knows all that is particular to it.

A format is a package of `inst.formats` whose `FORMAT` is such a value, and a row of
`inst.trace.registry`. Everything else uses the value: `codec_of(trace)` there. Its parts are
functions and classes by name, imported when they are first used. Traces are read in batches of
bounded size, so that a part that is given batches must not keep them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from inst.trace.batch import Batches, Source
    from inst.trace.compare import Block as Keys
    from inst.trace.compare import Ignored
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

USUAL_PARTS = {
    "batches": "inst.trace.batch:text_batches",
    "keeper": "inst.trace.view:Keeper",
    "written": "inst.trace.written:WrittenText",
    "merged": "inst.trace.merging:Merged",
    "describe": "inst.trace.compare:describe_text",
}
"""What formats whose records are text have in common."""


@dataclass(frozen=True, slots=True)
class Format:
    """One trace format; its methods show what each of its parts is called with."""

    name: str
    title: str
    """The name in sentences."""
    what: str
    """What is written, for the list of conversions."""
    begins: str
    """How a trace begins, for the message about files that are none."""
    recognises: Callable[[bytes, bytes], int]
    """Returns how sure it is that bytes begin a trace; the second ones without leading blanks."""
    types: tuple[str, ...]
    """Names of the record types."""
    parts: Mapping[str, str]
    """`module:name` of what the methods call, and of what only some formats offer; a module
    that begins with a dot is in the format's package. Empty where the part's name is enough."""
    usual_arch: str = ""
    """The instruction set of a trace that names none; empty if it may be any."""
    states_ids: bool = False
    """Records carry sequence ids; otherwise their ordinals stand for them."""
    names_sources: bool = False
    """Records may name their source line themselves."""
    carries_registers: bool = False
    """Register values of another format are written, too."""

    @property
    def ending(self) -> str:
        """Return the ending of file names."""
        return f".{self.name}"

    def offers(self, part: str) -> bool:
        """Return whether the format has a part that not all have."""
        return part in self.parts

    def part(self, name: str) -> Any:
        """Return the function or class of that name."""
        module, _, function = (self.parts.get(name) or USUAL_PARTS[name]).partition(":")
        package = f"inst.formats.{self.name}" if module.startswith(".") else ""
        return getattr(import_module(package + module), function)

    def open(self, name: str, chunks: Iterable[bytes]) -> Trace:
        """Return the trace that the bytes are."""
        return self.part("open")(name, chunks)  # type: ignore[no-any-return]

    def rows(self, trace: Trace, *, disassembly: bool) -> Iterator[Block]:
        """Yield every record as a row of text."""
        return self.part("rows")(trace, disassembly=disassembly)  # type: ignore[no-any-return]

    def event_texts(self, trace: Trace) -> Callable[[Decode, Array], list[str]]:
        """Return what puts events of any trace into the words of this format."""
        return self.part("event texts")(trace)  # type: ignore[no-any-return]

    def batches(self, source: Source, *, accesses: bool) -> Batches:
        """Yield batches for filters; with the values of accesses if they are asked for."""
        return self.part("batches")(source, accesses=accesses)  # type: ignore[no-any-return]

    def views(self, batches: Batches) -> Iterator[View]:
        """Yield views of whole groups of records."""
        return self.part("views")(batches)  # type: ignore[no-any-return]

    def keeper(self) -> Keeper:
        """Return what selects some records of one view after the other."""
        return self.part("keeper")()  # type: ignore[no-any-return]

    def written(self) -> Written:
        """Return what turns the batches of an output into bytes."""
        return self.part("written")()  # type: ignore[no-any-return]

    def merged(self) -> Merged:
        """Return what makes one stream of several."""
        return self.part("merged")()  # type: ignore[no-any-return]

    def writer(self, job: Job) -> Writer:
        """Return what writes events of any trace as records."""
        return self.part("writer")(job)  # type: ignore[no-any-return]

    def count_losses(self, batch: Any, losses: Losses, *, registers: bool) -> None:
        """Count what a batch of records has beyond its events; `registers` are not lost then."""
        self.part("losses")(batch, losses, registers=registers)

    def check(self, trace: Trace) -> Check:
        """Return the check of well-formedness."""
        return self.part("check")(trace)  # type: ignore[no-any-return]

    def compared(self, trace: Trace, ignored: Ignored) -> Iterator[Keys]:
        """Yield the records as keys that are equal where records are."""
        return self.part("compared")(trace, ignored)  # type: ignore[no-any-return]

    def describe(self, trace: Trace, record: Any) -> tuple[str, str, dict[str, Any]]:
        """Return a record's type, its text and its fields, for the list of differences."""
        return self.part("describe")(trace, record)  # type: ignore[no-any-return]
