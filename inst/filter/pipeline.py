"""Traces sent through a pipeline: inputs opened, stages chained, outputs written."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from inst.common.usage import meant
from inst.common.wholefile import refuse_input
from inst.errors import InstError
from inst.filter.inputs import open_input
from inst.filter.language import Resolved, UsageError, require_formats, resolve
from inst.filter.model import FORMATS, Batch, Batches, Source
from inst.filter.output import Output
from inst.filter.stf_gaps import Gaps
from inst.filter.stf_source import stf_batches
from inst.filter.table import FILTERS
from inst.trace.model import Trace
from inst.trace.rst_record import RstBatch
from inst.trace.stf import StfTrace
from inst.words import decode

OUTPUTS = 512
"""Files a split may have open."""


@dataclass(slots=True)
class Request:
    """What to do: a pipeline, inputs, an output, and what explains the traces."""

    pipeline: str
    inputs: list[str]
    output: str
    programs: list[str] = field(default_factory=list)
    arch: str = ""
    salvage: bool = False
    """Keep what was written before damage in an input."""


@dataclass(frozen=True, slots=True)
class Done:
    """What is to be said of the inputs, all of them read."""

    notes: list[str]
    incomplete: bool
    """Whether one of them is known to lack something."""


def run(request: Request) -> Done:
    """Run the pipeline. Damage is raised after what stands before it."""
    with contextlib.ExitStack() as files:
        return _run(request, files)


def _run(request: Request, files: contextlib.ExitStack) -> Done:
    stages = resolve(request.pipeline, FILTERS)
    sources = _open(request, stages, files)
    _require_programs(request, stages, sources)
    require_formats(stages, request.pipeline, {each.format for each in sources}, FORMATS)
    outputs = _Outputs(request)
    try:
        for number, batch in _through(stages, sources):
            outputs.write(number, batch)
        failure = next((each.failure for each in sources if each.failure), None)
        if failure is not None and not request.salvage:
            raise failure
        outputs.keep()
    except BaseException:
        outputs.discard()
        raise
    if failure is not None:
        raise failure
    notes = [f"{each.trace.name}: {note}" for each in sources for note in each.trace.notes]
    return Done(notes, any(each.trace.incomplete for each in sources))


def _require_programs(request: Request, stages: list[Resolved], sources: list[Source]) -> None:
    """Refuse selections by source that nothing could answer."""
    for row, _ in (each for stage in stages for each in stage.names):
        silent = any(row.name == "function" or each.format != "sexp" for each in sources)
        if row.name in ("function", "source") and silent and not request.programs:
            raise UsageError(f"{row.name}: no program was named", hint="add --program ELF")


def _open(request: Request, stages: list[Resolved], files: contextlib.ExitStack) -> list[Source]:
    from inst.program.program import Locator

    if request.arch and not decode.is_known(request.arch):
        words = ("ppc", "ppc64", "ppc64le", "sparc", "sparc-v8", "sparc64")
        hint = meant(request.arch, words)
        raise UsageError(f"no instruction set is called {request.arch!r}", hint=hint)
    merging = bool(stages and stages[0].filter and stages[0].filter.kind == "merge")
    if len(request.inputs) > 1 and not merging:
        raise UsageError(
            f"{len(request.inputs)} inputs, but the pipeline does not begin with merge",
            hint="for example: inst filter 'merge time' A B OUT",
        )
    found = []
    for path in request.inputs:
        trace = open_input(path, files)
        locator = Locator(request.programs, trace, demangle=False) if request.programs else None
        found.append(Source(trace, locator, request.arch))
    return found


def _through(stages: list[Resolved], sources: list[Source]) -> Iterator[tuple[int | None, Batch]]:
    """Yield what comes out, with the number of the output where the last stage splits."""
    names = {row.name for stage in stages for row, _ in stage.names}
    accesses = bool(names & {"ea", "value"})
    streams: list[Batches] = [batches_of(each, accesses=accesses) for each in sources]
    if stages and stages[0].filter and stages[0].filter.kind == "merge":
        stream: Batches = stages[0].make(streams)
        stages = stages[1:]
    else:
        stream = streams[0]
    for stage in stages:
        if stage.filter and stage.filter.kind == "split":
            yield from stage.make(stream)
            return
        stream = stage.make(stream)
    for batch in stream:
        yield None, batch


def batches_of(source: Source, *, accesses: bool = False) -> Batches:
    """Yield a trace's batches; damage ends them and is kept in the source."""
    try:
        if isinstance(source.trace, StfTrace):
            yield from stf_batches(source, source.trace, accesses=accesses)
            return
        for batch in source.trace.batches():
            if isinstance(batch, RstBatch):
                yield Batch(batch.raw, source, batch.version)
            else:
                yield Batch(batch.records, source, tail=batch.tail)
    except InstError as error:
        source.failure = error


