"""Traces sent through a pipeline: inputs opened, stages chained, outputs written."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from inst.arch.registry import all_architectures, produced_by
from inst.common.progress import Progress
from inst.common.usage import meant
from inst.common.wholefile import refuse_input
from inst.errors import InstError
from inst.filter.inputs import open_input
from inst.filter.language import Resolved, UsageError, require_formats, resolve
from inst.filter.output import Output
from inst.filter.table import FILTERS
from inst.trace.batch import Batch, Batches, Source
from inst.trace.registry import PACKAGES, codec_of
from inst.trace.written import Written

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
    """What is to be reported about the inputs, all of them read."""

    notes: list[str]
    incomplete: bool
    """Whether one of them is known to lack something."""


def run(request: Request) -> Done:
    """Run the pipeline. Damage is raised after what is before it."""
    with contextlib.ExitStack() as files:
        return _run(request, files)


def _run(request: Request, files: contextlib.ExitStack) -> Done:
    stages = resolve(request.pipeline, FILTERS)
    sources = _open(request, stages, files)
    _require_programs(request, stages, sources)
    require_formats(stages, request.pipeline, {each.trace.format for each in sources})
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
        silent = row.name == "function" or not all(
            codec_of(each.trace).names_sources for each in sources
        )
        if row.name in ("function", "source") and silent and not request.programs:
            raise UsageError(f"{row.name}: no program was named", hint="add --program ELF")


def _open(request: Request, stages: list[Resolved], files: contextlib.ExitStack) -> list[Source]:
    from inst.program.program import Locator

    if request.arch and produced_by(request.arch) is None:
        words = sorted(word for one in all_architectures() for word in one.words)
        hint = meant(request.arch, tuple(words))
        raise UsageError(f"no instruction set is called {request.arch!r}", hint=hint)
    merging = bool(stages and stages[0].filter and stages[0].filter.kind == "merge")
    if len(request.inputs) > 1 and not merging:
        raise UsageError(
            f"{len(request.inputs)} inputs, but the pipeline does not begin with merge",
            hint="for example: inst filter 'merge time' A B OUT",
        )
    progress = Progress.PRINTS if request.output == "-" else Progress.READS
    found = []
    for path in request.inputs:
        trace = open_input(path, files, progress)
        locator = Locator(request.programs, trace, demangle=False) if request.programs else None
        found.append(Source(trace, locator, request.arch))
    return found


def _through(stages: list[Resolved], sources: list[Source]) -> Iterator[tuple[int | None, Batch]]:
    """Yield what comes out, with the number of the output where the last stage splits."""
    names = {row.name for stage in stages for row, _ in stage.names}
    accesses = bool(names & {"ea", "value"})
    streams: list[Batches] = [batches_of(each, accesses=accesses) for each in sources]
    if stages and stages[0].filter and stages[0].filter.kind == "merge":
        stream: Batches = stages[0].make([_without_places(each) for each in streams])
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


def _without_places(batches: Batches) -> Batches:
    """Yield batches that will not stand in one file as they do in their own."""
    return (replace(batch, first=-1) for batch in batches)


def batches_of(source: Source, *, accesses: bool = False) -> Batches:
    """Yield a trace's batches; damage ends them and is stored in the source."""
    try:
        yield from codec_of(source.trace).batches(source, accesses=accesses)
    except InstError as error:
        source.failure = error


class _Outputs:
    """The output, or one for each number of a split."""

    def __init__(self, request: Request) -> None:
        self._pattern = request.output
        self._inputs = [*request.inputs, *request.programs]
        self._known: dict[int | None, Output] = {}
        self._written: dict[int | None, Written] = {}
        if not _splits(request):
            self._open(None)

    def write(self, number: int | None, batch: Batch) -> None:
        output = self._known.get(number) or self._open(number)
        if number not in self._written:
            codec = codec_of(batch.source.trace)
            output.require(codec.name)
            self._written[number] = codec.written()
        data = self._written[number](batch)
        if data:
            output.write(data)

    def _open(self, number: int | None) -> Output:
        if len(self._known) >= OUTPUTS:
            raise InstError(
                f"split: more than {OUTPUTS} outputs",
                hint="select some threads first: `thread 1-100 | split thread`",
            )
        path = self._pattern if number is None else name_of(self._pattern, number)
        refuse_input(path, self._inputs)
        self._known[number] = Output(path, many=number is not None)
        return self._known[number]

    def keep(self) -> None:
        for number, output in self._known.items():
            if number in self._written:
                output.write(self._written[number].end())
            output.keep()

    def discard(self) -> None:
        for output in self._known.values():
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
    stem = re.sub(rf"(\.({'|'.join(PACKAGES)}|rz3))?(\.(gz|zst|xz))?$", "", path.name) or path.name
    return str(path.with_name(f"{stem}.{number}{path.name[len(stem) :]}"))
