"""Conversion of traces: events of one format in, records of another out, in constant memory.

Between equal formats records are copied byte for byte. Otherwise the events go across, and
what the target cannot carry is counted by kind: see `inst.convert.model.Losses`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import PurePath
from typing import Any, cast

from inst.common.usage import nearest
from inst.convert.model import Job, Refused, Writer
from inst.errors import InstError
from inst.trace.model import Array

PACKINGS = (".gz", ".zst", ".xz")


@dataclass(frozen=True, slots=True)
class Format:
    """A format that traces are converted to."""

    name: str
    ending: str
    what: str
    maker: str
    """module:function that makes the writer of a job."""


FORMATS = (
    Format("rst", ".rst", "RST 2.13", "inst.convert.traces:to_rst"),
    Format("sexp", ".sexp", "s-expressions, one a line", "inst.convert.traces:to_sexp"),
    Format("stf", ".stf", "STF, PowerPC only", "inst.convert.to_stf:StfWriter"),
    Format("parquet", ".parquet", "Parquet, zstd inside", "inst.convert.parquet:ParquetWriter"),
    Format("csv", ".csv", "comma-separated columns", "inst.convert.columns:CsvWriter"),
    Format("chrome", ".json", "functions and system calls for Perfetto and Chrome",
           "inst.convert.chrome:ChromeWriter"),
)  # fmt: skip
BY_NAME = {each.name: each for each in FORMATS}
_ENDINGS = {each.ending: each for each in FORMATS} | {".log": BY_NAME["sexp"]}


def format_of(name: str) -> Format:
    """Return the format that a file's name asks for, by its ending before any packing's."""
    path = PurePath(name)
    ending = path.suffix.lower()
    if ending in PACKINGS:
        ending = PurePath(path.stem).suffix.lower()
    found = _ENDINGS.get(ending)
    if found is None:
        endings = " ".join(_ENDINGS)
        near = nearest(ending, [*_ENDINGS, *PACKINGS])
        meant = f"did you mean {near}? " if near else ""
        raise InstError(
            f"{name}: no format has the ending '{ending}'",
            hint=f"{meant}The endings are {endings}, alone or with {' '.join(PACKINGS)} behind; "
            "--to names a format whatever the ending",
        )
    return found


def convert(job: Job, target: Format) -> None:
    """Write the job's trace in the target format.

    Damage in the trace is raised after everything before it was written and finished.
    """
    if job.trace.format == target.name:
        _copy(job)
        return
    from inst.convert.sources import watch

    watch(job.trace, job.losses, target.name)
    writer = _maker(target)(job)
    try:
        damage = _pass_on(job.trace.events(), writer)
        for vocabulary, what in ((job.trace.words, "words"), (job.trace.sites, "sources")):
            name = f"{what} that are too many to be told apart"
            job.losses.add(name, vocabulary.refused)
        writer.finish()
    except BaseException:
        writer.abandon()
        raise
    if damage:
        raise damage


def _pass_on(events: Iterator[Array], writer: Writer) -> InstError | None:
    """Write all events; return the damage that ended them."""
    while True:
        try:
            batch = next(events, None)
        except Refused:
            raise
        except InstError as error:
            return error
        if batch is None:
            return None
        if len(batch):
            writer.events(batch)


def _maker(target: Format) -> Callable[[Job], Writer]:
    module, _, name = target.maker.partition(":")
    return cast("Callable[[Job], Writer]", getattr(import_module(module), name))


def _copy(job: Job) -> None:
    batches: Any = job.trace.batches()
    for batch in batches:
        job.output.write(batch.tobytes())