class _Outputs:
    """The output, or one for each number of a split."""

    def __init__(self, request: Request) -> None:
        self._pattern = request.output
        self._inputs = [*request.inputs, *request.programs]
        self._known: dict[int | None, tuple[Output, Any]] = {}
        if not _splits(request):
            self._open(None)

    def write(self, number: int | None, batch: Batch) -> None:
        output, writer = self._known.get(number) or self._open(number)
        data = writer(batch)
        if data:
            output.write(data)

    def _open(self, number: int | None) -> tuple[Output, Any]:
        if len(self._known) >= OUTPUTS:
            raise InstError(
                f"split: more than {OUTPUTS} outputs",
                hint="select some threads first: `thread 1-100 | split thread`",
            )
        path = self._pattern if number is None else name_of(self._pattern, number)
        refuse_input(path, self._inputs)
        self._known[number] = Output(path, many=number is not None), Writer()
        return self._known[number]

    def keep(self) -> None:
        for output, writer in self._known.values():
            output.write(writer.end())
            output.keep()

    def discard(self) -> None:
        for output, _ in self._known.values():
            with contextlib.suppress(InstError):
                output.discard()


def _splits(request: Request) -> bool:
    stages = resolve(request.pipeline, FILTERS)
    last = stages[-1].filter if stages else None
    splits = last is not None and last.kind == "split"
    if splits and request.output == "-":
        raise UsageError("split writes several files: standard output is one", hint="name a file")
    return splits


def name_of(pattern: str, number: int) -> str:
    """Return an output's name: t.rst.gz and 3 make t.3.rst.gz, t-{}.rst makes t-3.rst."""
    if "{}" in pattern:
        return pattern.replace("{}", str(number))
    path = Path(pattern)
    stem = re.sub(r"(\.(rst|sexp|stf))?(\.(gz|zst|xz))?$", "", path.name) or path.name
    return str(path.with_name(f"{stem}.{number}{path.name[len(stem) :]}"))


class Writer:
    """Turns batches into bytes; texts whose neighbours have gone begin on a line of their own."""

    def __init__(self) -> None:
        self._last: tuple[Trace, int] | None = None
        self._line_ended = True
        self._cut = False  # the last record had no end of the file behind it
        self._gaps: Gaps | None = None
        self._banks = ""

    def __call__(self, batch: Batch) -> bytes:
        if batch.source.format == "rst":
            return bytes(batch.records.tobytes())
        data = b"".join(self._texts(batch)) + batch.tail
        self._cut = batch.source.format == "sexp" and len(batch) > 0 and not batch.tail
        if data:
            self._line_ended = data.endswith(b"\n")
        return data

    def end(self) -> bytes:
        """Return the end of the last line, when what ended it was left out, and an STF's gap."""
        if self._gaps is not None:
            gap = self._gaps.end(self._banks)
            return gap if self._line_ended or not gap else b"\n" + gap
        return b"\n" if self._cut and not self._line_ended else b""

    def _texts(self, batch: Batch) -> Iterator[bytes]:
        trace, ended = batch.source.trace, self._line_ended
        for record, text in self._own_texts(batch):
            follows = self._last == (trace, record.ordinal - 1)
            if not follows and (self._last is not None or record.ordinal):
                text = text.lstrip(b" \t\r\n")
                text = text if ended else b"\n" + text
            self._last = trace, record.ordinal
            ended = text.endswith(b"\n")
            yield text

    def _own_texts(self, batch: Batch) -> Iterator[tuple[Any, bytes]]:
        if batch.source.format != "stf":
            for record in batch.records:
                yield record, record.text
            return
        self._gaps, self._banks = self._gaps or Gaps(), batch.source.banks
        for record, gap, text in self._gaps.texts(batch):
            yield record, gap + (text.lstrip(b" \t\r\n") if gap else text)
